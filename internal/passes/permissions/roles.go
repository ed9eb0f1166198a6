package permissions

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/kubeapi/rbac"
)

const rbacGroup = "rbac.authorization.k8s.io"

// Made is what the roles grant that a program puts together, and which roles it binds.
type Made struct {
	// Grants are the permissions of the rules, as far as these are constant.
	Grants []Need
	// Open is where a rule is put together that is not, or empty.
	Open string
	// Bound are the kinds of roles that bindings refer to: "Role", "ClusterRole", or "?".
	Bound []string
}

func (m *Made) merge(other *Made) {
	m.Grants = append(m.Grants, other.Grants...)
	m.Open = first(m.Open, other.Open)
	m.Bound = append(m.Bound, other.Bound...)
}

func (m *Made) normalize() {
	slices.SortStableFunc(m.Grants, compareNeeds)
	m.Grants = slices.CompactFunc(m.Grants, func(a, b Need) bool { return a.Permission == b.Permission })
	slices.Sort(m.Bound)
	m.Bound = slices.Compact(m.Bound)
}

func (m *Made) isZero() bool { return len(m.Grants) == 0 && m.Open == "" && len(m.Bound) == 0 }

// role notes what is stored into a rule of a role, or into a binding's reference to
// one.
func (g *gatherer) role(field *ssa.FieldAddr) {
	name := calls.FieldName(field)
	switch {
	case name == "Verbs" && kubeapi.IsNamed(field.X.Type(), "k8s.io/api/rbac/v1", "PolicyRule"):
		g.policyRule(field)
	case name == "Kind" && kubeapi.IsNamed(field.X.Type(), "k8s.io/api/rbac/v1", "RoleRef"):
		for _, v := range stored(field) {
			kind, known := kubeapi.ConstString(v)
			if !known {
				kind = "?"
			}
			g.Made.Bound = append(g.Made.Bound, kind)
		}
	}
}

// policyRule reads a rule, of which one field is given.
func (g *gatherer) policyRule(verbs *ssa.FieldAddr) {
	where := syntax.Place(g.pass.Fset, verbs.Pos())
	open := func() { g.Made.Open = first(g.Made.Open, where) }
	lists := make(map[string][]string)
	for _, ref := range *verbs.X.Referrers() {
		field, ok := ref.(*ssa.FieldAddr)
		if !ok || !slices.Contains([]string{"APIGroups", "Resources", "Verbs"}, calls.FieldName(field)) {
			continue // whatever the names are, who may do it to all may grant it
		}
		for _, v := range stored(field) {
			elements, known := g.read.Elements(v)
			if !known {
				open()
				return
			}
			for _, e := range elements {
				s, known := kubeapi.ConstString(e)
				if !known {
					open()
					return
				}
				name := calls.FieldName(field)
				lists[name] = append(lists[name], s)
			}
		}
	}
	for _, group := range lists["APIGroups"] {
		for _, resource := range lists["Resources"] {
			for _, verb := range lists["Verbs"] {
				p := rbac.PermissionOn(group, resource)
				p.Verb = verb
				g.Made.Grants = append(g.Made.Grants, Need{Permission: p, Via: MadeRole, Where: where})
			}
		}
	}
}

// stored returns what is stored into a field.
func stored(field *ssa.FieldAddr) []ssa.Value {
	var values []ssa.Value
	for store := range blocks.Stores(field) {
		values = append(values, store.Val)
	}
	return values
}

// composeRoles adds what a program must hold that makes roles and bindings: what these
// grant, or else the right to grant whatever it likes.
func (p *Permissions) composeRoles() {
	writes := func(resource string) (Need, bool) {
		i := slices.IndexFunc(p.needs, func(n Need) bool {
			return n.Group == rbacGroup && n.Resource == resource && n.Sub == "" && (n.Verb == "create" || n.Verb == "update" || n.Verb == "patch")
		})
		if i < 0 {
			return Need{}, false
		}
		return p.needs[i], true
	}
	var held []Need
	makes := false
	for _, resource := range []string{"roles", "clusterroles"} {
		n, ok := writes(resource)
		if !ok {
			continue
		}
		makes = true
		if p.Made.Open != "" {
			n.Verb, n.Via, n.Where, n.Certain = "escalate", MadeRole, p.Made.Open, false
			held = append(held, n)
		}
	}
	if makes {
		held = append(held, p.Made.Grants...)
	}
	for _, resource := range []string{"rolebindings", "clusterrolebindings"} {
		n, ok := writes(resource)
		if !ok || makes {
			continue // of roles that it makes, it has all that they grant
		}
		for _, kind := range []struct{ name, resource string }{{"Role", "roles"}, {"ClusterRole", "clusterroles"}} {
			if slices.Contains(p.Made.Bound, kind.name) || slices.Contains(p.Made.Bound, "?") || len(p.Made.Bound) == 0 {
				n.Resource, n.Verb, n.Via, n.Certain = kind.resource, "bind", MadeRole, false
				held = append(held, n)
			}
		}
	}
	p.needs = append(p.needs, held...)
}
