// Package ignores hands a controller of another package what does nothing for an object that is gone.
package ignores

import (
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/opvet/opvet/testdata/tombstone/handedin/generic"
)

type handler struct {
	lister listers.ServiceLister
	apply  func(*corev1.Service) error
	routes map[string]string
}

func setUp(h *handler, services cache.SharedIndexInformer, queue workqueue.TypedRateLimitingInterface[any]) *generic.Controller {
	c := generic.New(h, queue)
	_, _ = services.AddEventHandler(generic.All(c.Enqueue)) // want `^hygiene: a missed deletion is lost: .*tombstone/raw-key`
	_, _ = services.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		c.Enqueue(obj) // want `^hygiene: a missed deletion is lost: .*tombstone/raw-key`
	}})
	_, _ = services.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		if service, ok := obj.(*corev1.Service); ok { // want `^hygiene: a missed deletion is lost: .*tombstone/dropped`
			c.Enqueue(service)
		}
	}})
	_, _ = services.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			_, ok := obj.(*corev1.Service) // want `^hygiene: a missed deletion never reaches .*tombstone/dropped`
			return ok
		},
		Handler: cache.ResourceEventHandlerFuncs{DeleteFunc: c.Enqueue},
	})
	return c
}

// more does something beside it.
func more(h *handler, c *generic.Controller, services cache.SharedIndexInformer) {
	_, _ = services.AddEventHandler(generic.All(c.EnqueueCounted)) // want `^loss: .*tombstone/raw-key`
	_, _ = services.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		if service, ok := obj.(*corev1.Service); ok { // want `^loss: a missed deletion is lost: .*tombstone/dropped`
			delete(h.routes, service.Name)
			c.Enqueue(service)
		}
	}})
	_, _ = services.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			_, ok := obj.(*corev1.Service) // want `^loss: a missed deletion never reaches .*tombstone/dropped`
			return ok
		},
		Handler: cache.ResourceEventHandlerFuncs{DeleteFunc: c.EnqueueCounted},
	})
}

// Handle leaves it to owner references to take away what an object had.
func (h *handler) Handle(key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		klog.ErrorS(err, "Not a key")
		return nil
	}
	service, err := h.lister.Services(namespace).Get(name)
	if err != nil {
		if apierrors.IsNotFound(err) {
			klog.InfoS("No longer there", "key", key)
			return nil
		}
		return err
	}
	return h.apply(service.DeepCopy())
}
