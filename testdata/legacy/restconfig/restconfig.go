// Package restconfig changes configurations, with the last libraries before
// generics.
package restconfig

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

func setup(mgr manager.Manager) (kubernetes.Interface, error) {
	config := mgr.GetConfig()
	config.ContentType = runtime.ContentTypeProtobuf // want `ContentType of the configuration that mgr.GetConfig\(\) gives to everybody is changed`
	return kubernetes.NewForConfig(config)
}

type Reconciler struct{ Config *rest.Config }

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.Config.Impersonate.UserName = req.Name // want `Impersonate of the configuration in r.Config is changed each time that Reconcile runs`
	_, err := kubernetes.NewForConfig(r.Config)
	return ctrl.Result{}, err
}

// Right: a copy.
func (r *Reconciler) as(user string) (kubernetes.Interface, error) {
	config := rest.CopyConfig(r.Config)
	config.Impersonate.UserName = user
	return kubernetes.NewForConfig(config)
}
