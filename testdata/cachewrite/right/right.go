// Package right has stores that may be written to.
package right

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// What the program makes is its own.
type memo struct {
	secrets cache.Store
	recent  cache.Store
	byNode  cache.Indexer
	queue   *cache.FIFO
	kinds   map[string]cache.Store
}

func newMemo() *memo {
	return &memo{
		secrets: cache.NewStore(cache.MetaNamespaceKeyFunc),
		recent:  cache.NewTTLStore(cache.MetaNamespaceKeyFunc, time.Minute),
		byNode:  cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{}),
		queue:   cache.NewFIFO(cache.MetaNamespaceKeyFunc),
		kinds:   make(map[string]cache.Store),
	}
}

func (m *memo) keep(pod *corev1.Pod, secret *corev1.Secret) {
	_ = m.secrets.Add(secret)
	_ = m.recent.Update(pod)
	_ = m.byNode.Delete(pod)
	_ = m.queue.Add(pod)
	_ = m.byNode.Replace(nil, "")
	_ = m.secrets.Resync()
}

func (m *memo) ofKind(kind string, obj any) {
	if m.kinds[kind] == nil {
		m.kinds[kind] = cache.NewStore(cache.MetaNamespaceKeyFunc)
	}
	_ = m.kinds[kind].Add(obj)
}

// An informer's objects are copied into a store of the program's own.
type follower struct {
	informer cache.SharedIndexInformer
	wanted   cache.Store
}

func follow(informer cache.SharedIndexInformer) *follower {
	f := &follower{informer: informer, wanted: cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc)}
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { _ = f.wanted.Add(obj) },
		UpdateFunc: func(_, obj any) { _ = f.wanted.Update(obj) },
		DeleteFunc: func(obj any) { _ = f.wanted.Delete(obj) },
	})
	return f
}

// Who builds an informer fills its store.
type informer struct {
	indexer cache.Indexer
	synced  bool
}

func newInformer(lw cache.ListerWatcher, stop <-chan struct{}) *informer {
	i := &informer{indexer: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})}
	go cache.NewReflector(lw, &corev1.Pod{}, i.indexer, 0).Run(stop)
	return i
}

func (i *informer) load(saved []any) error { return i.indexer.Replace(saved, "0") }

func (i *informer) put(obj any) error { return i.indexer.Update(obj) }

// A store that passes calls on to an informer's.
type counting struct {
	cache.Indexer
	mu    sync.Mutex
	calls int
}

func newCounting(informer cache.SharedIndexInformer) cache.Indexer {
	return &counting{Indexer: informer.GetIndexer()}
}

func (c *counting) Add(obj any) error {
	c.mu.Lock()
	c.calls++
	c.mu.Unlock()
	return c.Indexer.Add(obj)
}

func (c *counting) Update(obj any) error { return c.Indexer.Update(obj) }

func (c *counting) Delete(obj any) error {
	return func() error { return c.Indexer.Delete(obj) }()
}

func (c *counting) Replace(list []any, version string) error {
	return c.Indexer.Replace(list, version)
}

// Nobody runs the informer: its lister reads what is put in here.
func listerOf(client kubernetes.Interface, pods []*corev1.Pod) corelisters.PodLister {
	factory := informers.NewSharedInformerFactory(client, 0)
	for _, pod := range pods {
		_ = factory.Core().V1().Pods().Informer().GetIndexer().Add(pod)
	}
	return factory.Core().V1().Pods().Lister()
}

func listerOfOne(pods []*corev1.Pod) corelisters.PodLister {
	informer := cache.NewSharedIndexInformer(&cache.ListWatch{}, &corev1.Pod{}, 0, cache.Indexers{})
	for _, pod := range pods {
		_ = informer.GetIndexer().Add(pod)
	}
	return corelisters.NewPodLister(informer.GetIndexer())
}

// A fake clientset serves from memory: a dry run.
func dryRun(stop chan struct{}, pod *corev1.Pod) corelisters.PodLister {
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	pods := factory.Core().V1().Pods()
	_ = pods.Informer().GetStore().Add(pod)
	factory.Start(stop)
	return pods.Lister()
}

// It may be the program's own.
func either(informer cache.SharedIndexInformer, offline bool, pod *corev1.Pod) {
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	if !offline {
		store = informer.GetStore()
	}
	if offline {
		_ = store.Add(pod)
	}
}

// Neither is a store of an informer's objects.
type registry struct{ entries map[string]any }

func (r *registry) GetStore() *registry       { return r }
func (r *registry) Add(obj any) error         { r.entries["a"] = obj; return nil }
func (r *registry) Delete(obj any) error      { delete(r.entries, "a"); return nil }
func otherStore(r *registry, pod *corev1.Pod) { _ = r.GetStore().Add(pod) }

func threadSafe(s cache.ThreadSafeStore, pod *corev1.Pod) { s.Add(pod.Name, pod) }
func reads(informer cache.SharedIndexInformer) []any      { return informer.GetStore().List() }
func adds(informer cache.SharedIndexInformer) error {
	return informer.AddIndexers(cache.Indexers{})
}

// What feeds the informer may be another program, which sends no deletions.
func gone(informer cache.SharedInformer, b *v1.Backup) { _ = informer.GetStore().Delete(b) }

// The same behind a function: the informer stays still.
func listerOfAll(pods []*corev1.Pod) corelisters.PodLister {
	informer := cache.NewSharedIndexInformer(&cache.ListWatch{}, &corev1.Pod{}, 0, cache.Indexers{})
	for _, pod := range pods {
		fill(informer, pod)
	}
	return corelisters.NewPodLister(informer.GetIndexer())
}

func fill(informer cache.SharedIndexInformer, pod *corev1.Pod) { _ = informer.GetIndexer().Add(pod) }

// The same behind a generic function.
func goneGeneric(informer cache.SharedInformer, b *v1.Backup) { _ = take(informer, b) }

func take[T any](informer cache.SharedInformer, obj T) error { return informer.GetStore().Delete(obj) }
