package right

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type request struct{ namespace, name string }

type change struct{ old, cur *corev1.Pod }

type pointers struct {
	requests workqueue.TypedRateLimitingInterface[request]
	interned workqueue.TypedRateLimitingInterface[*request]
	pods     workqueue.TypedRateLimitingInterface[*corev1.Pod]
	changes  workqueue.TypedInterface[*change]
	boxed    workqueue.TypedRateLimitingInterface[any]

	mu    sync.Mutex
	known map[types.NamespacedName]*request
}

func (p *pointers) watch(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: p.added, UpdateFunc: p.updated, DeleteFunc: p.deleted})
	return err
}

// added adds values.
func (p *pointers) added(obj any) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return
	}
	p.requests.Add(request{pod.Namespace, pod.Name})
	p.boxed.Add(request{pod.Namespace, pod.Name})
	p.boxed.Add(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name})
	p.interned.Add(p.intern(pod))
}

// intern has one pointer for each object.
func (p *pointers) intern(pod *corev1.Pod) *request {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
	if p.known[key] == nil {
		p.known[key] = &request{pod.Namespace, pod.Name}
	}
	return p.known[key]
}

// remembered keeps the pointer that it adds, so that it is found again.
func (p *pointers) remembered(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			pod := obj.(*corev1.Pod)
			req := &request{pod.Namespace, pod.Name}
			p.known[types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}] = req
			p.interned.Add(req)
		},
	})
	return err
}

// updated adds messages: each of them is meant.
func (p *pointers) updated(old, cur any) {
	p.changes.Add(&change{old.(*corev1.Pod), cur.(*corev1.Pod)})
}

// deleted adds the object itself: there is one such event, and its last state
// is nowhere else.
func (p *pointers) deleted(obj any) {
	if pod, ok := obj.(*corev1.Pod); ok {
		p.pods.Add(pod)
	}
}

// finalized adds the last state of an object that is being deleted.
func (p *pointers) finalized(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, cur any) {
			pod := cur.(*corev1.Pod)
			if !pod.DeletionTimestamp.IsZero() {
				p.pods.Add(pod)
				return
			}
			p.requests.Add(request{pod.Namespace, pod.Name})
		},
	})
	return err
}

// gone has a queue for pods that have ended or were deleted.
type gone struct {
	queue workqueue.TypedRateLimitingInterface[*corev1.Pod]
}

func (g *gone) watch(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, cur any) {
			if pod := cur.(*corev1.Pod); pod.Status.Phase == corev1.PodFailed {
				g.queue.Add(pod)
			}
		},
		DeleteFunc: func(obj any) {
			if pod, ok := obj.(*corev1.Pod); ok {
				g.queue.Add(pod)
			}
		},
	})
	return err
}

// keyed adds the key of the object.
func (p *pointers) keyed(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, cur any) {
			if key, err := cache.MetaNamespaceKeyFunc(cur); err == nil {
				p.boxed.Add(key)
			}
		},
	})
	return err
}
