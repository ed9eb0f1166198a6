package forgotten

import (
	"errors"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// Another function waits for the other one.
type twice struct {
	pods           corelisters.PodLister
	podsSynced     cache.InformerSynced
	services       corelisters.ServiceLister
	servicesSynced cache.InformerSynced
}

func newTwice(factory informers.SharedInformerFactory) *twice {
	pods, services := factory.Core().V1().Pods(), factory.Core().V1().Services()
	return &twice{
		pods: pods.Lister(), podsSynced: pods.Informer().HasSynced,
		services: services.Lister(), servicesSynced: services.Informer().HasSynced,
	}
}

func (t *twice) run(stop <-chan struct{}) error {
	if !cache.WaitForCacheSync(stop, t.podsSynced) {
		return errors.New("no pods")
	}
	if !t.wait(stop) {
		return errors.New("no services")
	}
	_, err := t.services.List(labels.Everything())
	return err
}

func (t *twice) wait(stop <-chan struct{}) bool {
	return cache.WaitForCacheSync(stop, t.servicesSynced)
}

// Nothing is looked up in the cache that is not waited for: its handlers alone are wanted.
type handlers struct {
	pods           corelisters.PodLister
	podsSynced     cache.InformerSynced
	services       corelisters.ServiceLister
	servicesSynced cache.InformerSynced
}

func newHandlers(factory informers.SharedInformerFactory) *handlers {
	pods, services := factory.Core().V1().Pods(), factory.Core().V1().Services()
	return &handlers{
		pods: pods.Lister(), podsSynced: pods.Informer().HasSynced,
		services: services.Lister(), servicesSynced: services.Informer().HasSynced,
	}
}

func (h *handlers) run(stop <-chan struct{}) error {
	if !cache.WaitForCacheSync(stop, h.podsSynced) {
		return errors.New("no pods")
	}
	_, err := h.pods.List(labels.Everything())
	return err
}

// The informer is waited for by another of its functions.
type other struct {
	pods           corelisters.PodLister
	podsSynced     cache.InformerSynced
	services       corelisters.ServiceLister
	servicesSynced cache.InformerSynced
	all            []cache.InformerSynced
}

func newOther(factory informers.SharedInformerFactory) *other {
	pods, services := factory.Core().V1().Pods(), factory.Core().V1().Services()
	return &other{
		pods: pods.Lister(), podsSynced: pods.Informer().HasSynced,
		services: services.Lister(), servicesSynced: services.Informer().HasSynced,
		all: []cache.InformerSynced{services.Informer().HasSynced},
	}
}

func (o *other) run(stop <-chan struct{}) error {
	if !cache.WaitForCacheSync(stop, append(o.all, o.podsSynced)...) {
		return errors.New("no caches")
	}
	_, err := o.services.List(labels.Everything())
	return err
}

// Whoever has the struct can wait.
type Exported struct {
	Pods           corelisters.PodLister
	PodsSynced     cache.InformerSynced
	Services       corelisters.ServiceLister
	ServicesSynced cache.InformerSynced
}

func NewExported(factory informers.SharedInformerFactory) *Exported {
	pods, services := factory.Core().V1().Pods(), factory.Core().V1().Services()
	return &Exported{
		Pods: pods.Lister(), PodsSynced: pods.Informer().HasSynced,
		Services: services.Lister(), ServicesSynced: services.Informer().HasSynced,
	}
}

func (e *Exported) run(stop <-chan struct{}) error {
	if !cache.WaitForCacheSync(stop, e.PodsSynced) {
		return errors.New("no pods")
	}
	_, err := e.Services.List(labels.Everything())
	return err
}
