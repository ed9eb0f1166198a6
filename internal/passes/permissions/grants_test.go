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
