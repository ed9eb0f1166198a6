// Package helpers has cached objects that come out of functions, and go into
// functions that change them.
package helpers

import (
	"context"
	"sort"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"

	"github.com/opvet/opvet/testdata/cachemutation/helpers/lib"
)

type controller struct {
	nodes corelisters.NodeLister
	store *lib.Store
}

// Mistakes.

func (c *controller) fromWrapper(name string) {
	node, err := c.store.NodeRO(name)
	if err != nil {
		return
	}
	node.Spec.PodCIDR = "" // want `^loss: readers get unsaved changes: node\.Spec\.PodCIDR belongs to the informer cache \(c\.store\.NodeRO, line \d+, from lib\.go:\d+\).*cachemutation/lister-object`
}

func (c *controller) fromWrapperOfMany() {
	nodes, err := c.store.ListRO()
	if err != nil {
		return
	}
	for _, node := range nodes {
		node.Spec.PodCIDR = "" // want `^loss: readers get unsaved changes: node\.Spec\.PodCIDR belongs to the informer cache \(c\.store\.ListRO, line \d+, from lib\.go:\d+\).*cachemutation/lister-object`
	}
	nodes["a"].Labels = nil
}

func (c *controller) intoHelper(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	lib.SetLabel(node, "a") // want `^crash: crash if the map is read meanwhile: SetLabel writes to node\.Labels\[key\] \(lib\.go:\d+\) of the informer cache's object from line \d+.*cachemutation/through-helper`
}

func (c *controller) intoDeepHelper(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	c.fail(node) // want `^loss: readers get unsaved changes: fail writes to node\.Status\.Conditions \(line \d+\) of the informer cache's object from line \d+.*cachemutation/through-helper`
}

func (c *controller) fail(node *corev1.Node) { setCondition(node, "Failed") }

// failing hands over a copy: those who hand over another node make a mistake each.
func (c *controller) failing(node *corev1.Node) { c.fail(node.DeepCopy()) }

func setCondition(node *corev1.Node, kind corev1.NodeConditionType) {
	node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: kind})
}

type scope struct {
	node  *corev1.Node
	other *corev1.Node
	all   map[string]*corev1.Node
}

func (s *scope) cordon() { s.node.Spec.Unschedulable = true } // want `loss: .*cordon writes to s\.node\.Spec\.Unschedulable, and 2 places`

func (s *scope) cordonOther() { s.other.Spec.Unschedulable = true }

func (c *controller) intoReceiver(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	s := &scope{node: node}
	s.cordon()
}

func (s *scope) load(c *controller, name string) (err error) {
	s.node, err = c.nodes.Get(name)
	return err
}

func (c *controller) loadedByHelper(name string) {
	s := &scope{}
	if err := s.load(c, name); err != nil {
		return
	}
	s.cordon()
}

func (c *controller) calledBack() {
	c.store.Each(func(node *corev1.Node) {
		node.Labels = nil // want `^loss: readers get unsaved changes: node\.Labels belongs to the informer cache \(c\.store\.Each, line \d+, from lib\.go:\d+\).*cachemutation/lister-object`
	})
	c.store.Each(c.fail) // want `^loss: readers get unsaved changes: fail writes to node\.Status\.Conditions \(line \d+\) of the informer cache's object from line \d+.*cachemutation/through-helper`
}

func (c *controller) verified(name string) {
	obj, err := lib.Verified(func() (runtime.Object, error) { return c.nodes.Get(name) })
	if err != nil {
		return
	}
	obj.(*corev1.Node).Labels = nil // want `cachemutation/lister-object`
}

func (c *controller) methodValue(name string) {
	get, change := c.nodes.Get, c.fail
	node, err := get(name)
	if err != nil {
		return
	}
	change(node) // want `cachemutation/through-helper`
}

func (c *controller) deferredHelper(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	defer c.fail(node) // want `cachemutation/through-helper`
}

