package unused

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// The tombstone is unwrapped to be looked at, and what goes on is the wrapped
// one.

type wrapped struct {
	informer cache.SharedIndexInformer
	items    workqueue.TypedRateLimitingInterface[any]
	events   workqueue.TypedRateLimitingInterface[change]
	work     workqueue.TypedRateLimitingInterface[any]
	byParam  workqueue.TypedRateLimitingInterface[any]
	keys     workqueue.TypedRateLimitingInterface[types.NamespacedName]
	seen     map[string]bool
}

type change struct {
	kind string
	obj  any
}

// podOf unwraps a tombstone.
func podOf(obj any) *corev1.Pod {
	switch o := obj.(type) {
	case *corev1.Pod:
		return o
	case cache.DeletedFinalStateUnknown:
		if pod, ok := o.Obj.(*corev1.Pod); ok {
			return pod
		}
	}
	return nil
}

// forLogging unwraps it in line, for a log, and adds it as it is.
func forLogging(w *wrapped) {
	w.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { w.items.Add(obj) },
		DeleteFunc: func(obj any) {
			pod, ok := obj.(*corev1.Pod)
			if !ok {
				tombstone, ok := obj.(cache.DeletedFinalStateUnknown)
				if !ok {
					klog.Errorf("unexpected %T", obj)
					return
				}
				pod, ok = tombstone.Obj.(*corev1.Pod)
				if !ok {
					klog.Errorf("unexpected %T", tombstone.Obj)
					return
				}
			}
			klog.Infof("pod %s is gone", pod.Name)
			w.items.Add(obj) // want `loss: a missed deletion is lost: items gets the tombstone itself, which its worker does not know \(line \d+\); use its Obj \(tombstone/unwrapped-unused\)`
		},
	})
}

func (w *wrapped) next(ctx context.Context) bool {
	item, quit := w.items.Get()
	if quit {
		return false
	}
	defer w.items.Done(item)
	switch o := item.(type) {
	case *corev1.Pod:
		w.seen[o.Name] = true
	case *corev1.Node:
		w.seen[o.Name] = true
	default:
		klog.Errorf("unexpected %T", item)
	}
	return true
}

// byFunction unwraps by a function, and puts the wrapped one into an event.
func byFunction(w *wrapped) {
	w.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if pod := podOf(obj); pod != nil && pod.Spec.NodeName == "" {
				return
			}
			w.events.Add(change{"delete", obj}) // want `loss: .*events gets the tombstone itself.*tombstone/unwrapped-unused`
		},
	})
}

func (w *wrapped) nextChange() bool {
	c, quit := w.events.Get()
	if quit {
		return false
	}
	defer w.events.Done(c)
	if err := w.process(c); err != nil {
		w.events.AddRateLimited(c)
		return true
	}
	w.events.Forget(c)
	return true
}

func (w *wrapped) process(c change) error {
	pod, ok := c.obj.(*corev1.Pod)
	if !ok {
		return fmt.Errorf("unexpected %T", c.obj)
	}
	delete(w.seen, pod.Name)
	return nil
}

// byMethod enqueues by a method that refuses what it does not know.
func byMethod(w *wrapped) {
	w.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: w.enqueue,
		DeleteFunc: func(obj any) {
			if pod := podOf(obj); pod != nil {
				klog.Infof("pod %s is gone", pod.Name)
			}
			w.enqueue(obj)
		},
	})
}

func (w *wrapped) enqueue(obj any) {
	switch o := obj.(type) {
	case *corev1.Pod:
		w.keys.Add(types.NamespacedName{Namespace: o.Namespace, Name: o.Name})
	case *corev1.Service: // want `loss: a missed deletion is lost: the tombstone itself .*tombstone/unwrapped-unused`
		w.keys.Add(types.NamespacedName{Namespace: o.Namespace, Name: o.Name})
	default:
		klog.Errorf("unexpected %T", obj)
	}
}

// handedQueue has the queue as a parameter of the worker.
func handedQueue(w *wrapped) {
	w.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if _, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				klog.Info("a deletion was missed")
			}
			w.byParam.Add(obj) // want `loss: .*byParam gets the tombstone itself.*tombstone/unwrapped-unused`
		},
	})
	go func() {
		for handle(w.byParam, w.seen) {
		}
	}()
}

func handle(queue workqueue.TypedRateLimitingInterface[any], seen map[string]bool) bool {
	item, quit := queue.Get()
	if quit {
		return false
	}
	defer queue.Done(item)
	pod, ok := item.(*corev1.Pod)
	if !ok {
		klog.Errorf("unexpected %T", item)
		return true
	}
	delete(seen, pod.Name)
	return true
}

// inMethod adds by a method of its own, and the worker panics.
func inMethod(w *wrapped) {
	w.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: w.onDelete})
}

func (w *wrapped) onDelete(obj any) {
	var pod *corev1.Pod
	switch o := obj.(type) {
	case *corev1.Pod:
		pod = o
	case cache.DeletedFinalStateUnknown:
		pod, _ = o.Obj.(*corev1.Pod)
	}
	if pod == nil {
		return
	}
	w.add(obj)
}

func (w *wrapped) add(obj any) { w.work.AddRateLimited(obj) } // want `crash: the operator crashes on a missed deletion: work gets the tombstone itself.*tombstone/unwrapped-unused`

func (w *wrapped) worker() {
	for {
		item, quit := w.work.Get()
		if quit {
			return
		}
		delete(w.seen, item.(*corev1.Pod).Name)
		w.work.Done(item)
	}
}

// Right: what goes on is what was unwrapped.

type unwrapped struct {
	informer cache.SharedIndexInformer
	items    workqueue.TypedRateLimitingInterface[any]
	either   workqueue.TypedRateLimitingInterface[any]
	seen     map[string]bool
}

func unwraps(u *unwrapped) {
	u.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				klog.Infof("missed the deletion of %s", tombstone.Key)
				obj = tombstone.Obj
			}
			u.items.Add(obj)
		},
	})
}

func (u *unwrapped) next() bool {
	item, quit := u.items.Get()
	if quit {
		return false
	}
	defer u.items.Done(item)
	pod, ok := item.(*corev1.Pod)
	if !ok {
		klog.Errorf("unexpected %T", item)
		return true
	}
	delete(u.seen, pod.Name)
	return true
}

// The worker knows both.
func workerUnwraps(u *unwrapped) {
	u.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if pod := podOf(obj); pod != nil {
				klog.Infof("pod %s is gone", pod.Name)
			}
			u.either.Add(obj)
		},
	})
}

func (u *unwrapped) nextEither() bool {
	item, quit := u.either.Get()
	if quit {
		return false
	}
	defer u.either.Done(item)
	if pod := podOf(item); pod != nil {
		delete(u.seen, pod.Name)
	}
	return true
}
