// Package cases has watches that ask for the wrong objects.
package cases

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// reads the backup of the request, and all nodes.
type nodes struct{ client.Client }

func (r *nodes) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{}, r.List(ctx, new(corev1.NodeList))
}

func namesNodes(mgr manager.Manager, r *nodes) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Watches(&corev1.Node{}, &handler.EnqueueRequestForObject{}). // want `events of Node are lost: EnqueueRequestForObject asks for a Backup of the same name, which is not there; use EnqueueRequestsFromMapFunc`
		Complete(r)
}

// What looks like it and is right.

func mapsNodes(mgr manager.Manager, r *nodes) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Watches(&corev1.Node{}, handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request { return nil })).
		Complete(r)
}

// sameName gives its children the name of the parent.
type sameName struct{ client.Client }

func (r *sameName) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{}, r.Get(ctx, req.NamespacedName, new(appsv1.Deployment))
}

func namesChildren(mgr manager.Manager, r *sameName) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Watches(&appsv1.Deployment{}, &handler.EnqueueRequestForObject{}).
		Complete(r)
}

// all ignores what it is asked for.
type all struct{ client.Client }

func (r *all) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, r.List(ctx, new(v1.BackupList))
}

func anyName(mgr manager.Manager, r *all) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Watches(&corev1.Node{}, &handler.EnqueueRequestForObject{}).
		Complete(r)
}

// grandparent makes the deployment the controller of the pods.
type grandparent struct {
	client.Client
	scheme *runtime.Scheme
}

func (r *grandparent) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup, workload, pod := new(v1.Backup), new(appsv1.Deployment), new(corev1.Pod)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := ctrl.SetControllerReference(backup, workload, r.scheme); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Create(ctx, workload); err != nil {
		return ctrl.Result{}, err
	}
	if err := controllerutil.SetControllerReference(workload, pod, r.scheme); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Create(ctx, pod)
}

func ownsGrandchildren(mgr manager.Manager, r *grandparent) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.Pod{}). // want `Owns asks for the Backup that controls a Pod, but that is a Deployment; its events reach nobody; watch Pod and map to the Backup`
		Complete(r)
}

func watchesGrandchildren(mgr manager.Manager, r *grandparent) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&appsv1.Deployment{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request { return nil })).
		Complete(r)
}
