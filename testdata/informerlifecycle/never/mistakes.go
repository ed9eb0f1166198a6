// Package never has informers that are started outside main, with nothing that
// could stop them.
package never

import (
	"context"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// waitForPod leaves its informer behind when it has what it came for.
func waitForPod(client kubernetes.Interface, name string) {
	running := make(chan struct{}, 1)
	factory := informers.NewSharedInformerFactory(client, time.Second)
	_, _ = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, obj any) {
			if pod := obj.(*corev1.Pod); pod.Name == name && pod.Status.Phase == corev1.PodRunning {
				select {
				case running <- struct{}{}:
				default:
				}
			}
		},
	})
	factory.Start(wait.NeverStop) // want `hygiene: each call of waitForPod leaks a watch and a cache: the factory runs with wait\.NeverStop.*\(informerlifecycle/never-stopped\)`
	<-running
}

func background(client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(context.Background().Done()) // want `each call of background leaks a watch and a cache: the factory runs with context\.Background\(\).*\(informerlifecycle/never-stopped\)`
}

func withContext(client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	factory.StartWithContext(context.TODO()) // want `each call of withContext leaks a watch and a cache: the factory runs with context\.TODO\(\).*\(informerlifecycle/never-stopped\)`
}

func nilChannel(informer cache.SharedIndexInformer) {
	go informer.Run(nil) // want `each call of nilChannel leaks a watch and a cache: the informer runs with nil.*\(informerlifecycle/never-stopped\)`
}

func unclosed(informer cache.SharedIndexInformer) {
	go informer.Run(make(chan struct{})) // want `each call of unclosed leaks a watch and a cache: the informer runs with a channel that nobody closes.*\(informerlifecycle/never-stopped\)`
}

func unclosedVariable(informer cache.SharedIndexInformer) bool {
	stop := make(chan struct{})
	go func() {
		informer.Run(stop) // want `runs with a channel that nobody closes`
	}()
	return cache.WaitForCacheSync(stop, informer.HasSynced)
}

func dynamicFactory(client dynamic.Interface) {
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	factory.ForResource(corev1.SchemeGroupVersion.WithResource("pods"))
	factory.Start(wait.NeverStop) // want `each call of dynamicFactory leaks a watch and a cache: the factory runs with wait\.NeverStop.*\(informerlifecycle/never-stopped\)`
}

// pods has a Stop that does not stop its informer.
type pods struct {
	informer cache.SharedIndexInformer
	server   http.Server
}

func newPods(informer cache.SharedIndexInformer) *pods { return &pods{informer: informer} }

func (p *pods) Begin() {
	go p.informer.Run(wait.NeverStop) // want `leak: pods\.Stop leaks a watch and a cache: it does not stop the informer, started with wait\.NeverStop.*\(informerlifecycle/never-stopped\)`
}

func (p *pods) Stop() { _ = p.server.Close() }

// handedIn is given nothing else by anybody.
func handedIn(informer cache.SharedIndexInformer, stop <-chan struct{}) {
	go informer.Run(stop) // want `each call of handedIn leaks a watch and a cache: the informer runs with wait\.NeverStop.*\(informerlifecycle/never-stopped\)`
}

func handsNeverStop(informer cache.SharedIndexInformer) { handedIn(informer, wait.NeverStop) }

// factory is what a generator made for another project.
type factory interface {
	Start(stop <-chan struct{})
	WaitForCacheSync(stop <-chan struct{}) map[string]bool
}

func ownFactory(f factory) {
	f.Start(wait.NeverStop) // want `each call of ownFactory leaks a watch and a cache: the factory runs with wait\.NeverStop.*\(informerlifecycle/never-stopped\)`
}

// typed runs the informer of any kind.
func typed[T any](informer cache.SharedIndexInformer, _ T) {
	go informer.Run(wait.NeverStop) // want `each call of typed leaks a watch and a cache: the informer runs with wait\.NeverStop.*\(informerlifecycle/never-stopped\)`
}
