// Package strict has what is reported with the strict flag only.
package strict

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func run(ctx context.Context, client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(ctx.Done()) // want `handlers may run after run has returned: nothing waits for the informers it started.*\(informerlifecycle/no-shutdown\)`
	factory.WaitForCacheSync(ctx.Done())
	<-ctx.Done()
}

// begin returns at once: its caller waits.
func begin(ctx context.Context, factory informers.SharedInformerFactory) {
	factory.Start(ctx.Done())
}

// What follows may well be done once in a process: constructors, and methods of
// components.

func reflector(lw cache.ListerWatcher) cache.Store {
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	go cache.NewReflector(lw, new(corev1.Pod), store, 0).Run(wait.NeverStop) // want `each call of reflector leaks a watch and a cache: the reflector runs with wait\.NeverStop.*\(informerlifecycle/never-stopped\)`
	return store
}

// contextOfCall has a context for its calls only, which ends too early.
func contextOfCall(ctx context.Context, client kubernetes.Interface) (cache.SharedIndexInformer, error) {
	if _, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{}); err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	factory.Start(wait.NeverStop) // want `each call of contextOfCall leaks a watch and a cache: the factory runs with wait\.NeverStop.*\(informerlifecycle/never-stopped\)`
	return informer, nil
}

// nodes makes a channel to stop it by, and nobody closes that.
type nodes struct {
	factory informers.SharedInformerFactory
	stop    chan struct{}
}

func newNodes(client kubernetes.Interface) *nodes {
	return &nodes{factory: informers.NewSharedInformerFactory(client, 0), stop: make(chan struct{})}
}

func (n *nodes) begin() {
	n.factory.Start(n.stop) // want `each call of begin leaks a watch and a cache: the factory runs with a channel that nobody closes.*\(informerlifecycle/never-stopped\)`
	n.factory.WaitForCacheSync(n.stop)
}
