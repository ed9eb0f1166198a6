// Package run has handlers that hand functions to others.
package run

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type controller struct {
	informer cache.SharedIndexInformer
	queue    workqueue.TypedRateLimitingInterface[string]
}

func (c *controller) on(f func(obj any)) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: f})
}

// with hands something to a function.
func with[T any](x T, f func(T)) { f(x) }

// get answers what a function answers.
func get[T any](f func() T) T { return f() }

// as asserts what it is handed: whether it takes the tombstone depends on T.
func as[T any](x any, f func(T)) {
	if t, ok := x.(T); ok {
		f(t)
	}
}

// keys is set by options.
type keys struct {
	of func(obj any) (string, error)
}

type option func(*keys)

func by(of func(obj any) (string, error)) option { return func(k *keys) { k.of = of } }

func newKeys(options ...option) *keys {
	k := new(keys)
	for _, o := range options {
		o(k)
	}
	return k
}

func plainKey(obj any) (string, error) { return cache.MetaNamespaceKeyFunc(obj) } // want `tombstone/raw-key`

func unwrappedKey(obj any) (string, error) { return cache.DeletionHandlingMetaNamespaceKeyFunc(obj) }

func generic(c *controller) {
	c.on(func(obj any) {
		with(obj, func(o any) {
			c.queue.Add(o.(*corev1.Pod).Name) // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod.*tombstone/panic`
		})
	})
	c.on(func(obj any) {
		pod := get(func() *corev1.Pod { return obj.(*corev1.Pod) }) // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod.*tombstone/panic`
		c.queue.Add(pod.Name)
	})
}

func byOption(c *controller) {
	c.on(func(obj any) {
		if key, err := newKeys(by(plainKey)).of(obj); err == nil {
			c.queue.Add(key)
		}
	})
}

// Unwrapped before, or by what is run.
func rightGeneric(c *controller) {
	c.on(func(obj any) {
		if unknown, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = unknown.Obj
		}
		with(obj, func(o any) {
			if pod, ok := o.(*corev1.Pod); ok {
				c.queue.Add(pod.Name)
			}
		})
	})
	c.on(func(obj any) {
		key := get(func() string {
			key, _ := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
			return key
		})
		c.queue.Add(key)
	})
	c.on(func(obj any) {
		as(obj, func(pod *corev1.Pod) { c.queue.Add(pod.Name) })
		as(obj, func(unknown cache.DeletedFinalStateUnknown) { c.queue.Add(unknown.Key) })
	})
}

// unwrapped is a type of its own: what options set is not told apart by value.
type unwrapped struct {
	of func(obj any) (string, error)
}

type unwrappedOption func(*unwrapped)

func byUnwrapped(of func(obj any) (string, error)) unwrappedOption {
	return func(u *unwrapped) { u.of = of }
}

func newUnwrapped(options ...unwrappedOption) *unwrapped {
	u := new(unwrapped)
	for _, o := range options {
		o(u)
	}
	return u
}

func rightOption(c *controller) {
	c.on(func(obj any) {
		if key, err := newUnwrapped(byUnwrapped(unwrappedKey)).of(obj); err == nil {
			c.queue.Add(key)
		}
	})
}
