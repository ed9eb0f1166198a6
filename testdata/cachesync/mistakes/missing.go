package mistakes

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func countPods(ctx context.Context, client kubernetes.Interface) (int, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	lister := factory.Core().V1().Pods().Lister()
	factory.Start(ctx.Done())
	pods, err := lister.List(labels.Everything()) // want `loss: lister\.List finds nothing: the informers of line \d+ have not filled the cache yet.*\(cachesync/missing\)`
	return len(pods), err
}

// As long as the function runs.
func countServices(ctx context.Context, client kubernetes.Interface) (int, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	defer factory.Shutdown()
	lister := factory.Core().V1().Services().Lister()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	factory.Start(ctx.Done())
	services, err := lister.List(labels.Everything()) // want `lister\.List finds nothing: the informers of line \d+ have not filled the cache yet.*\(cachesync/missing\)`
	return len(services), err
}

func getPod(stopCh <-chan struct{}, client kubernetes.Interface, name string) (*corev1.Pod, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods()
	pods.Lister()
	factory.Start(stopCh)
	return pods.Lister().Pods("ours").Get(name) // want `pods\.Lister\(\)\.Pods\("ours"\)\.Get finds nothing: the informers of line \d+ have not filled the cache yet.*\(cachesync/missing\)`
}

func listKeys(stopCh <-chan struct{}, pods cache.Getter) []any {
	lw := cache.NewListWatchFromClient(pods, "pods", metav1.NamespaceAll, fields.Everything())
	informer := cache.NewSharedIndexInformer(lw, &corev1.Pod{}, 0, cache.Indexers{})
	go informer.Run(stopCh)
	return informer.GetIndexer().List() // want `informer\.GetIndexer\(\)\.List finds nothing: the informers of line \d+ have not filled the cache yet.*\(cachesync/missing\)`
}

// Sleeping is not waiting.
func sleepy(stopCh <-chan struct{}, client kubernetes.Interface) int {
	factory := informers.NewSharedInformerFactory(client, 0)
	lister := factory.Core().V1().Nodes().Lister()
	factory.Start(stopCh)
	time.Sleep(5 * time.Second)
	nodes, _ := lister.List(labels.Everything()) // want `lister\.List finds nothing: the informers of line \d+ have not filled the cache yet.*\(cachesync/missing\)`
	return len(nodes)
}

func sleepyInformer(stopCh <-chan struct{}, pods cache.Getter) []any {
	lw := cache.NewListWatchFromClient(pods, "pods", metav1.NamespaceAll, fields.Everything())
	informer := cache.NewSharedIndexInformer(lw, &corev1.Pod{}, 0, cache.Indexers{})
	go informer.Run(stopCh)
	time.Sleep(time.Second)
	return informer.GetStore().List() // want `informer\.GetStore\(\)\.List finds nothing`
}

// The workers are there before the caches are; these write nothing to the API server.
func (c *controller) workersFirst(stopCh <-chan struct{}) {
	go wait.Until(c.runWorker, time.Second, stopCh) // want `hygiene: objects seem not to exist to runWorker: it starts before the caches are filled \(wait on line \d+\).*\(cachesync/missing\)`
	if !cache.WaitForCacheSync(stopCh, c.podsSynced) {
		return
	}
	<-stopCh
}

// These create what they do not find.
type creating struct {
	*controller
	client kubernetes.Interface
}

func (c *creating) Run(ctx context.Context) {
	go func() { // want `loss: objects seem not to exist to a worker: it starts before the caches are filled \(wait on line \d+\).*\(cachesync/missing\)`
		for {
			key, quit := c.queue.Get()
			if quit {
				return
			}
			c.ensure(ctx, key)
			c.queue.Done(key)
		}
	}()
	if !cache.WaitForCacheSync(ctx.Done(), c.podsSynced) {
		return
	}
	<-ctx.Done()
}

func (c *creating) ensure(ctx context.Context, name string) {
	if pods, err := c.pods.List(labels.Everything()); err == nil && len(pods) == 0 {
		_, _ = c.client.CoreV1().Pods("ours").Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	}
}

func (c *controller) register(informer cache.SharedIndexInformer) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
				c.queue.Add(key)
			}
		},
	})
}
