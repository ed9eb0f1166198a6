// Package lib works off the keys of workers in other packages.
package lib

import (
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// Syncer applies endpoints.
type Syncer struct {
	Endpoints listers.EndpointsLister
	Apply     func(*corev1.Endpoints) error
	known     map[string]bool
}

// Sync does nothing for what is gone.
func (s *Syncer) Sync(key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	endpoints, err := s.Endpoints.Endpoints(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.Apply(endpoints)
}

// SyncAndForget cleans up.
func (s *Syncer) SyncAndForget(key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	endpoints, err := s.Endpoints.Endpoints(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		delete(s.known, key)
		return nil
	}
	if err != nil {
		return err
	}
	s.known[key] = true
	return s.Apply(endpoints)
}
