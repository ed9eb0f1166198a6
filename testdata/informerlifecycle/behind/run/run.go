// Package run does to informers what others ask it to.
package run

import (
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// Starter starts factories.
type Starter interface {
	Start(factory informers.SharedInformerFactory)
}

type starter struct{}

// New returns a starter.
func New() Starter { return starter{} }

func (starter) Start(factory informers.SharedInformerFactory) { factory.Start(wait.NeverStop) }

// Until starts a factory until somebody closes a channel.
func Until(factory informers.SharedInformerFactory, stop <-chan struct{}) { factory.Start(stop) }

// Handle adds a handler.
func Handle(informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) {
	_, _ = informer.AddEventHandler(handler)
}
