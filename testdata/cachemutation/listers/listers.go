// Package listers has objects that listers returned.
package listers

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/dynamiclister"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

type controller struct {
	client      kubernetes.Interface
	pods        corelisters.PodLister
	nodes       corelisters.NodeLister
	services    corelisters.ServiceLister
	deployments appslisters.DeploymentLister
	widgets     cache.GenericLister
	dynamic     dynamiclister.Lister
}

// Mistakes.

func (c *controller) field(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil || node.Spec.Unschedulable {
		return err
	}
	node.Spec.Unschedulable = true // want `^loss: if Update fails, the changed node\.Spec\.Unschedulable stays though it was not stored: it is in the informer cache \(c\.nodes\.Get, line \d+\).*cachemutation/lister-object`
	_, err = c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

func (c *controller) nested(name string) {
	deployment, err := c.deployments.Deployments("ns").Get(name)
	if err != nil {
		return
	}
	deployment.Spec.Template.Spec.Containers[0].Image = "new" // want `^loss: readers get unsaved changes: deployment\.Spec\.Template\.Spec\.Containers\[0\]\.Image belongs to the informer cache \(c\.deployments\.Get, line \d+\).*cachemutation/lister-object`
}

func (c *controller) multiValue(name string) (err error) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return err
	}
	node.Spec.PodCIDR, err = allocate() // want `^loss: readers get unsaved changes: node\.Spec\.PodCIDR belongs to the informer cache \(c\.nodes\.Get, line \d+\).*cachemutation/lister-object`
	return err
}

func allocate() (string, error) { return "10.0.0.0/24", nil }

func (c *controller) inIfStatement(name string) error {
	var node *corev1.Node
	var err error
	if node, err = c.nodes.Get(name); err != nil {
		return err
	}
	node.Spec.PodCIDR = "" // want `cachemutation/lister-object`
	return nil
}

func (c *controller) nilMap(name string) {
	service, err := c.services.Services("ns").Get(name)
	if err != nil {
		return
	}
	if service.Spec.Selector == nil {
		service.Spec.Selector = make(map[string]string) // want `^crash: crash if the map is read meanwhile: service\.Spec\.Selector\["app"\] \(line \d+\) belongs to the informer cache \(c\.services\.Get, line \d+\).*cachemutation/lister-object`
	}
	service.Spec.Selector["app"] = name
}

func (c *controller) mapOfListedObjects() {
	nodes, err := c.nodes.List(labels.Everything())
	if err != nil {
		return
	}
	for _, node := range nodes {
		node.Annotations["seen"] = "true" // want `^crash: crash if the map is read meanwhile: node\.Annotations\["seen"\] belongs to the informer cache \(c\.nodes\.List, line \d+\).*cachemutation/lister-object`
	}
}

func (c *controller) elementByIndex() {
	nodes, _ := c.nodes.List(labels.Everything())
	for i := range nodes {
		nodes[i].Spec.Unschedulable = false // want `cachemutation/lister-object`
	}
}

func (c *controller) deletes(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	delete(node.Labels, "old") // want `^crash: crash if the map is read meanwhile: node\.Labels belongs to the informer cache \(c\.nodes\.Get, line \d+\).*cachemutation/lister-object`
}

func (c *controller) throughGetter(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	pod.GetLabels()["a"] = "b" // want `cachemutation/lister-object`
}

func (c *controller) setter(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	pod.SetLabels(map[string]string{"a": "b"}) // want `^loss: readers get unsaved changes: pod belongs to the informer cache \(c\.pods\.Get, line \d+\).*cachemutation/lister-object`
}

func (c *controller) condition(name string, set metav1.Condition) {
	list, err := c.widgets.ByNamespace("ns").Get(name)
	if err != nil {
		return
	}
	widget := list.(*widget)
	meta.SetStatusCondition(&widget.Status.Conditions, set) // want `^loss: readers get unsaved changes: &widget\.Status\.Conditions belongs to the informer cache \(c\.widgets\.Get, line \d+\).*cachemutation/lister-object`
}

type widget struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Status struct{ Conditions []metav1.Condition }
}

func (w *widget) DeepCopyObject() runtime.Object { return w }

func (c *controller) foundCondition(name string) {
	obj, err := c.widgets.Get(name)
	if err != nil {
		return
	}
	if found := meta.FindStatusCondition(obj.(*widget).Status.Conditions, "Ready"); found != nil {
		found.Status = metav1.ConditionTrue // want `cachemutation/lister-object`
	}
}

func (c *controller) finalizer(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	controllerutil.AddFinalizer(pod, "example.com/x") // want `^loss: readers get unsaved changes: pod belongs to the informer cache \(c\.pods\.Get, line \d+\).*cachemutation/lister-object`
}

func (c *controller) kind(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	pod.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // want `cachemutation/lister-object`
}

func (c *controller) accessor(name string) {
	obj, err := c.widgets.Get(name)
	if err != nil {
		return
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return
	}
	m.SetResourceVersion("") // want `cachemutation/lister-object`
}

