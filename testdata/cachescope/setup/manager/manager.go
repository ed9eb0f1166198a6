// Package manager makes a manager for others: what it will hold, they decide.
package manager

import (
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// New makes the manager.
func New() (manager.Manager, error) {
	return ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{LeaderElection: true, LeaderElectionID: "backups"})
}

// Maker makes managers.
type Maker interface {
	Make() (manager.Manager, error)
}

type maker struct{}

// NewMaker returns the one that there is.
func NewMaker() Maker { return maker{} }

// Make makes a manager for others.
func (maker) Make() (manager.Manager, error) {
	return ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{LeaderElection: true, LeaderElectionID: "restores"})
}

// NewShared makes another one.
func NewShared() (manager.Manager, error) {
	return ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{LeaderElection: true, LeaderElectionID: "shared"})
}
