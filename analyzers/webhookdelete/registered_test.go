package webhookdelete

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
	want := []registration{{[]string{"backups", "restores"}, []string{"CREATE", "UPDATE"}}, {[]string{"pods"}, []string{"*"}}}
	if got := registered(template); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestIsFor(t *testing.T) {
	r := registration{resources: []string{"policies", "backupschedules"}}
	for kind, want := range map[string]bool{"Policy": true, "BackupSchedule": true, "Backup": false} {
		if got := r.isFor(kind); got != want {
			t.Errorf("for %s: %t", kind, got)
		}
	}
}