func (c *controller) unstructuredContent(name string) {
	u, err := c.dynamic.Get(name)
	if err != nil {
		return
	}
	_ = unstructured.SetNestedField(u.Object, "x", "spec", "a") // want `^crash: crash if the map is read meanwhile: u\.Object belongs to the informer cache \(c\.dynamic\.Get, line \d+\).*cachemutation/lister-object`
}

func (c *controller) nestedNoCopy(name string) {
	u, err := c.dynamic.Get(name)
	if err != nil {
		return
	}
	spec, found, err := unstructured.NestedFieldNoCopy(u.Object, "spec")
	if !found || err != nil {
		return
	}
	spec.(map[string]any)["a"] = "b" // want `cachemutation/lister-object`
}

func (c *controller) wrongSideCopied(ctx context.Context, name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	old := pod.DeepCopy()
	defer func() {
		if old.Spec.NodeName != pod.Spec.NodeName {
			_, _ = c.client.CoreV1().Pods("ns").Update(ctx, pod, metav1.UpdateOptions{})
		}
	}()
	pod.Spec.NodeName = "" // want `cachemutation/lister-object`
}

func (c *controller) inDeferredLiteral(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	defer func() {
		pod.Status.Phase = corev1.PodFailed // want `cachemutation/lister-object`
	}()
}

func (c *controller) inGoroutine(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	go func() {
		pod.Status.Phase = corev1.PodFailed // want `cachemutation/lister-object`
	}()
}

func (c *controller) pointerInMap(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	if security := pod.Spec.SecurityContext; security != nil {
		security.RunAsUser = nil // want `^loss: readers get unsaved changes: security\.RunAsUser belongs to the informer cache \(c\.pods\.Get, line \d+\).*cachemutation/lister-object`
	}
}

func (c *controller) collected() {
	byName := make(map[string]*corev1.Pod)
	pods, _ := c.pods.List(labels.Everything())
	for _, pod := range pods {
		byName[pod.Name] = pod
	}
	if pod, ok := byName["a"]; ok {
		pod.Labels = nil // want `cachemutation/lister-object`
	}
}

func (c *controller) appendedTo(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{}) // want `cachemutation/lister-object`
}

// Right.

func (c *controller) copied(ctx context.Context, name string) error {
	cached, err := c.nodes.Get(name)
	if err != nil {
		return err
	}
	node := cached.DeepCopy()
	node.Labels["a"] = "b"
	node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{})
	_, err = c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

func (c *controller) copiedInto(name string) {
	cached, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	var node corev1.Node
	cached.DeepCopyInto(&node)
	node.Labels["a"] = "b"
}

func (c *controller) loopVariableCopied() {
	nodes, _ := c.nodes.List(labels.Everything())
	for _, node := range nodes {
		node = node.DeepCopy()
		node.Labels["a"] = "b"
	}
}

func (c *controller) elementReplaced() {
	nodes, _ := c.nodes.List(labels.Everything())
	for i := range nodes {
		nodes[i] = nodes[i].DeepCopy()
	}
	nodes[0], nodes[1] = nodes[1], nodes[0]
}

func (c *controller) readByClientset(ctx context.Context, name string) error {
	node, err := c.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	node.Labels["a"] = "b"
	return nil
}

func (c *controller) fromServerIfMissing(ctx context.Context, name string) {
	_, err := c.nodes.Get(name)
	if apierrors.IsNotFound(err) {
		node, err := c.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err == nil {
			node.Labels["a"] = "b"
		}
	}
}

func (c *controller) copiedDeepInside(name string) {
	u, err := c.dynamic.Get(name)
	if err != nil {
		return
	}
	spec, _, _ := unstructured.NestedMap(u.Object, "spec")
	spec["a"] = "b"
	u.GetLabels()["a"] = "b" // an Unstructured's getters copy
}

func (c *controller) listOfOwn() {
	nodes, _ := c.nodes.List(labels.Everything())
	names := make([]string, 0, len(nodes))
	for _, node := range nodes {
		names = append(names, node.Name)
	}
	names[0] = "a"
	taints := append([]corev1.Taint(nil), nodes[0].Spec.Taints...)
	taints[0].Key = "a"
}

func (c *controller) labelsOfOwn(name string) *corev1.Pod {
	service, err := c.services.Services("ns").Get(name)
	if err != nil {
		return nil
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: service.Spec.Selector}}
	pod.Name = "a"
	pod.Spec.NodeName = "b"
	pod.Annotations = map[string]string{}
	pod.Annotations["a"] = "b"
	return pod
}

func (c *controller) quantity(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	total := pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU]
	total.Add(pod.Spec.Containers[0].Resources.Limits[corev1.ResourceCPU])
}

func (c *controller) readsOnly(name string) string {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return ""
	}
	n := 0
	for range pod.Spec.Containers {
		n++
	}
	phase := pod.Status.Phase
	phase = "x" + phase
	pod, other := other(pod), pod
	_ = other
	return string(phase)
}

func other(*appsOrPod) *appsOrPod { return nil }

type appsOrPod = corev1.Pod

var _ = appsv1.Deployment{}
