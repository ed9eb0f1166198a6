// Package right has handlers that look as if they could not take a tombstone,
// and can, or never get one.
package right

import (
	"context"
	"errors"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"knative.dev/pkg/kmeta"
	"knative.dev/pkg/reconciler"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

type controller struct {
	informer cache.SharedIndexInformer
	queue    workqueue.TypedRateLimitingInterface[string]
	strict   bool
}

func (c *controller) on(f func(obj any)) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: f})
}

func unwrapFirst(c *controller) {
	c.on(func(obj any) {
		if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = tombstone.Obj
		}
		pod, ok := obj.(*corev1.Pod)
		if !ok {
			klog.Errorf("unexpected %T", obj)
			return
		}
		c.queue.Add(pod.Name)
	})
}

func unwrapLast(c *controller) {
	c.on(func(obj any) {
		pod, ok := obj.(*corev1.Pod)
		if !ok {
			tombstone, ok := obj.(cache.DeletedFinalStateUnknown)
			if !ok {
				klog.Error("no tombstone")
				return
			}
			pod, ok = tombstone.Obj.(*corev1.Pod)
			if !ok {
				klog.Error("no pod")
				return
			}
		}
		c.queue.Add(pod.Name)
	})
}

func typeSwitch(c *controller) {
	c.on(func(obj any) {
		var pod *corev1.Pod
		switch o := obj.(type) {
		case *corev1.Pod:
			pod = o
		case cache.DeletedFinalStateUnknown:
			pod = o.Obj.(*corev1.Pod)
		default:
			return
		}
		c.queue.Add(pod.Name)
	})
}

func bothForms(c *controller) {
	c.on(func(obj any) {
		switch o := obj.(type) {
		case *cache.DeletedFinalStateUnknown:
			obj = o.Obj
		case cache.DeletedFinalStateUnknown:
			obj = o.Obj
		}
		c.queue.Add(obj.(*corev1.Pod).Name)
	})
}

func deletionHandlingKey(c *controller) {
	c.on(func(obj any) {
		key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
		if err == nil {
			c.queue.Add(key)
		}
	})
}

func keyFromTombstone(c *controller) {
	c.on(func(obj any) {
		key, err := cache.MetaNamespaceKeyFunc(obj)
		if err != nil {
			tombstone, ok := obj.(cache.DeletedFinalStateUnknown)
			if !ok {
				return
			}
			key = tombstone.Key
		}
		c.queue.Add(key)
	})
}

func ignoresTheObject(c *controller) {
	c.on(func(any) { c.queue.Add("all") })
	c.on(func(obj any) { c.resync() })
}

func (c *controller) resync() { c.queue.Add("all") }

func onlyLogs(c *controller) {
	c.on(func(obj any) {
		pod, ok := obj.(*corev1.Pod)
		if !ok {
			return
		}
		klog.Infof("pod %s is gone", pod.Name)
	})
}

func otherwiseEverything(c *controller) {
	c.on(func(obj any) {
		pod, ok := obj.(*corev1.Pod)
		if !ok {
			c.resync()
			return
		}
		c.queue.Add(pod.Name)
	})
}

func addAndUpdate(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.queue.Add(obj.(*corev1.Pod).Name) },
		UpdateFunc: func(old, obj any) { c.queue.Add(old.(*corev1.Pod).Name + obj.(*corev1.Pod).Name) },
	})
}

func byFlag(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.handle(obj, false) },
		DeleteFunc: func(obj any) { c.handle(obj, true) },
	})
}

func (c *controller) handle(obj any, deleted bool) {
	if deleted {
		if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = tombstone.Obj
		}
	}
	c.queue.Add(obj.(*corev1.Pod).Name)
}

func byKind(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.dispatch("add", obj) },
		DeleteFunc: func(obj any) { c.dispatch("delete", obj) },
	})
}

func (c *controller) dispatch(kind string, obj any) {
	if kind == "add" {
		c.queue.Add(obj.(*corev1.Pod).Name)
		return
	}
	key, _ := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	c.queue.Add(key)
}

func knativeAccessor(c *controller) {
	c.on(func(obj any) {
		object, err := kmeta.DeletionHandlingAccessor(obj)
		if err != nil {
			return
		}
		c.queue.Add(object.GetName())
	})
}

func byReflection(c *controller) {
	c.on(func(obj any) {
		if reflect.TypeOf(obj) == reflect.TypeFor[cache.DeletedFinalStateUnknown]() {
			return
		}
		c.queue.Add(obj.(*corev1.Pod).Name)
	})
}

func recovered(c *controller) {
	c.on(func(obj any) {
		defer func() {
			if r := recover(); r != nil {
				c.resync()
			}
		}()
		c.queue.Add(obj.(*corev1.Pod).Name)
	})
}

func toMeta(obj any) (metav1.Object, error) {
	switch o := obj.(type) {
	case metav1.Object:
		return o, nil
	case metav1.ObjectMetaAccessor:
		return o.GetObjectMeta(), nil
	case cache.DeletedFinalStateUnknown:
		return meta.Accessor(o.Obj)
	}
	return nil, errors.New("no object")
}

func helper(c *controller) {
	c.on(func(obj any) {
		m, err := toMeta(obj)
		if err != nil {
			klog.Error(err)
			return
		}
		c.queue.Add(m.GetName())
	})
}

func isTombstone(obj any) bool {
	_, ok := obj.(cache.DeletedFinalStateUnknown)
	return ok
}

