package permissions

import (
	"testing"

	"github.com/opvet/opvet/internal/kubeapi/rbac"
)

// Of roles beside the one that markers make, those count that are the operator's.
func TestKeeps(t *testing.T) {
	rule := func(role, group, resource string) rbac.Rule {
		return rbac.Rule{Groups: []string{group}, Resources: []string{resource}, Verbs: []string{"list", "watch"}, Role: role}
	}
	own := rule("manager", "example.dev", "chaos")
	for name, test := range map[string]struct {
		markers, roles []rbac.Rule
		want           bool
	}{
		"by a marker":                       {[]rbac.Rule{rule("", "", "pods")}, []rbac.Rule{own}, true},
		"by the operator's role":            {[]rbac.Rule{own}, []rbac.Rule{own, rule("manager", "", "pods")}, true},
		"by nobody":                         {[]rbac.Rule{own}, []rbac.Rule{own}, false},
		"by what is installed beside it":    {[]rbac.Rule{own}, []rbac.Rule{own, rule("prometheus", "", "pods")}, false},
		"by any role, where no markers are": {nil, []rbac.Rule{own, rule("prometheus", "", "pods")}, true},
		"by any role, if none is known":     {[]rbac.Rule{own}, []rbac.Rule{rule("prometheus", "", "pods")}, true},
	} {
		g := &Grants{Markers: test.markers, Manifests: &rbac.Manifests{Rules: test.roles, Plurals: map[[2]string]string{{"example.dev", "Chaos"}: "chaos"}}}
		if got := g.Keeps("k8s.io/api/core/v1.Pod", true); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A verb is refused where the roles are all seen, and are those of whoever makes the objects.
func TestRefuses(t *testing.T) {
	rule := func(resource string, verbs ...string) rbac.Rule {
		return rbac.Rule{Groups: []string{"batch"}, Resources: []string{resource}, Verbs: verbs}
	}
	makes := rule("jobs", "create", "get")
	for name, test := range map[string]struct {
		markers   []rbac.Rule
		manifests rbac.Manifests
		want      bool
	}{
		"by the markers":             {[]rbac.Rule{makes}, rbac.Manifests{}, true},
		"by a role":                  {nil, rbac.Manifests{Rules: []rbac.Rule{makes}}, true},
		"but not by another role":    {[]rbac.Rule{makes}, rbac.Manifests{Rules: []rbac.Rule{rule("jobs", "delete")}}, false},
		"but not by a wildcard":      {[]rbac.Rule{makes, rule("jobs", "*")}, rbac.Manifests{}, false},
		"but others make them":       {[]rbac.Rule{rule("jobs", "get")}, rbac.Manifests{}, false},
		"but nothing is said":        {nil, rbac.Manifests{}, false},
		"but roles take on others":   {[]rbac.Rule{makes}, rbac.Manifests{Aggregated: true}, false},
		"but a kubeconfig is given":  {[]rbac.Rule{makes}, rbac.Manifests{ByKubeconfig: true}, false},
		"of what is something else":  {[]rbac.Rule{rule("cronjobs", "create")}, rbac.Manifests{}, false},
		"of those, but for the name": {[]rbac.Rule{makes, rule("cronjobs", "delete")}, rbac.Manifests{}, true},
	} {
		g := &Grants{Markers: test.markers, Manifests: &test.manifests}
		if got := g.Refuses("k8s.io/api/batch/v1.Job", "delete"); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if g := (&Grants{Markers: []rbac.Rule{makes}, Manifests: new(rbac.Manifests)}); g.Refuses("example.dev/api/v1.Job", "delete") {
		t.Error("a kind of the project's own is refused")
	}
}
