// Package lib changes the configurations that it is handed.
package lib

import (
	"net/http"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Trace wraps the transport.
func Trace(config *rest.Config, wrap func(http.RoundTripper) http.RoundTripper) *rest.Config {
	config.WrapTransport = wrap
	return config
}

// As has the configuration act as somebody.
func As(config *rest.Config, user string) (kubernetes.Interface, error) {
	impersonate(config, user)
	return kubernetes.NewForConfig(config)
}

func impersonate(config *rest.Config, user string) { config.Impersonate.UserName = user }

// CopyAs copies first.
func CopyAs(config *rest.Config, user string) (kubernetes.Interface, error) {
	return As(rest.CopyConfig(config), user)
}

// Setup is handed around.
type Setup struct{ mgr manager.Manager }

// Config returns what everybody uses.
func (s *Setup) Config() *rest.Config { return s.mgr.GetConfig() }
