// Package cleans hands a controller of another package what cleans up after an object that is gone.
package cleans

import (
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/opvet/opvet/testdata/tombstone/handedin/generic"
)

type handler struct {
	lister listers.ServiceLister
	routes map[string]string
}

func setUp(h *handler, services cache.SharedIndexInformer, queue workqueue.TypedRateLimitingInterface[any]) *generic.Controller {
	c := generic.New(h, queue)
	_, _ = services.AddEventHandler(generic.All(c.Enqueue)) // want `^loss: a missed deletion is lost: .*tombstone/raw-key`
	_, _ = services.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		if service, ok := obj.(*corev1.Service); ok { // want `^loss: a missed deletion is lost: .*tombstone/dropped`
			c.Enqueue(service)
		}
	}})
	return c
}

// Handle forgets the route of a service that is gone.
func (h *handler) Handle(key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return nil
	}
	service, err := h.lister.Services(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		delete(h.routes, key)
		return nil
	}
	if err != nil {
		return err
	}
	h.routes[key] = service.Spec.ClusterIP
	return nil
}
