package mistakes

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type request struct{ namespace, name string }

type pointers struct {
	requests workqueue.TypedRateLimitingInterface[*request]
	pods     workqueue.TypedRateLimitingInterface[*corev1.Pod]
	boxed    workqueue.TypedRateLimitingInterface[any]
}

func (p *pointers) watch(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: p.added, UpdateFunc: p.updated})
	return err
}

// added makes a new request for each event.
func (p *pointers) added(obj any) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return
	}
	p.requests.Add(&request{pod.Namespace, pod.Name}) // want `the queue grows with each event, since nothing is deduplicated: each event adds a new \*request as a key; add the request itself \(workqueue/pointer-key\)`
	p.boxed.Add(newRequest(pod))                      // want `each event adds a new \*request.*pointer-key`
	p.addRequest(&request{pod.Namespace, pod.Name})
}

func newRequest(pod *corev1.Pod) *request { return &request{pod.Namespace, pod.Name} }

func (p *pointers) addRequest(req *request) {
	p.boxed.Add(req) // want `each event adds a new \*request.*pointer-key`
}

// updated adds the object, of which each update is another one.
func (p *pointers) updated(_, cur any) {
	pod, ok := cur.(*corev1.Pod)
	if !ok {
		return
	}
	p.pods.Add(pod) // want `the queue grows with each event, since nothing is deduplicated: each update adds another \*Pod as a key.*workqueue/pointer-key`
}

// untyped adds what it is handed.
func (p *pointers) untyped(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, cur any) {
			p.boxed.Add(cur) // want `pointer-key`
		},
	})
	return err
}

// all has one function for all events.
func (p *pointers) all(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    p.enqueue,
		UpdateFunc: func(_, cur any) { p.enqueue(cur) },
		DeleteFunc: p.enqueue,
	})
	return err
}

func (p *pointers) enqueue(obj any) {
	if pod, ok := obj.(*corev1.Pod); ok {
		p.pods.Add(pod) // want `pointer-key`
	}
}
