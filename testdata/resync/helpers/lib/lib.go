// Package lib makes informers for others.
package lib

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

// Factories has the factories of an operator.
type Factories struct {
	All, Settings informers.SharedInformerFactory
}

// NewFactories makes them.
func NewFactories(client kubernetes.Interface, resync time.Duration) *Factories {
	return &Factories{All: informers.NewSharedInformerFactory(client, resync), Settings: NewSettings(client, resync)}
}

// NewSettings makes the factory for a single object.
func NewSettings(client kubernetes.Interface, resync time.Duration) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(client, resync,
		informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.FieldSelector = "metadata.name=settings" }))
}

// NewFactoriesEvery takes seconds.
func NewFactoriesEvery(resync time.Duration, client kubernetes.Interface) *Factories {
	return NewFactories(client, resync)
}