func askedByHelper(c *controller) {
	c.on(func(obj any) {
		if isTombstone(obj) {
			obj = obj.(cache.DeletedFinalStateUnknown).Obj
		}
		c.queue.Add(obj.(*corev1.Pod).Name)
	})
}

func checkedAgain(c *controller) {
	c.on(func(obj any) {
		pod, ok := obj.(*corev1.Pod)
		if !ok && c.strict {
			panic("no pod") // set in tests only, and the deletion is handled below
		}
		if !ok {
			c.resync()
			return
		}
		c.queue.Add(pod.Name)
	})
}

func convert(obj any, into **corev1.Pod) bool {
	if t, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = t.Obj
	}
	pod, ok := obj.(*corev1.Pod)
	*into = pod
	return ok
}

func storedByHelper(c *controller) {
	c.on(func(obj any) {
		var pod *corev1.Pod
		if convert(obj, &pod) {
			c.queue.Add(pod.Name)
		}
	})
}

func storedByClosure(c *controller) {
	c.on(func(obj any) {
		var pod *corev1.Pod
		if p, ok := obj.(*corev1.Pod); ok {
			pod = p
		}
		find := func() {
			if t, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				pod = t.Obj.(*corev1.Pod)
			}
		}
		if pod == nil {
			find()
		}
		c.queue.Add(pod.Name)
	})
}

// ok is asked for in two places.
func askedTwice(c *controller) {
	c.on(func(obj any) {
		pod, ok := obj.(*corev1.Pod)
		name := "all"
		if ok {
			name = pod.Name
		}
		c.queue.Add(name)
		if ok {
			klog.Info(pod.Namespace)
		}
	})
}

// newHandler makes a handler of functions for each kind of event.
func newHandler(add func(obj any, first bool), update func(old, obj any), remove func(obj any)) cache.ResourceEventHandler {
	return &cache.ResourceEventHandlerDetailedFuncs{AddFunc: add, UpdateFunc: update, DeleteFunc: remove}
}

func madeByHelper(c *controller) {
	c.informer.AddEventHandler(newHandler(
		func(obj any, _ bool) { c.queue.Add(obj.(*corev1.Pod).Name) },
		func(_, obj any) { c.queue.Add(obj.(*corev1.Pod).Name) },
		func(obj any) { c.queue.Add("all") },
	))
}

// The filters of knative let objects through only.
func filteredElsewhere(c *controller) {
	c.informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: reconciler.LabelExistsFilterFunc("mine"),
		Handler:    cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) { c.queue.Add(obj.(*corev1.Pod).Name) }},
	})
}

// as asserts any type, tombstones too.
func as[T any](obj any) (T, bool) {
	o, ok := obj.(T)
	return o, ok
}

func genericAssertion(c *controller) {
	c.on(func(obj any) {
		if t, ok := as[cache.DeletedFinalStateUnknown](obj); ok {
			obj = t.Obj
		}
		c.queue.Add(obj.(*corev1.Pod).Name)
	})
}

// Handlers of controller-runtime get no tombstones.
var _ = handler.Funcs{
	DeleteFunc: func(_ context.Context, e event.DeleteEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
		pod := e.Object.(*corev1.Pod)
		klog.Info(pod.Name)
		q.Add(reconcile.Request{})
	},
}

var _ = predicate.Funcs{
	DeleteFunc: func(e event.DeleteEvent) bool { return e.Object.(*corev1.Pod).Name != "" },
}

// The typed handlers of client-go get no tombstones either.
func typed(c *controller) cache.TypedResourceEventHandlerDetailedFuncs[*corev1.Pod] {
	return cache.TypedResourceEventHandlerDetailedFuncs[*corev1.Pod]{
		DeleteFunc: func(obj cache.DeletedObject[*corev1.Pod]) { c.queue.Add(obj.GetName()) },
	}
}

// Another library's handlers have fields of the same names.
type EventHandlerFuncs struct {
	AddFunc    func(obj any)
	DeleteFunc func(obj any)
}

var rows = &EventHandlerFuncs{DeleteFunc: func(obj any) { klog.Info(obj.(*corev1.Pod).Name) }}

// OwnHandler is an interface of this package, whose caller unwraps.
type OwnHandler interface {
	OnAdd(obj any, first bool)
	OnUpdate(old, obj any)
	OnDelete(obj any)
}

type own struct{ *controller }

func (o own) OnAdd(obj any, _ bool)     { o.queue.Add(obj.(*corev1.Pod).Name) }
func (o own) OnUpdate(_, obj any)       { o.queue.Add(obj.(*corev1.Pod).Name) }
func (o own) OnDelete(obj any)          { o.queue.Add(obj.(*corev1.Pod).Name) }
func handlers(c *controller) OwnHandler { return own{c} }

// A store that deletes by itself is no informer.
type store struct{ pods map[string]*corev1.Pod }

func (s *store) OnDelete(obj any) { delete(s.pods, obj.(*corev1.Pod).Name) }

// older has the methods of handlers of another time.
type older struct{ *controller }

func (o older) OnAdd(obj any)       { o.queue.Add(obj.(*corev1.Pod).Name) }
func (o older) OnUpdate(_, obj any) { o.queue.Add(obj.(*corev1.Pod).Name) }
func (o older) OnDelete(obj any)    { o.queue.Add(obj.(*corev1.Pod).Name) }
