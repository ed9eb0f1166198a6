// Package cached has functions that hand out objects of a cache, and functions
// that write to what they are handed. Each says what, parameter by parameter and
// result by result.
package cached

import (
	"slices"
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/opvet/opvet/testdata/passes/cached/lib"
)

// What is written.

// want node: writes Spec.PodCIDR
func field(node *corev1.Node) { node.Spec.PodCIDR = "" }

// want node: writes Spec.Taints.*.[].Key
func element(node *corev1.Node) { node.Spec.Taints[0].Key = "" }

// want spec: writes Containers.[].Image
func ofValue(spec corev1.PodSpec) {
	spec.NodeName = "own"
	spec.Containers[0].Image = ""
}

// want list: writes
func sorted(list []string) { sort.Strings(list) }

func sortedCopy(list []string) { sort.Strings(slices.Clone(list)) }

// want node: writes Status.Conditions; writes Status.Conditions.*
func sortedConditions(node *widget) {
	meta.SetStatusCondition(&node.Status.Conditions, metav1.Condition{})
}

type widget struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Status struct{ Conditions []metav1.Condition }
}

// want node: writes ObjectMeta.Labels.*
func throughHelper(node *corev1.Node) { lib.Label(node) }

// want s: writes node.*.Spec.PodCIDR
func (s *scope) cordon() { s.node.Spec.PodCIDR = "" }

type scope struct {
	node *corev1.Node
	seen map[string]bool
}

func (s *scope) ownField() { s.seen["a"] = true }

// want node: writes Spec.PodCIDR
func onOneBranch(node *corev1.Node, change bool) {
	if change {
		node.Spec.PodCIDR = ""
	}
}

func copied(node *corev1.Node) {
	node = node.DeepCopy()
	node.Spec.PodCIDR = ""
}

func copiedOnTheBranch(node *corev1.Node, change bool) {
	if change {
		node = node.DeepCopy()
	}
	if change {
		node.Spec.PodCIDR = ""
	}
}

// want obj: writes (*k8s·io/api/core/v1·Node).Spec.PodCIDR
func asserted(obj any) { obj.(*corev1.Node).Spec.PodCIDR = "" }

// want node: writes Spec.PodCIDR
func recursive(node *corev1.Node, n int) {
	if n == 0 {
		node.Spec.PodCIDR = ""
		return
	}
	recursive(node, n-1)
}

// want node: writes Spec.PodCIDR
func inLiteral(node *corev1.Node) {
	defer func() { node.Spec.PodCIDR = "" }()
}

func transform(node *corev1.Node) *corev1.Node { return node.DeepCopy() }

// What is handed out.

// want result 0: node
func same(node *corev1.Node) *corev1.Node { return node }

// want result 0: node at ObjectMeta.Labels.*
func labels(node *corev1.Node) map[string]string { return node.Labels }

// want result 0: cached
func wrapped(lister corelisters.NodeLister) (*corev1.Node, error) { return lib.Get(lister) }

// want result 0: cached behind [].*
func byName(lister corelisters.NodeLister) (map[string]*corev1.Node, error) {
	nodes, err := lib.List(lister)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*corev1.Node)
	for _, node := range nodes {
		found[node.Name] = node
	}
	return found, nil
}

func copies(lister corelisters.NodeLister) ([]*corev1.Node, error) {
	nodes, err := lib.List(lister)
	if err != nil {
		return nil, err
	}
	for i := range nodes {
		nodes[i] = nodes[i].DeepCopy()
	}
	return nodes, nil
}

// want result 0: cached behind node.*
func inStruct(lister corelisters.NodeLister) *scope {
	node, err := lister.Get("a")
	if err != nil {
		return nil
	}
	return &scope{node: node}
}

// want s: gets cached behind node.*
func (s *scope) load(lister corelisters.NodeLister) {
	s.node, _ = lister.Get("a")
}

// want result 0: what get returns
func verified(get func() (*corev1.Node, error)) *corev1.Node {
	node, err := get()
	if err != nil {
		return nil
	}
	return node
}

// want result 0: cached
func verifiedHere(lister corelisters.NodeLister) *corev1.Node {
	return verified(func() (*corev1.Node, error) { return lister.Get("a") })
}

// want visit: called with node
func visited(node *corev1.Node, visit func(*corev1.Node)) { visit(node) }

// want result 0: cached
func live(informer cache.SharedInformer) any {
	obj, _, _ := informer.GetStore().GetByKey("a")
	return obj
}

func own() any {
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	obj, _, _ := store.GetByKey("a")
	return obj
}
