package cases

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/eventfilter/lib"
)

const pausedAnnotation = "example.opvet.dev/paused"

// pausing does nothing while the annotation is there; taking it off wakes nobody.
type pausing struct{ client.Client }

func (r *pausing) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.Annotations[pausedAnnotation] == "true" {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Create(ctx, &appsv1.Deployment{})
}

func unpausedUnseen(mgr manager.Manager, r *pausing) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})). // want `the filter drops changes of annotation .*opvet.dev/paused, which Reconcile tests \(metadata.go:32\); add a predicate for annotations with predicate.Or`
		Complete(r)
}

// belonging tests a label, which tells whose the object is: who makes it sets it.
type belonging struct{ client.Client }

func (r *belonging) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.Labels["example.opvet.dev/tenant"] == "" {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Create(ctx, &appsv1.Deployment{})
}

func owner(mgr manager.Manager, r *belonging) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})). // want `hygiene: the filter drops changes of label .*opvet.dev/tenant, which Reconcile tests`
		Complete(r)
}

// What looks like it and is right.

func unpausedSeen(mgr manager.Manager, r *pausing) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Complete(r)
}

// remembering tests what it has written itself.
type remembering struct{ client.Client }

func (r *remembering) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.Annotations[pausedAnnotation] == "" {
		backup.Annotations[pausedAnnotation] = "false"
		return ctrl.Result{}, r.Update(ctx, backup)
	}
	return ctrl.Result{}, nil
}

func remembers(mgr manager.Manager, r *remembering) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Complete(r)
}

// finalizing puts a finalizer on.
type finalizing struct{ client.Client }

func (r *finalizing) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !backup.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(backup, v1.Finalizer)
		return ctrl.Result{}, r.Update(ctx, backup)
	}
	if controllerutil.AddFinalizer(backup, v1.Finalizer) {
		return ctrl.Result{}, r.Update(ctx, backup)
	}
	return ctrl.Result{}, r.Create(ctx, &appsv1.Deployment{})
}

func hangs(mgr manager.Manager, r *finalizing) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}, builder.WithPredicates(lib.OnlySpec{})). // want `deleted objects of kind Backup hang in Terminating: the filter drops that update, so the finalizer \(cases/metadata.go:\d+\) stays; let deletionTimestamp through`
		Complete(r)
}

// releasing takes off a finalizer that another controller puts on.
type releasing struct{ client.Client }

func (r *releasing) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !backup.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(backup, v1.Finalizer)
		return ctrl.Result{}, r.Update(ctx, backup)
	}
	return ctrl.Result{}, nil
}

func hangsInAnother(mgr manager.Manager, r *releasing) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { // want `deleted objects of kind Backup hang in Terminating`
			before, after := e.ObjectOld.(*v1.Backup), e.ObjectNew.(*v1.Backup)
			return !equality.Semantic.DeepEqual(before.Status, after.Status)
		}})).
		Complete(r)
}

func childStaysAway(mgr manager.Manager, r *finalizing) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&appsv1.Deployment{}).
		WithEventFilter(predicate.Funcs{DeleteFunc: func(event.DeleteEvent) bool { return false }}). // want `hygiene: a deleted Deployment is not created again: the filter drops deletions of what finalizing owns, too; filter For only`
		Complete(r)
}

// patient comes back every minute and makes what is not there.
type patient struct{ client.Client }

func (r *patient) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Create(ctx, &appsv1.Deployment{}); client.IgnoreAlreadyExists(err) != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: time.Minute}, nil
}

func childComesBack(mgr manager.Manager, r *patient) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&appsv1.Deployment{}).
		WithEventFilter(predicate.Funcs{DeleteFunc: func(event.DeleteEvent) bool { return false }}). // want `hygiene: a deleted Deployment is not created again`
		Complete(r)
}

// What looks like it and is right.

// The API server raises the generation of an object that is being deleted.
func generationSuffices(mgr manager.Manager, r *finalizing) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Complete(r)
}

func deletionSeen(mgr manager.Manager, r *finalizing) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
			before, after := e.ObjectOld.(*v1.Backup), e.ObjectNew.(*v1.Backup)
			return after.DeletionTimestamp != nil || before.Spec.Source != after.Spec.Source
		}})).
		Complete(r)
}

// retiring takes a finalizer of earlier releases off whenever it sees one.
type retiring struct{ client.Client }

func (r *retiring) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	controllerutil.RemoveFinalizer(backup, v1.Finalizer)
	return ctrl.Result{}, r.Update(ctx, backup)
}

func retires(mgr manager.Manager, r *retiring) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}, builder.WithPredicates(lib.OnlySpec{})).Complete(r)
}

// A finalizer sees to the deletion of the reconciled kind.
func deletionOfOwn(mgr manager.Manager, r *finalizing) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}, builder.WithPredicates(predicate.Funcs{DeleteFunc: func(event.DeleteEvent) bool { return false }})).
		Owns(&appsv1.Deployment{}).
		Complete(r)
}

// The filter was written for Deployments: their deletions are left out on purpose.
func childIsChosen(mgr manager.Manager, r *finalizing) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&appsv1.Deployment{}).
		WithEventFilter(predicate.Funcs{
			UpdateFunc: func(e event.UpdateEvent) bool {
				if _, ok := e.ObjectNew.(*v1.Backup); ok {
					return true
				}
				_, ok := e.ObjectNew.(*appsv1.Deployment)
				return ok
			},
			DeleteFunc: func(event.DeleteEvent) bool { return false },
		}).
		Complete(r)
}

// selecting asks by a label what a pod is, which whoever makes it sets then.
type selecting struct{ client.Client }

func (r *selecting) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	pod := new(corev1.Pod)
	if err := r.Get(ctx, req.NamespacedName, pod); err != nil {
		return ctrl.Result{}, err
	}
	if pod.Labels["example.com/role"] != "launcher" {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Create(ctx, &v1.Backup{})
}

func selects(mgr manager.Manager, r *selecting) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&corev1.Pod{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Complete(r)
}