func (c *controller) inLiteralInLoop() {
	nodes, _ := c.nodes.List(labels.Everything())
	for _, node := range nodes {
		err := func() error {
			c.fail(node) // want `cachemutation/through-helper`
			return nil
		}()
		_ = err
	}
}

func (c *controller) getterOfPart(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	lib.Labels(node)["a"] = "b" // want `cachemutation/lister-object`
}

func has(list []string, want string) bool {
	if !sort.StringsAreSorted(list) {
		sort.Strings(list)
	}
	i := sort.SearchStrings(list, want)
	return i < len(list) && list[i] == want
}

func (c *controller) sortingPredicate(name string) bool {
	node, err := c.nodes.Get(name)
	if err != nil {
		return false
	}
	return has(node.Spec.PodCIDRs, "a") // want `^hygiene: readers get unsaved changes: has reorders list \(line \d+\) of the informer cache's object from line \d+.*cachemutation/slice-in-place`
}

// forget deletes the label if it is told to.
func forget(node *corev1.Node, really bool) bool {
	if really {
		delete(node.Labels, "a")
	}
	return really
}

func forgetUnless(node *corev1.Node, keep bool) {
	if keep {
		return
	}
	delete(node.Labels, "a")
}

// passesOn hands the switch on.
func passesOn(node *corev1.Node, really bool) bool { return lib.DropLabels(node, really) }

// switchedOff has helpers that are told by a constant not to write.
func (c *controller) switchedOff(name string) bool {
	node, err := c.nodes.Get(name)
	if err != nil {
		return false
	}
	forgetUnless(node, true)
	return forget(node, false) || passesOn(node, false) || lib.DropLabels(node, false)
}

func (c *controller) switchedOn(name string, really bool) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	forget(node, true) // want `crash: crash if the map is read meanwhile: forget deletes from node\.Labels`
}

func (c *controller) switchedOnBehind(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	passesOn(node, true) // want `crash: crash if the map is read meanwhile: passesOn deletes from node\.Labels`
}

func (c *controller) switchedElsewhere(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	lib.DropLabels(node, true) // want `crash: crash if the map is read meanwhile: DropLabels deletes from node\.Labels`
}

func (c *controller) perhaps(name string, really bool) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	forgetUnless(node, really) // want `crash: crash if the map is read meanwhile: forgetUnless deletes from node\.Labels`
}

func ensure(node *corev1.Node) *corev1.Node {
	if node.Labels == nil {
		node = node.DeepCopy()
		node.Labels = map[string]string{}
	}
	return node
}

func (c *controller) lazilyCopied(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	ensure(node).Labels["a"] = "b" // want `cachemutation/lister-object`
}

// Right.

func (c *controller) copyingWrapper(name string) {
	node, err := c.store.Node(name)
	if err != nil {
		return
	}
	node.Labels["a"] = "b"
	nodes, err := c.store.List()
	if err != nil {
		return
	}
	for _, node := range nodes {
		node.Labels["a"] = "b"
	}
}

func (c *controller) copyingHelper(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	lib.WithLabel(node, "a").Labels["b"] = "c"
	lib.SetLabel(node.DeepCopy(), "a")
	_ = read(node, &node.Spec.PodCIDR)
}

func read(node *corev1.Node, cidr *string) string { return node.Name + *cidr }

func (c *controller) otherField(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	s := &scope{node: node, other: &corev1.Node{}, all: map[string]*corev1.Node{}}
	s.cordonOther()
	s.all["a"] = node
}

func (c *controller) fieldReplaced(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	s := &scope{node: node}
	s.node = s.node.DeepCopy()
	s.cordon()
}

func (s scope) cordonByValue()      { s.node.Spec.Unschedulable = true }
func (s scope) cordonOtherByValue() { s.other.Spec.Unschedulable = true }

func (c *controller) otherFieldByValue(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	s := scope{node: node, other: &corev1.Node{}}
	s.cordonOtherByValue()
	s.cordonByValue() // want `^loss: readers get unsaved changes: cordonByValue writes to s\.node\.Spec\.Unschedulable \(line \d+\) of the informer cache's object from line \d+.*cachemutation/through-helper`
}

