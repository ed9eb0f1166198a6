package rbac

import (
	"slices"
	"strings"
)

// roleBinding is who refers to a role: a RoleBinding or a ClusterRoleBinding.
type roleBinding struct {
	kind, namespace, role string
}

// bind notes what a binding grants that is in no manifest, since the role comes with
// Kubernetes: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings.
// Other roles are looked for among those of the project when all is read, see Unseen.
func (m *Manifests) bind(b roleBinding) {
	r := Rule{Groups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}, Namespaced: b.kind == "RoleBinding", Namespace: b.namespace, Role: b.role}
	if b.role == "" {
		return
	}
	m.binds = true
	switch {
	case slices.Contains([]string{"cluster-admin", "admin", "edit"}, b.role): // grant nearly everything
	case b.role == "view" || b.role == "cluster-reader":
		r.Verbs = []string{"get", "list", "watch"}
	case b.role == "system:auth-delegator":
		r.Groups, r.Resources, r.Verbs = []string{"authentication.k8s.io", "authorization.k8s.io"}, []string{"tokenreviews", "subjectaccessreviews"}, []string{"create"}
	case b.role == "extension-apiserver-authentication-reader":
		r.Groups, r.Resources, r.Verbs = []string{""}, []string{"configmaps"}, []string{"get", "list", "watch"}
	default:
		m.bound = append(m.bound, b.role)
		return
	}
	m.Rules = append(m.Rules, r)
}

// Unseen reports whether bindings refer to roles that no manifest has, so that nobody
// can tell what they grant, or a project binds no role at all: it is installed from elsewhere. Names that a template makes are taken for the project's own, and
// so is the first name: the role that controller-gen makes of markers need not be committed.
func (m *Manifests) Unseen() bool {
	unseen := make(map[string]bool)
	for _, role := range m.bound {
		// Those for security context constraints allow the use of these, and nothing else.
		if !m.roles[role] && !strings.Contains(role, "{{") && !strings.HasPrefix(role, "system:openshift:scc:") && role != "system:image-puller" {
			unseen[role] = true
		}
	}
	return len(unseen) > 1 || m.project && !m.binds
}

// named notes that a role is in a manifest.
func (m *Manifests) named(role string) {
	if m.roles == nil {
		m.roles = make(map[string]bool)
	}
	m.roles[role] = true
}

// lenientBindings reads the roles and bindings of a template by their names.
func (m *Manifests) lenientBindings(text string) {
	var kind, role, section string
	inner := -1 // how far what is in the section is indented
	flush := func() {
		switch kind {
		case "Role", "ClusterRole":
			m.named(role)
		case "RoleBinding", "ClusterRoleBinding":
			m.bind(roleBinding{kind: kind, role: role})
		}
		kind, role, section = "", "", ""
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "---") {
			flush()
			continue
		}
		indented := strings.TrimLeft(line, " ")
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(indented, "#") || strings.HasPrefix(indented, "{{") {
			continue
		}
		indent := len(line) - len(indented)
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch {
		case indent == 0 && key == "kind":
			kind = value
		case indent == 0:
			section, inner = key, -1
			continue
		case inner < 0:
			inner = indent
		}
		// The role of a binding is what it refers to; that comes after its own name, or before.
		if key == "name" && indent == inner && (section == "roleRef" || section == "metadata" && role == "" && !strings.HasSuffix(kind, "Binding")) {
			role = value
		}
	}
	flush()
}
