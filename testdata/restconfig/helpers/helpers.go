// Package helpers hands configurations to functions of another package.
package helpers

import (
	"context"
	"net/http"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opvet/opvet/testdata/restconfig/helpers/lib"
)

type Reconciler struct {
	client.Client
	config *rest.Config
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if _, err := lib.As(r.config, req.Name); err != nil { // want `lib.As changes the configuration in r.config \(Impersonate, lib/lib.go:\d+\) each time that Reconcile runs .*; change a copy: rest.CopyConfig\(r.config\) \(restconfig/helper\)`
		return ctrl.Result{}, err
	}
	_, err := lib.CopyAs(r.config, req.Name)
	return ctrl.Result{}, err
}

// The manager's.
func setup(mgr manager.Manager, wrap func(http.RoundTripper) http.RoundTripper) (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(lib.Trace(mgr.GetConfig(), wrap)) // want `lib.Trace changes the configuration that mgr.GetConfig\(\) gives to everybody \(WrapTransport, lib/lib.go:\d+\)`
}

// What a function of another package returns is the manager's.
func configure(s *lib.Setup) {
	s.Config().Host = "https://127.0.0.1" // want `Host of the configuration that s.Config\(\) gives to everybody is changed`
}

// One's own.
func own(wrap func(http.RoundTripper) http.RoundTripper) (kubernetes.Interface, error) {
	config := ctrl.GetConfigOrDie()
	return kubernetes.NewForConfig(lib.Trace(config, wrap))
}
