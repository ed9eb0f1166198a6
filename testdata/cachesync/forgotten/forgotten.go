// Package forgotten waits for some of its caches.
package forgotten

import (
	"errors"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

type announcer struct {
	pods           corelisters.PodLister
	podsSynced     cache.InformerSynced
	services       corelisters.ServiceLister
	servicesSynced cache.InformerSynced
	nodes          corelisters.NodeLister
	nodesSynced    cache.InformerSynced
	factory        informers.SharedInformerFactory
}

func newAnnouncer(factory informers.SharedInformerFactory) *announcer {
	pods, services, nodes := factory.Core().V1().Pods(), factory.Core().V1().Services(), factory.Core().V1().Nodes()
	return &announcer{
		pods: pods.Lister(), podsSynced: pods.Informer().HasSynced,
		services: services.Lister(), servicesSynced: services.Informer().HasSynced,
		nodes: nodes.Lister(), nodesSynced: nodes.Informer().HasSynced,
		factory: factory,
	}
}

func (a *announcer) run(stop <-chan struct{}) error {
	a.factory.Start(stop)
	if !cache.WaitForCacheSync(stop, a.podsSynced) { // want `loss: objects seem missing to services at the start: this wait has podsSynced and leaves out servicesSynced \(and 1 more\); wait for it, too \(cachesync/missing\)`
		return errors.New("no caches")
	}
	a.announce()
	return nil
}

func (a *announcer) announce() {
	pods, _ := a.pods.List(labels.Everything())
	services, _ := a.services.List(labels.Everything())
	nodes, _ := a.nodes.List(labels.Everything())
	_, _, _ = pods, services, nodes
}

// Who hands these over may wait for all that the factory has.
type handed struct {
	pods           corelisters.PodLister
	podsSynced     cache.InformerSynced
	services       corelisters.ServiceLister
	servicesSynced cache.InformerSynced
}

func newHanded(pods coreinformers.PodInformer, services coreinformers.ServiceInformer) *handed {
	return &handed{
		pods: pods.Lister(), podsSynced: pods.Informer().HasSynced,
		services: services.Lister(), servicesSynced: services.Informer().HasSynced,
	}
}

func (h *handed) run(stop <-chan struct{}) bool {
	if !cache.WaitForCacheSync(stop, h.podsSynced) { // want `hygiene: objects seem missing to services at the start`
		return false
	}
	pods, _ := h.pods.List(labels.Everything())
	services, _ := h.services.List(labels.Everything())
	return len(pods) > len(services)
}

// What is waited for is put together first.
type listed struct {
	pods           corelisters.PodLister
	podsSynced     cache.InformerSynced
	services       corelisters.ServiceLister
	servicesSynced cache.InformerSynced
	factory        informers.SharedInformerFactory
}

func (l *listed) run(factory informers.SharedInformerFactory, stop <-chan struct{}) error {
	pods, services := factory.Core().V1().Pods(), factory.Core().V1().Services()
	l.pods, l.podsSynced = pods.Lister(), pods.Informer().HasSynced
	l.services, l.servicesSynced = services.Lister(), services.Informer().HasSynced
	factory.Start(stop)
	synced := []cache.InformerSynced{l.podsSynced}
	if !cache.WaitForCacheSync(stop, synced...) { // want `loss: objects seem missing to services at the start: this wait has podsSynced and leaves out servicesSynced; wait for it, too`
		return errors.New("no caches")
	}
	_, err := l.services.List(labels.Everything())
	return err
}

// Told at the wait that has the most.
func (a *announcer) again(stop <-chan struct{}) bool {
	return cache.WaitForCacheSync(stop, a.podsSynced)
}
