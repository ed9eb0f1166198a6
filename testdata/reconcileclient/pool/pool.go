// Package pool keeps things in pools.
package pool

import (
	"bytes"
	"sync"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Clientsets in a variable.
var clientsets = sync.Pool{
	New: func() any {
		config, err := rest.InClusterConfig()
		if err != nil {
			return nil
		}
		return kubernetes.NewForConfigOrDie(config) // want `a client in a sync\.Pool keeps what its last user has changed, and is built again after each collection; share one \(reconcileclient/pooled\)`
	},
}

// With what a request needs besides.
type session struct {
	client client.Client
	buffer bytes.Buffer
}

type Sessions struct{ pool sync.Pool }

func NewSessions() *Sessions {
	s := &Sessions{}
	s.pool.New = func() any {
		c, _ := client.New(ctrl.GetConfigOrDie(), client.Options{})
		return &session{client: c} // want `a client in a sync.Pool`
	}
	return s
}

// Put there by hand.
func (s *Sessions) Return(kube *kubernetes.Clientset) {
	s.pool.Put(kube) // want `a client in a sync.Pool`
}

// Buffers belong into pools.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func release(b *bytes.Buffer) { buffers.Put(b) }
