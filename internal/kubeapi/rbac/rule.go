package rbac

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Rule grants verbs on resources, as one entry of a role does.
type Rule struct {
	Groups, Resources, Names, URLs, Verbs []string
	// Namespace is that of the role; empty for a ClusterRole.
	Namespace string
	// Namespaced tells that the rule is one of a Role, whatever the namespace.
	Namespaced bool
	Role       string
}

// Grants reports whether a rule grants a verb on a resource; resource may be one
// with a subresource, such as pods/log.
func (r *Rule) Grants(group, resource, verb string) bool {
	return r.Covers(group, resource) && has(r.Verbs, verb)
}

// Covers reports whether a rule is about a resource.
func (r *Rule) Covers(group, resource string) bool {
	if !has(r.Groups, group) && !(group == "" && slices.Contains(r.Groups, "core")) {
		return false
	}
	if has(r.Resources, resource) {
		return true
	}
	_, sub, isSub := strings.Cut(resource, "/")
	return isSub && slices.Contains(r.Resources, "*/"+sub)
}

// Has reports whether a list of a rule has a value, or the wildcard.
func has(list []string, value string) bool {
	return slices.Contains(list, value) || slices.Contains(list, "*")
}

// Wildcard reports whether the rule grants whatever there is of something.
func (r *Rule) Wildcard() bool {
	return len(r.URLs) == 0 && (slices.Contains(r.Groups, "*") || slices.Contains(r.Resources, "*") || slices.Contains(r.Verbs, "*"))
}

// Marker writes a rule as a marker.
func (r *Rule) Marker() string {
	groups := slices.Clone(r.Groups)
	for i, group := range groups {
		if group == "" {
			groups[i] = `""`
		}
	}
	return fmt.Sprintf("// +kubebuilder:rbac:groups=%s,resources=%s,verbs=%s", strings.Join(groups, ";"), strings.Join(r.Resources, ";"), strings.Join(r.Verbs, ";"))
}

// Permission is one verb on one resource.
type Permission struct {
	Group    string
	Resource string
	Sub      string // the subresource, or empty
	Verb     string
}

// IsQuestion tells of a resource that the API server answers and does not store, such
// as tokenreviews: it can be created, and nothing else.
func (p Permission) IsQuestion() bool {
	return (p.Group == "authentication.k8s.io" || p.Group == "authorization.k8s.io") && strings.HasSuffix(p.Resource, "reviews")
}

// IsEveryones tells of what every authenticated user may do: to ask about itself, by Kubernetes'
// role system:basic-user, and to read the extensions of OpenShift's console, by that
// console's role console-extensions-reader.
func (p Permission) IsEveryones() bool {
	switch {
	case p.IsQuestion():
		return p.Verb == "create" && strings.HasPrefix(p.Resource, "selfsubject")
	case p.Group == "console.openshift.io":
		return p.Sub == "" && (p.Verb == "get" || p.Verb == "list" || p.Verb == "watch")
	}
	return false
}

// PermissionOn is a permission, without a verb, on a resource as roles name it, such as
// pods/log.
func PermissionOn(group, target string) Permission {
	resource, sub, _ := strings.Cut(target, "/")
	return Permission{Group: group, Resource: resource, Sub: sub}
}

// Target is the resource as roles name it, such as pods/log.
func (p Permission) Target() string {
	if p.Sub != "" {
		return p.Resource + "/" + p.Sub
	}
	return p.Resource
}

// Qualified is the resource with its group, such as deployments.apps.
func (p Permission) Qualified() string {
	if p.Group == "" {
		return p.Target()
	}
	return p.Resource + "." + p.Group + strings.TrimPrefix(p.Target(), p.Resource)
}

// Compare orders permissions by group, resource, subresource and verb.
func (p Permission) Compare(o Permission) int {
	return cmp.Or(strings.Compare(p.Group, o.Group), strings.Compare(p.Resource, o.Resource), strings.Compare(p.Sub, o.Sub), CompareVerbs(p.Verb, o.Verb))
}

// order is that in which people write verbs.
var order = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}

// CompareVerbs orders verbs as people write them.
func CompareVerbs(a, b string) int {
	i, j := slices.Index(order, a), slices.Index(order, b)
	switch {
	case i >= 0 && j >= 0:
		return i - j
	case i >= 0:
		return -1
	case j >= 0:
		return 1
	}
	return strings.Compare(a, b)
}

// RulesOf makes as few rules of permissions as can be read: resources of one group
// with the same verbs are one.
func RulesOf(permissions []Permission) []Rule {
	verbs := make(map[[2]string][]string) // group, target
	for _, p := range permissions {
		key := [2]string{p.Group, p.Target()}
		if !slices.Contains(verbs[key], p.Verb) {
			verbs[key] = append(verbs[key], p.Verb)
		}
	}
	joined := make(map[[2]string][]string) // group, verbs -> resources
	for key, list := range verbs {
		slices.SortFunc(list, CompareVerbs)
		with := [2]string{key[0], strings.Join(list, ";")}
		joined[with] = append(joined[with], key[1])
	}
	var rules []Rule
	for key, resources := range joined {
		slices.Sort(resources)
		rules = append(rules, Rule{Groups: []string{key[0]}, Resources: resources, Verbs: strings.Split(key[1], ";")})
	}
	slices.SortFunc(rules, func(a, b Rule) int {
		return cmp.Or(strings.Compare(a.Groups[0], b.Groups[0]), strings.Compare(a.Resources[0], b.Resources[0]), slices.Compare(a.Verbs, b.Verbs))
	})
	return rules
}
