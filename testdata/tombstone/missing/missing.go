// Package missing has workers that do nothing for an object that is gone: what is
// lost is only a look that finds nothing.
package missing

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

type controller struct {
	informer cache.SharedIndexInformer
	lister   listers.PodLister
	queue    workqueue.TypedRateLimitingInterface[string]
	known    map[string]bool
}

func (c *controller) register() {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: c.enqueue, DeleteFunc: c.enqueue})
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.enqueuePod})
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.enqueueNode})
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.forget})
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.enqueueOwners})
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.ownersAndMore})
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.byFunction})
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.handsOn})
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.handsOnItsNode})
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.handsOnAndForgets})
}

// worker is a queue that a project has wrapped, together with who works it off.
type worker interface {
	Enqueue(obj runtime.Object)
	Run(workers int, stop <-chan struct{})
}

// upward is one that takes keys.
type upward interface {
	AddToQueue(key string)
	Start(stop <-chan struct{}) error
}

type wrapped struct {
	informer cache.SharedIndexInformer
	worker   worker
	upward   upward
	known    map[string]bool
}

func (w *wrapped) register() {
	w.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: w.enqueue})
	w.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: w.enqueueAndForget})
	w.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: w.enqueueKey})
	w.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: w.enqueueNode})
	isPod := func(obj any) bool {
		_, ok := obj.(*corev1.Pod) // want `hygiene: a missed deletion never reaches DeleteFunc.*tombstone/dropped`
		return ok
	}
	w.informer.AddEventHandler(cache.FilteringResourceEventHandler{FilterFunc: isPod, Handler: cache.ResourceEventHandlerFuncs{DeleteFunc: w.onDelete}})
}

func (w *wrapped) onDelete(obj any) { w.onAdd(obj) }

func (w *wrapped) onAdd(obj any) {
	if o, ok := obj.(runtime.Object); ok {
		w.worker.Enqueue(o)
	}
}

func (w *wrapped) enqueue(obj any) {
	o, ok := obj.(runtime.Object) // want `hygiene: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	w.worker.Enqueue(o)
}

func (w *wrapped) enqueueKey(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `hygiene: a missed deletion is lost: .*tombstone/dropped`
	if !ok || metav1.GetControllerOf(pod) == nil {
		return
	}
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		return
	}
	w.upward.AddToQueue(key)
}

// enqueueNode enqueues another object.
func (w *wrapped) enqueueNode(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `loss: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	w.upward.AddToQueue(pod.Spec.NodeName)
}

func (w *wrapped) enqueueAndForget(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `loss: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	delete(w.known, pod.Name)
	w.worker.Enqueue(pod)
}

// filtered has filters that refuse tombstones.
func (c *controller) filtered() {
	isPod := func(obj any) bool {
		_, ok := obj.(*corev1.Pod) // want `hygiene: a missed deletion never reaches DeleteFunc.*tombstone/dropped`
		return ok
	}
	c.informer.AddEventHandler(cache.FilteringResourceEventHandler{FilterFunc: isPod, Handler: cache.ResourceEventHandlerFuncs{DeleteFunc: c.enqueueKey}})
	isAny := func(obj any) bool {
		_, ok := obj.(*corev1.Pod) // want `loss: a missed deletion never reaches DeleteFunc.*tombstone/dropped`
		return ok
	}
	c.informer.AddEventHandler(cache.FilteringResourceEventHandler{FilterFunc: isAny, Handler: cache.ResourceEventHandlerFuncs{DeleteFunc: c.forgetKey}})
}

func (c *controller) enqueueKey(obj any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
		c.queue.Add(key)
	}
}

func (c *controller) forgetKey(obj any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
		delete(c.known, key)
		c.queue.Add(key)
	}
}

func (c *controller) enqueue(obj any) {
	key, err := cache.MetaNamespaceKeyFunc(obj) // want `hygiene: a missed deletion is lost: .*tombstone/raw-key`
	if err != nil {
		utilruntime.HandleError(err)
		return
	}
	c.queue.Add(key)
}

func (c *controller) enqueuePod(obj any) {
	if pod, ok := obj.(*corev1.Pod); ok { // want `hygiene: a missed deletion is lost: .*tombstone/dropped`
		key, err := cache.MetaNamespaceKeyFunc(pod)
		if err != nil {
			return
		}
		c.queue.Add(key)
	}
}

// enqueueNode has the worker look at another object, which is still there.
func (c *controller) enqueueNode(obj any) {
	if pod, ok := obj.(*corev1.Pod); ok { // want `hygiene: a missed deletion is lost: .*tombstone/dropped`
		c.queue.Add(pod.Namespace + "/" + pod.Spec.NodeName)
	}
}

// forget has more to do than to queue the key.
func (c *controller) forget(obj any) {
	key, err := cache.MetaNamespaceKeyFunc(obj) // want `loss: a missed deletion is lost: .*tombstone/raw-key`
	if err != nil {
		return
	}
	delete(c.known, key)
	c.queue.Add(key)
}

// enqueueOwners wakes the owners, which have resyncs of their own.
func (c *controller) enqueueOwners(obj any) {
	if pod, ok := obj.(*corev1.Pod); ok { // want `hygiene: a missed deletion is lost: .*tombstone/dropped`
		for _, owner := range pod.OwnerReferences {
			c.queue.Add(pod.Namespace + "/" + owner.Name)
		}
	}
}

// ownersAndMore also forgets the object.
func (c *controller) ownersAndMore(obj any) {
	if pod, ok := obj.(*corev1.Pod); ok { // want `loss: a missed deletion is lost: .*tombstone/dropped`
		delete(c.known, pod.Name)
		for _, owner := range pod.OwnerReferences {
			c.queue.Add(pod.Namespace + "/" + owner.Name)
		}
	}
}

// byFunction has a helper queue the owners.
func (c *controller) byFunction(obj any) {
	if pod, ok := obj.(*corev1.Pod); ok { // want `hygiene: a missed deletion is lost: .*tombstone/dropped`
		eachOwner(pod, func(name string) { c.queue.Add(pod.Namespace + "/" + name) })
	}
}

func eachOwner(pod *corev1.Pod, enqueue func(string)) {
	for _, owner := range pod.OwnerReferences {
		enqueue(owner.Name)
	}
}

// handsOn has another function queue the key.
func (c *controller) handsOn(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `hygiene: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		klog.Errorf("unexpected %T", obj)
		return
	}
	klog.V(4).Infof("%s is deleted", pod.Name)
	c.add(obj)
}

func (c *controller) add(obj any) {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		utilruntime.HandleError(err)
		return
	}
	c.queue.Add(key)
}

// handsOnItsNode has another function queue another key.
func (c *controller) handsOnItsNode(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `hygiene: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	c.addNode(pod)
}

func (c *controller) addNode(pod *corev1.Pod) { c.queue.Add(pod.Namespace + "/" + pod.Spec.NodeName) }

// handsOnAndForgets does more.
func (c *controller) handsOnAndForgets(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `loss: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	delete(c.known, pod.Name)
	c.add(pod)
}

func (c *controller) run(ctx context.Context) {
	for c.next(ctx) {
	}
}

func (c *controller) next(ctx context.Context) bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(ctx, key); err != nil {
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	return true
}

var now = time.Now

func (c *controller) sync(_ context.Context, key string) error {
	start := now()
	defer func() { klog.Infof("synced %s in %v", key, time.Since(start)) }()
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	pod, err := c.lister.Pods(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		klog.Infof("%s is gone", key)
		return nil
	}
	if err != nil {
		return err
	}
	c.known[pod.Name] = true
	return nil
}
