// Package settings has the options of a manager.
package settings

import (
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Settings are what the operator is configured by.
type Settings struct{ Probes string }

// Options has Secrets read from the API server.
func (s *Settings) Options() ctrl.Options {
	return ctrl.Options{
		HealthProbeBindAddress: s.Probes,
		Client:                 client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
	}
}
