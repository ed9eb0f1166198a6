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
	factory.Start(wait.NeverStop) // want `the factory is started with wait.NeverStop, and nothing can stop it: .* each call of waitForPod adds to them; take a context or stop channel from the caller`
	<-running
}

func background(client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(context.Background().Done()) // want `started with context.Background\(\), and nothing can stop it`
}

func withContext(client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	factory.StartWithContext(context.TODO()) // want `started with context.TODO\(\), and nothing can stop it`
}

func nilChannel(informer cache.SharedIndexInformer) {
	go informer.Run(nil) // want `the informer is started with nil, and nothing can stop it`
}

func unclosed(informer cache.SharedIndexInformer) {
	go informer.Run(make(chan struct{})) // want `started with a channel that nobody closes, and nothing can stop it`
}

func unclosedVariable(informer cache.SharedIndexInformer) bool {
	stop := make(chan struct{})
	go func() {
		informer.Run(stop) // want `started with a channel that nobody closes`
	}()
	return cache.WaitForCacheSync(stop, informer.HasSynced)
}

func dynamicFactory(client dynamic.Interface) {
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	factory.ForResource(corev1.SchemeGroupVersion.WithResource("pods"))
	factory.Start(wait.NeverStop) // want `nothing can stop it`
}

// pods has a Stop that does not stop its informer.
type pods struct {
	informer cache.SharedIndexInformer
	server   http.Server
}

func (p *pods) Begin() {
	go p.informer.Run(wait.NeverStop) // want `the informer is started with wait.NeverStop, so that pods.Stop does not stop it`
}

func (p *pods) Stop() { _ = p.server.Close() }

// handedIn is given nothing else by anybody.
func handedIn(informer cache.SharedIndexInformer, stop <-chan struct{}) {
	go informer.Run(stop) // want `the informer is started with wait.NeverStop`
}

func handsNeverStop(informer cache.SharedIndexInformer) { handedIn(informer, wait.NeverStop) }

// factory is what a generator made for another project.
type factory interface {
	Start(stop <-chan struct{})
	WaitForCacheSync(stop <-chan struct{}) map[string]bool
}

func ownFactory(f factory) {
	f.Start(wait.NeverStop) // want `the factory is started with wait.NeverStop`
}

// typed runs the informer of any kind.
func typed[T any](informer cache.SharedIndexInformer, _ T) {
	go informer.Run(wait.NeverStop) // want `nothing can stop it`
}
