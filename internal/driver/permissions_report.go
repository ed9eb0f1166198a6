package driver

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/opvet/opvet/internal/kubeapi/rbac"
	"github.com/opvet/opvet/internal/passes/permissions"
)

// rbacReport is what a program needs, ready to be printed.
type rbacReport struct {
	all     []rbac.Permission // for a ClusterRole
	leader  []rbac.Permission // for a Role where the leader is elected
	places  map[rbac.Permission][]permissions.Need
	unknown []permissions.Unknown
	needs   []permissions.Need
}

func newRBACReport(p *permissions.Permissions) *rbacReport {
	r := &rbacReport{places: make(map[rbac.Permission][]permissions.Need), unknown: p.Unknowns(), needs: p.Needs()}
	add := func(list *[]rbac.Permission, perm rbac.Permission, n permissions.Need) {
		if !slices.Contains(*list, perm) {
			*list = append(*list, perm)
		}
		r.places[perm] = append(r.places[perm], n)
	}
	for _, n := range r.needs {
		list := &r.all
		if n.Via == permissions.Leader {
			list = &r.leader
		}
		add(list, n.Permission, n)
		if n.OrCached {
			for _, verb := range []string{"get", "list", "watch"} {
				perm := n.Permission
				perm.Verb = verb
				if perm != n.Permission {
					add(list, perm, n)
				}
			}
		}
	}
	r.leader = slices.DeleteFunc(r.leader, func(p rbac.Permission) bool { return slices.Contains(r.all, p) })
	return r
}

// tellWhy prints the places behind the verbs of one rule.
func (r *rbacReport) tellWhy(out io.Writer, comment string, rule rbac.Rule) {
	for _, resource := range rule.Resources {
		for _, verb := range rule.Verbs {
			p := rbac.PermissionOn(rule.Groups[0], resource)
			p.Verb = verb
			var places []string
			for _, n := range r.places[p] {
				place := fmt.Sprintf("%s (%s)", n.Where, n.Via)
				if !slices.Contains(places, place) {
					places = append(places, place)
				}
			}
			const most = 4
			if more := len(places) - most; more > 0 {
				places = append(places[:most], fmt.Sprintf("%d more", more))
			}
			fmt.Fprintf(out, "%s%s %s: %s\n", comment, verb, resource, strings.Join(places, ", "))
		}
	}
}

func (r *rbacReport) tellUnknown(out io.Writer, comment string) {
	for _, u := range r.unknown {
		what := u.What
		if u.Reads {
			what += " reads"
		}
		fmt.Fprintf(out, "%s unknown: %s at %s\n", comment, what, u.Where)
	}
}

func (r *rbacReport) markers(out io.Writer, why bool) {
	for _, rule := range rbac.RulesOf(slices.Concat(r.all, r.leader)) {
		if why {
			r.tellWhy(out, "// ", rule)
		}
		fmt.Fprintln(out, rule.Marker())
	}
	r.tellUnknown(out, "//")
}

func (r *rbacReport) yaml(out io.Writer, name string, why bool) {
	r.role(out, "ClusterRole", name, r.all, why)
	if len(r.leader) > 0 {
		fmt.Fprintln(out, "---\n# In the namespace where the leader is elected.")
		r.role(out, "Role", name+"-leader-election", r.leader, why)
	}
	r.tellUnknown(out, "#")
}

func (r *rbacReport) role(out io.Writer, kind, name string, list []rbac.Permission, why bool) {
	fmt.Fprintf(out, "apiVersion: rbac.authorization.k8s.io/v1\nkind: %s\nmetadata:\n  name: %s\nrules:\n", kind, name)
	for _, rule := range rbac.RulesOf(list) {
		if why {
			r.tellWhy(out, "# ", rule)
		}
		fmt.Fprintf(out, "- apiGroups: [%q]\n  resources: [%s]\n  verbs: [%s]\n", rule.Groups[0], strings.Join(rule.Resources, ", "), strings.Join(rule.Verbs, ", "))
	}
}

// diff prints what is missing with + and what is granted and not needed with -.
func (r *rbacReport) diff(out io.Writer, grants *permissions.Grants, why bool) {
	var missing []rbac.Permission
	for _, n := range r.needs {
		if !grants.Allows(n) && !slices.Contains(missing, n.Permission) {
			missing = append(missing, n.Permission)
		}
	}
	for _, rule := range rbac.RulesOf(missing) {
		if why {
			r.tellWhy(out, "  // ", rule)
		}
		fmt.Fprintf(out, "+ %s\n", strings.TrimPrefix(rule.Marker(), "// "))
	}
	for _, rule := range rbac.RulesOf(r.unneeded(grants)) {
		fmt.Fprintf(out, "- %s\n", strings.TrimPrefix(rule.Marker(), "// "))
	}
	r.tellUnknown(out, "?")
}

// unneeded returns what markers, or the roles that were named, grant beyond need.
func (r *rbacReport) unneeded(grants *permissions.Grants) []rbac.Permission {
	rules := grants.Markers
	if len(rules) == 0 {
		rules = grants.Manifests.Rules
	}
	var list []rbac.Permission
	for _, rule := range rules {
		for _, group := range rule.Groups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					p := rbac.PermissionOn(group, resource)
					p.Verb = verb
					if r.places[p] == nil && !slices.Contains(list, p) && group != "*" && resource != "*" && verb != "*" {
						list = append(list, p)
					}
				}
			}
		}
	}
	return list
}

func (r *rbacReport) json(out io.Writer) error {
	type place struct {
		Where string `json:"where"`
		What  string `json:"what,omitempty"`
		Via   string `json:"via"`
	}
	type permission struct {
		Group       string  `json:"group"`
		Resource    string  `json:"resource"`
		Subresource string  `json:"subresource,omitempty"`
		Verb        string  `json:"verb"`
		Places      []place `json:"places"`
	}
	type unknown struct {
		Where string `json:"where"`
		What  string `json:"what"`
		Reads bool   `json:"reads,omitempty"`
	}
	var doc struct {
		Permissions []permission `json:"permissions"`
		Unknown     []unknown    `json:"unknown,omitempty"`
	}
	all := slices.Concat(r.all, r.leader)
	slices.SortFunc(all, rbac.Permission.Compare)
	for _, p := range all {
		entry := permission{Group: p.Group, Resource: p.Resource, Subresource: p.Sub, Verb: p.Verb}
		for _, n := range r.places[p] {
			entry.Places = append(entry.Places, place{n.Where, n.What, string(n.Via)})
		}
		doc.Permissions = append(doc.Permissions, entry)
	}
	for _, u := range r.unknown {
		doc.Unknown = append(doc.Unknown, unknown{u.Where, u.What, u.Reads})
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(doc)
}
