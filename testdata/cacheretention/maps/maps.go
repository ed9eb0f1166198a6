// Package maps keeps cached objects in maps.
package maps

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// A handler puts every pod into a map.
type watcher struct {
	mu   sync.Mutex
	seen map[string]*corev1.Pod
}

func watch(informer cache.SharedIndexInformer) *watcher {
	w := &watcher{seen: make(map[string]*corev1.Pod)}
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: w.onAdd})
	return w
}

func (w *watcher) onAdd(obj any) {
	pod := obj.(*corev1.Pod)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[pod.Namespace+"/"+pod.Name] = pod // want `^leak: memory leak: w\.seen keeps obj of AddFunc, and nothing in the package takes it out.*cacheretention/never-deleted`
}

// A package-level variable, and the UID as the key: no entry is ever written
// again.
var nodes = map[types.UID]corev1.NodeSpec{}

func register(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, obj any) {
			if node, ok := obj.(*corev1.Node); ok {
				nodes[node.UID] = node.Spec // want `^leak: memory leak: nodes keeps obj of UpdateFunc, and nothing in the package takes it out.*cacheretention/never-deleted`
			}
		},
	})
}

// The object is in a struct, and the map in a struct of its own.
type entry struct {
	pod   *corev1.Pod
	count int
}

type podCache struct{ entries map[string]*entry }

type counter struct {
	pods  corelisters.PodLister
	cache *podCache
}

func (c *counter) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	pod, err := c.pods.Pods(req.Namespace).Get(req.Name)
	if err != nil {
		return ctrl.Result{}, err
	}
	if e, ok := c.cache.entries[req.String()]; ok {
		e.count++
		return ctrl.Result{}, nil
	}
	c.cache.entries[req.String()] = &entry{pod: pod} // want `^leak: memory leak: c\.cache\.entries keeps each object of c\.pods\.Get \(line \d+\), and nothing in the package takes it out.*cacheretention/never-deleted`
	return ctrl.Result{}, nil
}

// A sync.Map.
type syncMap struct{ last sync.Map }

// NewSyncMap makes a handler.
func NewSyncMap() cache.ResourceEventHandler { return &syncMap{} }

func (s *syncMap) OnAdd(obj any, _ bool) {
	s.last.Store(obj.(*corev1.Pod).UID, obj) // want `^leak: memory leak: s\.last keeps obj of OnAdd, and nothing in the package takes it out.*cacheretention/never-deleted`
}
func (s *syncMap) OnUpdate(_, _ any) {}
func (s *syncMap) OnDelete(obj any)  {}

// A map of maps.
type byNode struct {
	pods map[string]map[string]*corev1.Pod
}

func (b *byNode) register(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			pod, ok := obj.(*corev1.Pod)
			if !ok {
				return
			}
			if b.pods[pod.Spec.NodeName] == nil {
				b.pods[pod.Spec.NodeName] = make(map[string]*corev1.Pod)
			}
			b.pods[pod.Spec.NodeName][pod.Name] = pod // want `^leak: memory leak: b\.pods keeps obj of AddFunc, and nothing in the package takes it out.*cacheretention/never-deleted`
		},
	})
}

// A set of pointers.
func pointers(informer cache.SharedIndexInformer) {
	warned := make(map[*corev1.Pod]bool)
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, obj any) {
			pod := obj.(*corev1.Pod)
			if !warned[pod] {
				warned[pod] = true // want `^leak: memory leak: warned keeps obj of UpdateFunc, and nothing in the package takes it out.*cacheretention/never-deleted`
			}
		},
	})
}

// A predicate remembers what it has let through.
type once struct{ passed map[string]*corev1.Secret }

func (o *once) predicate() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			secret, ok := e.Object.(*corev1.Secret)
			if !ok || o.passed[secret.Name] != nil {
				return false
			}
			o.passed[secret.Name] = secret // want `^leak: memory leak: o\.passed keeps e of CreateFunc, and nothing in the package takes it out.*cacheretention/never-deleted`
			return true
		},
	}
}

// The map is made when it is first needed.
type lazy struct {
	pods   corelisters.PodLister
	labels map[string]map[string]string
}

func (l *lazy) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	pod, err := l.pods.Pods(req.Namespace).Get(req.Name)
	if err != nil {
		return ctrl.Result{}, err
	}
	if l.labels == nil {
		l.labels = make(map[string]map[string]string)
	}
	l.labels[req.Name] = pod.Labels // want `^leak: memory leak: l\.labels keeps each object of l\.pods\.Get \(line \d+\), and nothing in the package takes it out.*cacheretention/never-deleted`
	return ctrl.Result{}, nil
}

// Elements of a list.
func (l *listed) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	pods, err := l.pods.Pods(req.Namespace).List(nil)
	if err != nil {
		return ctrl.Result{}, err
	}
	for _, pod := range pods {
		l.byUID[pod.UID] = &pod.Spec // want `^leak: memory leak: l\.byUID keeps each object of l\.pods\.List \(line \d+\), and nothing in the package takes it out.*cacheretention/never-deleted`
	}
	return ctrl.Result{}, nil
}

type listed struct {
	pods  corelisters.PodLister
	byUID map[types.UID]*corev1.PodSpec
}

// A helper puts it into the map that the handlers share.
func pointersByHelper(informer cache.SharedIndexInformer) {
	warned := make(map[*corev1.Pod]bool)
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, obj any) { noteWarned(warned, obj.(*corev1.Pod)) },
	})
}

func noteWarned(warned map[*corev1.Pod]bool, pod *corev1.Pod) {
	warned[pod] = true // want `^leak: memory leak: warned keeps .*cacheretention/never-deleted`
}
