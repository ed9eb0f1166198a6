// Package makers has two ways to make a manager.
package makers

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Maker makes managers.
type Maker interface {
	MakeManager(config *rest.Config) (ctrl.Manager, error)
}

type plain struct{}

func (plain) MakeManager(config *rest.Config) (ctrl.Manager, error) {
	return ctrl.NewManager(config, ctrl.Options{})
}

type named struct{ id string }

func (n named) MakeManager(config *rest.Config) (ctrl.Manager, error) {
	return ctrl.NewManager(config, ctrl.Options{LeaderElectionID: n.id})
}

// Of returns one of them: their caches are alike.
func Of(id string) Maker {
	if id == "" {
		return plain{}
	}
	return named{id}
}

// Limiter makes managers, too, which keep what they are told to.
type Limiter interface {
	LimitedManager(config *rest.Config) (ctrl.Manager, error)
}

type all struct{}

func (all) LimitedManager(config *rest.Config) (ctrl.Manager, error) {
	return ctrl.NewManager(config, ctrl.Options{})
}

type few struct{}

func (few) LimitedManager(config *rest.Config) (ctrl.Manager, error) {
	return ctrl.NewManager(config, ctrl.Options{Cache: cache.Options{
		ByObject: map[client.Object]cache.ByObject{&corev1.Secret{}: {Namespaces: map[string]cache.Config{"own": {}}}},
	}})
}

// Limited returns one of them.
func Limited(limited bool) Limiter {
	if limited {
		return few{}
	}
	return all{}
}