func (c *controller) elementsReplaced() {
	nodes, _ := c.nodes.List(labels.Everything())
	for i := range nodes {
		nodes[i] = nodes[i].DeepCopy()
	}
	for _, node := range nodes {
		c.fail(node)
	}
}

// visit is called with copies here and with cached objects there, by different
// functions.
func visit(node *corev1.Node, f func(*corev1.Node)) { f(node) }

func (c *controller) visitors(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	visit(node, func(node *corev1.Node) { _ = node.Name })
	visit(node.DeepCopy(), c.fail)
}

func (c *controller) retried(ctx context.Context, client kubernetes.Interface, name string) {
	read := retry(func() (*corev1.Node, error) { return c.nodes.Get(name) })
	_ = read.Name
	fresh := retry(func() (*corev1.Node, error) { return client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{}) })
	fresh.Labels = nil
}

func retry(get func() (*corev1.Node, error)) *corev1.Node {
	for {
		if node, err := get(); err == nil {
			return node
		}
	}
}

func byValue(node corev1.Node) { node.Name = "own" }

func (c *controller) ownScalarsOfParameter(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	byValue(*node)
}

func (c *controller) copiedByCaller() {
	c.store.Each(func(node *corev1.Node) { c.fail(node.DeepCopy()) })
}

// copying has the methods of a generated lister, and copies.
type copying struct{ corelisters.NodeLister }

func (l copying) Get(name string) (*corev1.Node, error) {
	node, err := l.NodeLister.Get(name)
	if err != nil {
		return nil, err
	}
	return node.DeepCopy(), nil
}

func fromCopyingLister(l copying) {
	node, err := l.Get("a")
	if err != nil {
		return
	}
	node.Labels["a"] = "b"
}

// nodeGetter is implemented elsewhere, with copies perhaps.
type nodeGetter interface {
	Get(name string) (*corev1.Node, error)
	List(labels.Selector) ([]*corev1.Node, error)
}

func fromInterface(getter nodeGetter) {
	node, err := getter.Get("a")
	if err != nil {
		return
	}
	node.Labels["a"] = "b"
}

func (c *controller) get(name string, forWriting bool) (*corev1.Node, error) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return nil, err
	}
	if forWriting {
		return node.DeepCopy(), nil
	}
	return node, nil
}

func (c *controller) askedForCopy(name string) {
	node, err := c.get(name, true)
	if err != nil {
		return
	}
	node.Labels = nil
}

// copied hands out a copy, unless there is nothing to copy.
func (c *controller) copied(name string) (*corev1.Node, error) {
	node, err := c.nodes.Get(name)
	if err == nil && node != nil {
		return node.DeepCopy(), nil
	}
	return node, err
}

func (c *controller) changesCopied(name string) {
	node, err := c.copied(name)
	if err != nil {
		return
	}
	node.Labels["a"] = "b"
}

// copiedUnlessOld hands out what is in the cache where it is old.
func (c *controller) copiedUnlessOld(name string) (*corev1.Node, error) {
	node, err := c.nodes.Get(name)
	if err == nil && node != nil && node.Generation > 1 {
		return node.DeepCopy(), nil
	}
	return node, err
}

func (c *controller) changesCopiedUnlessOld(name string) {
	node, err := c.copiedUnlessOld(name)
	if err != nil {
		return
	}
	node.Labels["a"] = "b" // want `cachemutation/lister-object`
}

func (c *controller) changesWhatIsThere(name string, create bool) {
	node, err := c.nodes.Get(name)
	if create {
		node = nil
	}
	if node != nil {
		node = node.DeepCopy()
	}
	if err == nil {
		setLabel(node)
	}
}

func setLabel(node *corev1.Node) {
	if node != nil {
		node.Labels["a"] = "b"
	}
}
