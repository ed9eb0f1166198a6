// Package right keeps what it may.
package right

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
)

type controller struct {
	pods corelisters.PodLister

	seen     map[string]*corev1.Pod
	synced   sync.Map
	reset    map[string]*corev1.Pod
	versions map[string]string
	copies   map[string]*corev1.Pod
	lent     map[string]*corev1.Pod
	byNode   map[string]map[string]*corev1.Pod
	named    map[string]*corev1.Pod
	state    state
	index    *index
	events   chan *corev1.Pod
	store    cache.Store
	queue    workqueue.TypedInterface[*corev1.Pod]
	other    interface{ Keep(pod *corev1.Pod) }

	Shared map[string]*corev1.Pod
}

type state struct{ pods map[string]*corev1.Pod }

func (c *controller) register(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			pod, ok := obj.(*corev1.Pod)
			if !ok {
				return
			}
			c.seen[pod.Name] = pod
			c.synced.Store(pod.Name, pod)
			c.reset[pod.Name] = pod
			c.versions[pod.Name] = pod.ResourceVersion
			c.copies[pod.Name] = pod.DeepCopy()
			c.lent[pod.Name] = pod
			if c.byNode[pod.Spec.NodeName] == nil {
				c.byNode[pod.Spec.NodeName] = map[string]*corev1.Pod{}
			}
			c.byNode[pod.Spec.NodeName][pod.Name] = pod
			c.named["latest"] = pod
			c.state.pods[pod.Name] = pod
			c.index.pods[pod.Name] = pod
			c.events <- pod
			c.queue.Add(pod)
			c.other.Keep(pod)
			_ = c.store.Add(pod)
		},
		DeleteFunc: func(obj any) {
			key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
			if err != nil {
				return
			}
			delete(c.seen, key)
			c.synced.Delete(key)
			for _, pods := range c.byNode {
				delete(pods, key)
			}
		},
	})
}

// Once in a while everything is forgotten.
func (c *controller) forget() {
	c.reset = make(map[string]*corev1.Pod)
	c.state = state{pods: make(map[string]*corev1.Pod)}
	c.index = &index{pods: make(map[string]*corev1.Pod)}
}

type index struct{ pods map[string]*corev1.Pod }

// Who gets the map may take from it.
func (c *controller) Lend() map[string]*corev1.Pod { return c.lent }

// Other packages see the map.
type Open struct{ Pods map[string]*corev1.Pod }

func (o *Open) register(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { o.Pods[obj.(*corev1.Pod).Name] = obj.(*corev1.Pod) },
	})
}

// A map of one reconcile.
func (c *controller) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	pods, err := c.pods.Pods(req.Namespace).List(nil)
	byUID := make(map[types.UID]*corev1.Pod, len(pods))
	visit := func(pod *corev1.Pod) { byUID[pod.UID] = pod }
	for _, pod := range pods {
		visit(pod)
	}
	return ctrl.Result{}, err
}

// What was read with a client is a copy of its own, and the program's.
type client interface {
	Get(ctx context.Context, name string) (*corev1.Pod, error)
}

type reader struct {
	client client
	pods   map[string]*corev1.Pod
}

func (r *reader) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	pod, err := r.client.Get(ctx, req.Name)
	if err == nil {
		r.pods[req.Name] = pod
	}
	return ctrl.Result{}, err
}

// A session that is made for each item.
type session struct{ pods map[string]*corev1.Pod }

func (s *session) keep(pod *corev1.Pod) { s.pods[pod.Name] = pod }

type opener struct{ pods corelisters.PodLister }

func (o *opener) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	s := &session{pods: map[string]*corev1.Pod{}}
	pod, err := o.pods.Pods(req.Namespace).Get(req.Name)
	if err == nil {
		s.keep(pod)
	}
	return ctrl.Result{}, err
}
