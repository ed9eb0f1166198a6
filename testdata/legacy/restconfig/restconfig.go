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
	config.ContentType = runtime.ContentTypeProtobuf // want `later clients of mgr\.GetConfig\(\) use another encoding: this sets its ContentType for all; change a rest\.CopyConfig \(restconfig/shared\)`
	return kubernetes.NewForConfig(config)
}

type Reconciler struct{ Config *rest.Config }

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.Config.Impersonate.UserName = req.Name // want `later clients of r\.Config act as somebody else: each Reconcile sets its Impersonate for all.*restconfig/shared`
	_, err := kubernetes.NewForConfig(r.Config)
	return ctrl.Result{}, err
}

// Right: a copy.
func (r *Reconciler) as(user string) (kubernetes.Interface, error) {
	config := rest.CopyConfig(r.Config)
	config.Impersonate.UserName = user
	return kubernetes.NewForConfig(config)
}
