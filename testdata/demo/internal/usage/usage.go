// Package usage counts what runs in the cluster.
package usage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// Counter counts pods, and what they need.
type Counter struct {
	kube       kubernetes.Interface
	factory    informers.SharedInformerFactory
	pods       corelisters.PodLister
	podsSynced cache.InformerSynced
	stop       <-chan struct{}
}

// New makes a Counter that counts until stop is closed.
func New(kube kubernetes.Interface, stop <-chan struct{}) (*Counter, error) {
	factory := informers.NewSharedInformerFactory(kube, 30*time.Second)
	pods := factory.Core().V1().Pods()
	c := &Counter{kube: kube, factory: factory, pods: pods.Lister(), podsSynced: pods.Informer().HasSynced, stop: stop}
	if _, err := factory.Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: c.nodeAdded, UpdateFunc: c.nodeChanged}); err != nil {
		return nil, fmt.Errorf("registering the handler of nodes: %w", err)
	}
	return c, nil
}

// Start fills the caches.
func (c *Counter) Start() error {
	c.factory.Start(c.stop)
	defer c.factory.Shutdown()
	if !cache.WaitForCacheSync(c.stop, c.podsSynced) {
		return errors.New("the caches of pods did not sync")
	}
	<-c.stop
	return nil
}

func (c *Counter) nodeAdded(obj any) {
	cache.WaitForCacheSync(c.stop, c.podsSynced)
	if node, ok := obj.(*corev1.Node); ok {
		c.on(node.Name)
	}
}

func (c *Counter) nodeChanged(_, obj any) {
	if node, ok := obj.(*corev1.Node); ok {
		c.on(node.Name)
	}
}

func (c *Counter) on(node string) int {
	pods, err := c.pods.List(labels.Everything())
	if err != nil {
		return 0
	}
	n := 0
	for _, pod := range pods {
		if pod.Spec.NodeName == node {
			n++
		}
	}
	return n
}

// Total counts all pods once they are known.
func (c *Counter) Total(ctx context.Context) (int, error) {
	cache.WaitForCacheSync(ctx.Done(), c.podsSynced)
	pods, err := c.pods.List(labels.Everything())
	return len(pods), err
}

// Namespaces counts namespaces.
func (c *Counter) Namespaces(ctx context.Context) (int, error) {
	factory := informers.NewSharedInformerFactory(c.kube, 0)
	defer factory.Shutdown()
	lister := factory.Core().V1().Namespaces().Lister()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	factory.StartWithContext(ctx)
	namespaces, err := lister.List(labels.Everything())
	return len(namespaces), err
}

// Classes counts the classes of volumes.
func (c *Counter) Classes(ctx context.Context) (int, error) {
	factory := informers.NewSharedInformerFactory(c.kube, 0)
	classes := factory.Storage().V1().StorageClasses()
	if !cache.WaitForCacheSync(ctx.Done(), classes.Informer().HasSynced) {
		return 0, ctx.Err()
	}
	found, err := classes.Lister().List(labels.Everything())
	return len(found), err
}

// Limit lets requests pass as long as there are few pods.
type Limit struct {
	Most int

	pods   corelisters.PodLister
	synced cache.InformerSynced
}

// Limit makes one.
func (c *Counter) Limit(most int) *Limit {
	return &Limit{Most: most, pods: c.pods, synced: c.podsSynced}
}

// Wrap puts the limit before a handler.
func (l *Limit) Wrap(next http.Handler) http.Handler {
	if !cache.WaitForCacheSync(wait.NeverStop, l.synced) {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if pods, err := l.pods.List(labels.Everything()); err != nil || len(pods) > l.Most {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}
