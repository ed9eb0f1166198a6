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
	if _, err := lib.As(r.config, req.Name); err != nil { // want `later clients of r\.config act as somebody else: lib\.As \(lib/lib\.go:\d+\) sets its Impersonate for all; change a rest\.CopyConfig \(restconfig/helper\)`
		return ctrl.Result{}, err
	}
	_, err := lib.CopyAs(r.config, req.Name)
	return ctrl.Result{}, err
}

// The manager's.
func setup(mgr manager.Manager, wrap func(http.RoundTripper) http.RoundTripper) (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(lib.Trace(mgr.GetConfig(), wrap)) // want `later clients of mgr\.GetConfig\(\) go another way: lib\.Trace \(lib/lib\.go:\d+\) sets its WrapTransport for all.*restconfig/helper`
}

// What a function of another package returns is the manager's.
func configure(s *lib.Setup) {
	s.Config().Host = "https://127.0.0.1" // want `later clients of s\.Config\(\) talk to another server: this sets its Host for all; change a rest\.CopyConfig \(restconfig/shared\)`
}

// One's own.
func own(wrap func(http.RoundTripper) http.RoundTripper) (kubernetes.Interface, error) {
	config := ctrl.GetConfigOrDie()
	return kubernetes.NewForConfig(lib.Trace(config, wrap))
}
