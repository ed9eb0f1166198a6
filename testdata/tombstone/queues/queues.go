// Package queues hands tombstones to workers by queues and channels.
package queues

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

type event struct {
	kind     string
	old, new any
}

type controller struct {
	informer cache.SharedIndexInformer
	lister   cache.GenericLister
	subnets  workqueue.TypedRateLimitingInterface[*event]
	services workqueue.TypedRateLimitingInterface[*event]
	routes   map[string]bool
	gone     chan any
	events   chan event
}

// The worker logs what is no object.

func dropsTheItem(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.subnets.Add(&event{new: obj}) },
		DeleteFunc: func(obj any) { c.subnets.Add(&event{old: obj}) },
	})
}

func (c *controller) runSubnets() {
	for c.nextSubnet() {
	}
}

func (c *controller) nextSubnet() bool {
	item, shutdown := c.subnets.Get()
	if shutdown {
		return false
	}
	defer c.subnets.Done(item)
	c.routes["last"] = true
	if err := c.syncSubnet(item); err != nil {
		c.subnets.AddRateLimited(item)
		return true
	}
	c.subnets.Forget(item)
	return true
}

func (c *controller) syncSubnet(e *event) error {
	var old *corev1.Node
	var ok bool
	if e.old != nil {
		if old, ok = e.old.(*corev1.Node); !ok { // want `from subnets is no \*v1\.Node`
			klog.Errorf("expected a node: %v", e.old)
			return nil
		}
	}
	if old != nil {
		delete(c.routes, old.Name)
	}
	return nil
}

// The worker panics.

func panics(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) { c.gone <- obj }})
	go func() {
		for obj := range c.gone {
			delete(c.routes, obj.(*corev1.Service).Name) // want `the operator crashes on a missed deletion: the tombstone from gone is asserted to be \*v1\.Service; unwrap cache\.DeletedFinalStateUnknown \(tombstone/panic\)`
		}
	}()
}

// manager implements cache.ResourceEventHandler.
type manager struct {
	ctx      context.Context
	events   chan any
	watchers []chan metav1.Object
}

func (m *manager) OnAdd(obj any, _ bool) { m.send(obj) }
func (m *manager) OnUpdate(old, obj any) { m.send(obj) }
func (m *manager) OnDelete(obj any)      { m.send(obj) }

func (m *manager) send(obj any) {
	select {
	case m.events <- obj:
	case <-m.ctx.Done():
	}
}

func (m *manager) loop() {
	for {
		select {
		case <-m.ctx.Done():
			return
		case obj, ok := <-m.events:
			if !ok {
				return
			}
			m.distribute(obj)
		}
	}
}

func (m *manager) distribute(obj any) {
	o, ok := obj.(metav1.Object) // want `a missed deletion is lost: the tombstone from events is no v1\.Object.*tombstone/dropped`
	if !ok {
		return
	}
	for _, w := range m.watchers {
		w <- o
	}
}

// What follows is right.

// The worker tells deletions from the rest by the event's kind.
func byKind(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.events <- event{kind: "add", new: obj} },
		DeleteFunc: func(obj any) { c.events <- event{kind: "delete", new: obj} },
	})
	go func() {
		for e := range c.events {
			switch e.kind {
			case "add":
				c.added(e)
			case "delete":
				c.deleted(e)
			}
		}
	}()
}

func (c *controller) added(e event) { c.routes[e.new.(*corev1.Service).Name] = true }

func (c *controller) deleted(e event) {
	switch o := e.new.(type) {
	case *corev1.Service:
		delete(c.routes, o.Name)
	case cache.DeletedFinalStateUnknown:
		delete(c.routes, o.Key)
	}
}

// The worker unwraps.
func unwraps(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) { c.services.Add(&event{old: obj}) }})
}

func (c *controller) nextService() bool {
	item, shutdown := c.services.Get()
	if shutdown {
		return false
	}
	defer c.services.Done(item)
	obj := item.old
	if t, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = t.Obj
	}
	if svc, ok := obj.(*corev1.Service); ok {
		delete(c.routes, svc.Name)
	}
	return true
}

// The handler unwraps, and the worker need not.
func unwrapsBefore(informer cache.SharedIndexInformer) {
	pods := make(chan any)
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if t, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				pods <- t.Obj
				return
			}
			pods <- obj
		},
	})
	go func() {
		names := make(map[string]bool)
		for obj := range pods {
			names[obj.(*corev1.Pod).Name] = true
		}
	}()
}

// Another queue of the same type.
func otherQueue(informer cache.SharedIndexInformer, added chan any, removed chan any) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) { removed <- obj }})
	for obj := range added {
		klog.Info(obj.(*corev1.Pod).Name)
	}
}
