// Package lib takes functions and hands them on.
package lib

import (
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// Watch registers what it gets, through a helper.
func Watch(informer cache.SharedIndexInformer, changed func(obj any)) { // want Watch:`callbacks\(event handler\)`
	register(informer, changed)
}

func register(informer cache.SharedIndexInformer, changed func(obj any)) { // want register:`callbacks\(event handler\)`
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: changed})
}

// Each calls visit before it returns.
func Each(names []string, visit func(string)) { // want Each:`callbacks\(callback\)`
	for _, name := range names {
		visit(name)
	}
}

// Go runs work in a goroutine.
func Go(work func()) { // want Go:`callbacks\(goroutine\)`
	go work()
}

// Work calls sync with items of the queue.
func Work(queue workqueue.TypedInterface[string], sync func(string) error) { // want Work:`callbacks\(sync function\)`
	for {
		item, shutdown := queue.Get()
		if shutdown {
			return
		}
		if err := sync(item); err != nil {
			queue.Add(item)
		}
		queue.Done(item)
	}
}

// Syncer is what a Controller calls with the items of its queue.
type Syncer interface {
	SyncItem(key string) error // want SyncItem:`called per item`
	Name() string
}

// Controller keeps what it calls.
type Controller struct {
	queue  workqueue.TypedInterface[string]
	syncer Syncer
	handle func(string) error
}

// NewController takes a function that it keeps.
func NewController(queue workqueue.TypedInterface[string], syncer Syncer, handle func(string) error) *Controller { // want NewController:`callbacks\(sync function\)`
	return &Controller{queue: queue, syncer: syncer, handle: handle}
}

// Run takes the items.
func (c *Controller) Run() {
	for c.next() {
	}
}

func (c *Controller) next() bool {
	item, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(item)
	return c.syncer.SyncItem(item) == nil && c.handle(item) == nil
}

// Keyed is what a Literal calls with the keys of its queue.
type Keyed interface {
	SyncKey(key string) error // want SyncKey:`called per item`
	Describe() string
}

// Literal works its items off in a literal.
type Literal struct {
	queue workqueue.TypedInterface[any]
	keyed Keyed
	name  string
}

// NewLiteral takes what it calls.
func NewLiteral(queue workqueue.TypedInterface[any], keyed Keyed) *Literal {
	return &Literal{queue: queue, keyed: keyed, name: keyed.Describe()}
}

// Run takes the items.
func (l *Literal) Run() {
	for {
		item, shutdown := l.queue.Get()
		if shutdown {
			return
		}
		err := func(item any) error {
			defer l.queue.Done(item)
			key, ok := item.(string)
			if !ok {
				return nil
			}
			return l.keyed.SyncKey(key)
		}(item)
		if err != nil {
			l.queue.Add(item)
		}
	}
}
