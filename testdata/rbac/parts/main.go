// Command parts uses a part of a package that others use, too.
package main

import (
	"context"
	"os"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/opvet/opvet/testdata/rbac/parts/watch"
)

// +kubebuilder:rbac:groups="",resources=nodes,verbs=get

func main() {
	config, err := rest.InClusterConfig()
	if err != nil {
		os.Exit(1)
	}
	kube := kubernetes.NewForConfigOrDie(config)
	factory := informers.NewSharedInformerFactory(kube, 0)
	synced := watch.Nodes(factory)
	factory.StartWithContext(context.Background())
	for !synced() {
	}
	if err := watch.Label(context.Background(), kube, "first"); err != nil {
		os.Exit(1)
	}
}
