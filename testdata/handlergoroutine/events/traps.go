package events

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// newCollector merely registers handlers, and starts what runs once.
func newCollector(factory informers.SharedInformerFactory, stop chan struct{}) (*collector, error) {
	c := &collector{stop: stop, loops: make(map[string]chan struct{})}
	c.queue = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.enqueue,
		UpdateFunc: func(_, obj any) { c.enqueue(obj) },
		DeleteFunc: c.stopLoop,
	})
	go wait.Until(func() { slow("collect") }, time.Minute, stop)
	factory.Start(stop)
	return c, err
}

func (c *collector) enqueue(obj any) {
	if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
		go c.queue.Add(key)
		c.startLoop(key)
	}
}

// startLoop keeps one loop for each key.
func (c *collector) startLoop(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.loops[key]; ok {
		return
	}
	stop := make(chan struct{})
	c.loops[key] = stop
	go wait.Until(func() { slow(key) }, time.Minute, stop)
}

func (c *collector) stopLoop(obj any) {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if stop, ok := c.loops[key]; ok {
		close(stop)
		delete(c.loops, key)
	}
}

// run starts the workers, once.
func (c *collector) run(workers int) {
	defer c.queue.ShutDown()
	for range workers {
		go wait.Until(c.work, time.Second, c.stop)
	}
	<-c.stop
}

func (c *collector) work() {
	for {
		key, shutdown := c.queue.Get()
		if shutdown {
			return
		}
		slow(key)
		c.queue.Done(key)
	}
}

// batch is handled in parallel, and waited for.
func batch(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			var group sync.WaitGroup
			for _, container := range obj.(*corev1.Pod).Spec.Containers {
				group.Go(func() { slow(container.Name) })
			}
			group.Wait()
		},
	})
}

// lead starts what the leader runs.
func lead(stop chan struct{}) leaderelection.LeaderCallbacks {
	return leaderelection.LeaderCallbacks{
		OnStartedLeading: func(ctx context.Context) {
			go wait.UntilWithContext(ctx, func(context.Context) { slow("leader") }, time.Second)
		},
		OnStoppedLeading: func() { close(stop) },
	}
}

// filtered is a watch that ends its goroutine in Stop.
type filtered struct {
	inner  watch.Interface
	result chan watch.Event
	done   chan struct{}
	once   sync.Once
}

// ResultChan starts the goroutine once.
func (f *filtered) ResultChan() <-chan watch.Event {
	f.once.Do(func() { go f.forward() })
	return f.result
}

func (f *filtered) forward() {
	defer close(f.result)
	for {
		select {
		case <-f.done:
			return
		case e, ok := <-f.inner.ResultChan():
			if !ok {
				return
			}
			f.result <- e
		}
	}
}

// Stop ends the goroutine.
func (f *filtered) Stop() { close(f.done) }

// merged is a watch whose goroutines end when it stops the watches that they forward.
type merged struct {
	inner  []watch.Interface
	result chan watch.Event
	group  sync.WaitGroup
}

// ResultChan starts a goroutine for each watch.
func (m *merged) ResultChan() <-chan watch.Event {
	for _, w := range m.inner {
		m.group.Add(1)
		go func() {
			defer m.group.Done()
			for e := range w.ResultChan() {
				m.result <- e
			}
		}()
	}
	return m.result
}

// Stop stops them all.
func (m *merged) Stop() {
	for _, w := range m.inner {
		w.Stop()
	}
	m.group.Wait()
	close(m.result)
}

// observer works in memory only: its goroutines return at once.
type observer struct {
	mu      sync.Mutex
	pending map[string]sets.Set[types.UID]
	waiters chan struct{}
}

func (o *observer) OnAdd(raw any, _ bool) {
	if obj, ok := raw.(metav1.Object); ok {
		go func() { o.observe(obj.GetName(), obj.GetUID()) }()
	}
}

func (o *observer) OnUpdate(_, raw any) { o.OnAdd(raw, false) }

func (o *observer) OnDelete(raw any) {
	if obj, ok := raw.(client.Object); ok {
		go o.observe(obj.GetName(), obj.GetUID())
	}
}

func (o *observer) observe(name string, uid types.UID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pending[name].Has(uid) {
		o.pending[name].Delete(uid)
		close(o.waiters)
		o.waiters = make(chan struct{})
	}
}

// settings are worked out anew whenever the configuration changes.
type settings struct {
	mu      sync.Mutex
	store   cache.Store
	limits  map[string]resource.Quantity
	version string
}

func (s *settings) register(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    s.changed,
		UpdateFunc: func(_, obj any) { s.changed(obj) },
	})
	return err
}

func (s *settings) changed(any) {
	go s.reload() // holds a lock all the while, and works in memory
}

func (s *settings) reload() map[string]resource.Quantity {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, obj := range s.store.List() {
		config, ok := obj.(*corev1.ConfigMap)
		if !ok || config.ResourceVersion == s.version {
			continue
		}
		var limits map[string]resource.Quantity
		if err := json.Unmarshal([]byte(config.Data["limits"]), &limits); err != nil {
			limits = map[string]resource.Quantity{"memory": resource.MustParse("1Gi")}
		}
		s.limits, s.version = limits, config.ResourceVersion
	}
	return s.limits
}
