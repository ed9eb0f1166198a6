// Package panics has delete handlers that panic on a tombstone.
package panics

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

type controller struct {
	informer cache.SharedIndexInformer
	queue    workqueue.TypedRateLimitingInterface[string]
	known    map[string]*corev1.Pod
}

func (c *controller) forget(pod *corev1.Pod) { delete(c.known, pod.Name) }

func unchecked(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			pod := obj.(*corev1.Pod) // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod; unwrap cache\.DeletedFinalStateUnknown \(tombstone/panic\)`
			c.forget(pod)
		},
	})
}

func insideAnArgument(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj interface{}) { c.forget(obj.(*corev1.Pod)) }, // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod.*tombstone/panic`
	})
}

func toAnInterface(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		DeleteFunc: func(obj any) {
			c.queue.Add(obj.(metav1.Object).GetName()) // want `the operator crashes on a missed deletion: the tombstone is asserted to be v1\.Object.*tombstone/panic`
		},
	})
}

func methodValue(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.onDelete})
}

func (c *controller) onDelete(obj any) {
	c.remove(obj)
}

func (c *controller) remove(obj any) {
	pod := obj.(*corev1.Pod) // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod.*tombstone/panic`
	c.forget(pod)
}

func okDiscarded(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			pod, _ := obj.(*corev1.Pod) // want `the operator crashes on a missed deletion: the assertion to \*v1\.Pod leaves nil, used in line \d+.*tombstone/panic`
			delete(c.known, pod.Name)
		},
	})
}

func okDiscardedHelper(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			pod, _ := obj.(*corev1.Pod) // want `the operator crashes on a missed deletion: the assertion to \*v1\.Pod leaves nil, used in line \d+.*tombstone/panic`
			c.forget(pod)
		},
	})
}

// One of its ways out drops the tombstone, and another one panics: one finding.
func okDiscardedOrDropped(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			pod, _ := obj.(*corev1.Pod) // want `the operator crashes on a missed deletion: the assertion to \*v1\.Pod leaves nil, used in line \d+.*tombstone/panic`
			key, err := cache.MetaNamespaceKeyFunc(pod)
			if err != nil {
				klog.Error(err)
				return
			}
			delete(c.known, pod.Name)
			c.queue.Add(key)
		},
	})
}

func loggedAndUsed(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			pod, ok := obj.(*corev1.Pod) // want `the operator crashes on a missed deletion: the assertion to \*v1\.Pod leaves nil, used in line \d+.*tombstone/panic`
			if !ok {
				klog.Errorf("unexpected object %T", obj)
			}
			c.forget(pod)
		},
	})
}

// byEvent serves all events with one function.
func byEvent(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.handle(obj, "add") },
		UpdateFunc: func(_, obj any) { c.handle(obj, "update") },
		DeleteFunc: func(obj any) { c.handle(obj, "delete") },
	})
}

func (c *controller) handle(obj any, event string) {
	pod := obj.(*corev1.Pod) // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod.*tombstone/panic`
	c.queue.Add(event + pod.Name)
}

// handler implements cache.ResourceEventHandler.
type handler struct{ *controller }

func (h *handler) OnAdd(obj any, _ bool)   { h.queue.Add(obj.(*corev1.Pod).Name) } // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod.*tombstone/panic`
func (h *handler) OnUpdate(_, obj any)     { h.OnAdd(obj, false) }
func (h *handler) OnDelete(obj any)        { h.OnAdd(obj, false) }
func register(c *controller, h *handler)   { c.informer.AddEventHandler(h) }
func nameOf(obj interface{}) (name string) { return obj.(*appsv1.Deployment).Name } // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Deployment.*tombstone/panic`

func inAHelperFunction(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) { c.queue.Add(nameOf(obj)) },
	})
}

func inAGoroutine(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			go func() {
				c.forget(obj.(*corev1.Pod)) // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod.*tombstone/panic`
			}()
		},
	})
}

func typeSwitchDefault(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			switch o := obj.(type) {
			case *corev1.Pod:
				c.forget(o)
			default:
				c.queue.Add(obj.(*corev1.Node).Name) // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Node.*tombstone/panic`
			}
		},
	})
}

// generic handles any kind.
type generic[T metav1.Object] struct{ gone func(T) }

func (g *generic[T]) watch(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) { g.gone(obj.(T)) }, // want `the operator crashes on a missed deletion: the tombstone is asserted to be T.*tombstone/panic`
	})
}

func variable(c *controller) {
	onDelete := func(obj any) {
		c.forget(obj.(*corev1.Pod)) // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod.*tombstone/panic`
	}
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: onDelete})
}

func assignedLater(c *controller) {
	var funcs cache.ResourceEventHandlerFuncs
	funcs.DeleteFunc = func(obj any) {
		c.forget(obj.(*corev1.Pod)) // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod.*tombstone/panic`
	}
	c.informer.AddEventHandler(funcs)
}

func plainInformer(c *controller, lw cache.ListerWatcher) {
	_, informer := cache.NewInformer(lw, new(corev1.Pod), 0, cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			c.forget(obj.(*corev1.Pod)) // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod.*tombstone/panic`
		},
	})
	go informer.Run(nil)
}

func keyIsNotEnough(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
			if err != nil {
				utilruntime.HandleError(fmt.Errorf("no key: %w", err))
				return
			}
			c.queue.Add(key)
			c.forget(obj.(*corev1.Pod)) // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod.*tombstone/panic`
		},
	})
}

func onPurpose(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			pod, ok := obj.(*corev1.Pod) // want `the operator crashes on a missed deletion: the tombstone is no \*v1\.Pod.*tombstone/panic`
			if !ok {
				panic(fmt.Sprintf("no pod: %v", obj))
			}
			c.forget(pod)
		},
	})
}

func suppressed(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			c.forget(obj.(*corev1.Pod)) //nolint:tombstone // a local store feeds this informer
		},
	})
}
