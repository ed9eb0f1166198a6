package registered

import (
	"reflect"
	"testing"
)

func TestRegistered(t *testing.T) {
	const template = `
webhooks:
{{- if .Values.webhooks }}
- name: a
  rules:
  - apiGroups: [ "example.com" ]
    operations: ["CREATE", 'UPDATE']
    resources:
    # all of them
    - "backups"
    - restores
    scope: "*"
  sideEffects: None
{{- end }}
- name: b
  rules:
  - operations:
    - '*'
    resources:
    - pods
`
	want := []Registration{{"", "", []string{"backups", "restores"}, []string{"CREATE", "UPDATE"}}, {"", "", []string{"pods"}, []string{"*"}}}
	if got := registered(template); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSparesOperator(t *testing.T) {
	for condition, want := range map[string]bool{
		`request.userInfo.username != 'system:serviceaccount:backups:manager'`:                       true,
		`!request.userInfo.username.startsWith("system:serviceaccount:backups:")`:                    true,
		`request.userInfo.username != 'system:serviceaccount:kube-system:generic-garbage-collector'`: false,
		`!('system:nodes' in request.userInfo.groups)`:                                               false,
		`request.userInfo.username == 'system:serviceaccount:backups:manager'`:                       false,
		`object.metadata.namespace != 'system:serviceaccount:backups:manager'`:                       false,
	} {
		w := webhook{MatchConditions: []struct{ Expression string }{{condition}}}
		if got := w.sparesOperator(); got != want {
			t.Errorf("%s: %t", condition, got)
		}
	}
}

func TestIsFor(t *testing.T) {
	r := Registration{Resources: []string{"policies", "backupschedules"}}
	for kind, want := range map[string]bool{"Policy": true, "BackupSchedule": true, "Backup": false} {
		if got := r.IsFor(kind); got != want {
			t.Errorf("for %s: %t", kind, got)
		}
	}
}
