// Package factorywait waits for all that its factory has, and for one of them once more.
package factorywait

import (
	"errors"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

type controller struct {
	pods           corelisters.PodLister
	podsSynced     cache.InformerSynced
	services       corelisters.ServiceLister
	servicesSynced cache.InformerSynced
	factory        informers.SharedInformerFactory
}

func newController(factory informers.SharedInformerFactory) *controller {
	pods, services := factory.Core().V1().Pods(), factory.Core().V1().Services()
	return &controller{
		pods: pods.Lister(), podsSynced: pods.Informer().HasSynced,
		services: services.Lister(), servicesSynced: services.Informer().HasSynced,
		factory: factory,
	}
}

func (c *controller) run(stop <-chan struct{}) error {
	c.factory.Start(stop)
	for _, ok := range c.factory.WaitForCacheSync(stop) {
		if !ok {
			return errors.New("no caches")
		}
	}
	if !cache.WaitForCacheSync(stop, c.podsSynced) {
		return errors.New("no pods")
	}
	_, err := c.services.List(labels.Everything())
	return err
}

// Nobody has asked the factory for anything: there is nothing to start.
func left(stop <-chan struct{}, client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.WaitForCacheSync(stop)
}
