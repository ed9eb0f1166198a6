// Package right starts informers of the older client-go as is right.
package right

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
)

func closedByDefer(informer cache.SharedIndexInformer) bool {
	stop := make(chan struct{})
	defer close(stop)
	go informer.Run(stop)
	return cache.WaitForCacheSync(stop, informer.HasSynced)
}

func setUp(_ ctrl.Manager, informer cache.SharedIndexInformer) { go informer.Run(wait.NeverStop) }

// controller starts what it needs late, and once.
type controller struct {
	client   kubernetes.Interface
	factory  dynamicinformer.DynamicSharedInformerFactory
	informer cache.SharedIndexInformer
	handler  cache.ResourceEventHandlerFuncs
	stop     chan struct{}
	once     sync.Once
	running  map[string]context.CancelFunc
}

func (c *controller) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	c.once.Do(func() { c.informer.AddEventHandler(c.handler) })
	c.factory.ForResource(schema.GroupVersionResource{Resource: req.Name})
	c.factory.Start(c.stop)
	c.perCluster(req.Name)
	return ctrl.Result{}, nil
}

func (c *controller) perCluster(name string) {
	if _, ok := c.running[name]; ok {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.running[name] = cancel
	factory := informers.NewSharedInformerFactory(c.client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(ctx.Done())
}

func startedAgain(client kubernetes.Interface, crd bool, stop <-chan struct{}) {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(stop)
	if crd {
		factory.Core().V1().Nodes().Informer()
		factory.Start(stop)
	}
}

// polled ends with the round in which it adds.
func polled(informer cache.SharedIndexInformer, served func() bool, stop <-chan struct{}) error {
	return wait.PollImmediateUntil(time.Minute, func() (bool, error) {
		if !served() {
			return false, nil
		}
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{})
		return true, err
	}, stop)
}
