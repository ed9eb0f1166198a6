// Package dial has interfaces whose implementations make clients.
package dial

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Dialer makes clients, whichever it is.
type Dialer interface {
	Dial(config *rest.Config) (kubernetes.Interface, error)
}

type plain struct{}

func (plain) Dial(config *rest.Config) (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(config)
}

type other struct{ name string }

func (o *other) Dial(config *rest.Config) (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(config)
}

// New returns one of them.
func New(name string) Dialer {
	if name == "" {
		return plain{}
	}
	return &other{name}
}

// Keeper makes clients, or has one already.
type Keeper interface {
	Client(config *rest.Config) (kubernetes.Interface, error)
}

type fresh struct{}

func (fresh) Client(config *rest.Config) (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(config)
}

type kept struct{ client kubernetes.Interface }

func (k *kept) Client(*rest.Config) (kubernetes.Interface, error) { return k.client, nil }

// NewKeeper returns one of them.
func NewKeeper(client kubernetes.Interface) Keeper {
	if client == nil {
		return fresh{}
	}
	return &kept{client}
}
