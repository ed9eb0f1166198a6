// Package controllers has watches that an option switches on.
package controllers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Options are what a main says.
type Options struct {
	Namespace string
	WatchPods bool
}

type reconciler struct {
	client.Client
	options Options
}

func (r *reconciler) Reconcile(context.Context, ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, nil
}

func (r *reconciler) setUp(mgr ctrl.Manager) error {
	b := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{})
	if r.options.WatchPods {
		b.Watches(&corev1.Pod{}, &handler.EnqueueRequestForObject{}, builder.WithPredicates(predicate.NewPredicateFuncs(isOurs)))
	}
	return b.Complete(r)
}

func isOurs(o client.Object) bool {
	_, ours := o.GetLabels()["example.opvet.dev/backup"]
	return ours
}

// SetUp sets the controller up.
func SetUp(mgr ctrl.Manager, options Options) error {
	r := &reconciler{Client: mgr.GetClient(), options: options}
	return r.setUp(mgr)
}
