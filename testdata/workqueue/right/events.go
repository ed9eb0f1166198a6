package right

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opvet/opvet/testdata/workqueue/helpers/lib"
)

type watcher struct {
	queue  workqueue.TypedRateLimitingInterface[string]
	fixed  workqueue.TypedRateLimitingInterface[string]
	every  workqueue.TypedRateLimitingInterface[string]
	owner  func(obj any) (string, error)
	sync   func(key string) error
	worker *lib.Worker
}

func newWatcher() *watcher {
	return &watcher{
		fixed: workqueue.NewTypedRateLimitingQueue[string](fixed{}),
		every: workqueue.NewTypedRateLimitingQueue(lib.Every(time.Second)),
	}
}

// added adds without a delay.
func (w *watcher) added(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { lib.Enqueue(obj, w.queue) },
		UpdateFunc: func(_, cur any) { w.enqueue(cur) },
	})
	return err
}

func (w *watcher) enqueue(obj any) {
	if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
		w.queue.Add(key)
	}
}

// failed adds rate limited because something has failed in the handler.
func (w *watcher) failed(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			key, err := cache.MetaNamespaceKeyFunc(obj)
			if err != nil {
				return
			}
			owner, err := w.owner(obj)
			if err != nil {
				w.queue.AddRateLimited(key)
				return
			}
			w.queue.Add(owner)
		},
	})
	return err
}

// fixedDelay has a rate limiter of its own, which waits as long for each.
func (w *watcher) fixedDelay(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, cur any) {
			if key, err := cache.MetaNamespaceKeyFunc(cur); err == nil {
				w.fixed.AddRateLimited(key)
				w.every.AddRateLimited(key)
			}
			w.worker.EnqueueSlowly(cur)
		},
	})
	return err
}

// retried tells the worker of another package what has failed.
func (w *watcher) retried(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			if _, err := w.owner(obj); err != nil {
				w.worker.Retry(obj, err)
			}
		},
	})
	return err
}

// asked says that no delay is wanted.
func (w *watcher) asked(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			w.worker.EnqueueWithOpts(lib.AddOpts{}, obj)
			w.maybeLimited(obj, false)
		},
	})
	return err
}

func (w *watcher) maybeLimited(obj any, limited bool) {
	key, err := cache.MetaNamespaceKeyFunc(obj)
	if err != nil {
		return
	}
	if limited {
		w.queue.AddRateLimited(key)
		return
	}
	w.queue.Add(key)
}

// delayed lets events settle for a moment.
func (w *watcher) delayed(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, cur any) {
			if key, err := cache.MetaNamespaceKeyFunc(cur); err == nil {
				w.queue.AddAfter(key, time.Second)
			}
		},
	})
	return err
}

// next is the worker: it is the place for AddRateLimited.
func (w *watcher) next() bool {
	key, quit := w.queue.Get()
	if quit {
		return false
	}
	defer w.queue.Done(key)
	w.process(key)
	return true
}

func (w *watcher) process(key string) {
	if err := w.sync(key); err != nil {
		w.queue.AddRateLimited(key)
		return
	}
	w.queue.Forget(key)
}

// notReady is called by the sync function, which waits for something.
func (w *watcher) notReady(key string) { w.queue.AddRateLimited(key) }

// owned is a handler of controller-runtime.
func owned() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			request := reconcile.Request{}
			request.Name = e.Object.GetName()
			q.Add(request)
		},
		// No watch has generic events.
		GenericFunc: func(_ context.Context, e event.GenericEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			request := reconcile.Request{}
			request.Name = e.Object.GetName()
			q.AddRateLimited(request)
		},
	}
}

// podsOf is a map function: controller-runtime adds what it returns.
func podsOf(_ context.Context, pod *corev1.Pod) []reconcile.Request { return nil }
