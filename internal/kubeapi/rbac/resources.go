package rbac

import (
	_ "embed"
	"strings"
	"sync"
)

// Resource is a resource that Kubernetes serves.
type Resource struct {
	Group, Name, Kind string
	ClusterScoped     bool
	// Verbs are those of the resource itself, Sub those of its subresources.
	Verbs []string
	Sub   map[string][]string
}

//go:embed resources.txt
var discovered string

// others are resources that Kubernetes' discovery data does not have: those of its
// other projects whose names cannot be guessed, and those that it had once.
const others = `
metrics.k8s.io pods PodMetrics Namespaced get,list
metrics.k8s.io nodes NodeMetrics Cluster get,list
policy podsecuritypolicies PodSecurityPolicy Cluster create,delete,deletecollection,get,list,patch,update,watch
extensions deployments Deployment Namespaced create,delete,deletecollection,get,list,patch,update,watch status=get,patch,update scale=get,patch,update
extensions daemonsets DaemonSet Namespaced create,delete,deletecollection,get,list,patch,update,watch status=get,patch,update
extensions replicasets ReplicaSet Namespaced create,delete,deletecollection,get,list,patch,update,watch status=get,patch,update
extensions ingresses Ingress Namespaced create,delete,deletecollection,get,list,patch,update,watch status=get,patch,update
`

type groupKind struct{ group, kind string }

var known = sync.OnceValue(func() map[groupKind]Resource {
	table := make(map[groupKind]Resource)
	for line := range strings.Lines(discovered + others) {
		fields := strings.Fields(line)
		if len(fields) < 5 || fields[0] == "#" {
			continue
		}
		r := Resource{Group: fields[0], Name: fields[1], Kind: fields[2], ClusterScoped: fields[3] == "Cluster", Verbs: strings.Split(fields[4], ",")}
		if r.Group == "core" {
			r.Group = ""
		}
		for _, field := range fields[5:] {
			name, verbs, _ := strings.Cut(field, "=")
			if r.Sub == nil {
				r.Sub = make(map[string][]string)
			}
			r.Sub[name] = strings.Split(verbs, ",")
		}
		table[groupKind{r.Group, r.Kind}] = r
	}
	return table
})

// Known returns the resource by which Kubernetes itself serves a kind.
func Known(group, kind string) (Resource, bool) {
	r, ok := known()[groupKind{group, kind}]
	return r, ok
}

// groupsOfPaths are the groups of those packages of k8s.io/api whose name is not
// the first part of the group's.
var groupsOfPaths = map[string]string{"core": "", "apiserverinternal": "internal.apiserver.k8s.io", "extensions": "extensions"}

var groupNames = sync.OnceValue(func() map[string]string {
	names := make(map[string]string)
	for key := range known() {
		first, _, _ := strings.Cut(key.group, ".")
		names[first] = key.group
	}
	names["metrics"] = "metrics.k8s.io"
	for path, group := range groupsOfPaths {
		names[path] = group
	}
	return names
})

// GroupOfPackage returns the group of the kinds that a package of Kubernetes' own
// API declares, such as k8s.io/api/apps/v1.
func GroupOfPackage(path string) (group string, ok bool) {
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		path = path[i+len("/vendor/"):]
	}
	for _, prefix := range []string{"k8s.io/api/", "k8s.io/client-go/kubernetes/typed/", "k8s.io/apiextensions-apiserver/pkg/apis/", "k8s.io/kube-aggregator/pkg/apis/", "k8s.io/metrics/pkg/apis/"} {
		rest, found := strings.CutPrefix(path, prefix)
		if !found {
			continue
		}
		first, _, _ := strings.Cut(rest, "/")
		group, ok = groupNames()[first]
		return group, ok
	}
	return "", false
}

// Guess names the resource of a kind as controller-gen does where nobody has
// said another name; kinds that are in the plural already, such as OpenShift's
// SecurityContextConstraints, keep theirs.
func Guess(kind string) string {
	name := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(name, "endpoints"), strings.HasSuffix(name, "constraints"):
		return name
	case strings.HasSuffix(name, "s"):
		return name + "es"
	case strings.HasSuffix(name, "y") && !strings.HasSuffix(name, "ay") && !strings.HasSuffix(name, "ey"):
		return name[:len(name)-1] + "ies"
	}
	return name + "s"
}

// Resembles reports whether a resource may be the one whose name was guessed: both begin alike. Hyphens,
// which some put between the words of a kind, do not count.
func Resembles(guessed, resource string) bool {
	const alike = 4
	resource = strings.ReplaceAll(resource, "-", "")
	return len(resource) >= alike && len(guessed) >= alike && resource[:alike] == guessed[:alike]
}
