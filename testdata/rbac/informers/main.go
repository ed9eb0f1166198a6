// Command informers is a controller of client-go alone: no manager, and a role all the
// same.
package main

import (
	"context"
	"os"
	"os/signal"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=nodes,verbs=list

func main() {
	config, err := rest.InClusterConfig()
	if err != nil {
		os.Exit(1)
	}
	kube := kubernetes.NewForConfigOrDie(config)
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	factory := informers.NewSharedInformerFactory(kube, time.Hour)
	pods, nodes := factory.Core().V1().Pods(), factory.Core().V1().Nodes()
	named(factory, schema.GroupVersionResource{Version: "v1", Resource: os.Getenv("RESOURCE")})
	synced := nodes.Informer().HasSynced // want `^load: the informer cannot watch, and lists all objects again and again: no role grants watch of nodes; add it to the marker .*rbac/missing-verb`
	_, err = pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(any) { note(ctx, kube) }})
	if err != nil {
		os.Exit(1)
	}
	factory.StartWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), synced) {
		os.Exit(1)
	}
	<-ctx.Done()
}

func note(ctx context.Context, kube kubernetes.Interface) {
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "gone-"}}
	if _, err := kube.CoreV1().ConfigMaps("default").Create(ctx, settings, metav1.CreateOptions{}); err != nil { // want `^stuck: Create is always forbidden: no role grants create of configmaps; add a marker .*rbac/missing-resource`
		cancelled(err)
	}
}

func cancelled(error) {}

// forResource has a case for each resource that somebody may ask for.
func forResource(factory informers.SharedInformerFactory, resource schema.GroupVersionResource) cache.SharedIndexInformer {
	switch resource.Resource {
	case "secrets":
		return factory.Core().V1().Secrets().Informer()
	case "limitranges":
		return factory.Core().V1().LimitRanges().Informer()
	}
	return nil
}

// named is one of those cases.
func named(factory informers.SharedInformerFactory, resource schema.GroupVersionResource) cache.SharedIndexInformer {
	if resource.Resource == "leases" {
		return leases(factory)
	}
	return forResource(factory, resource)
}

func leases(factory informers.SharedInformerFactory) cache.SharedIndexInformer {
	return factory.Coordination().V1().Leases().Informer()
}
