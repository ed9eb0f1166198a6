// Command tool ends with its process: nobody has to stop it.
package main

import (
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	informer := factory.Core().V1().Pods().Informer()
	factory.Start(wait.NeverStop)
	if !cache.WaitForCacheSync(wait.NeverStop, informer.HasSynced) {
		panic("caches did not sync")
	}
}
