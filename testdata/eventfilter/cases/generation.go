// Package cases has filters that drop what Reconcile waits for.
package cases

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/eventfilter/lib"
)

type secrets struct{ client.Client }

func (r *secrets) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	_, err := lib.Password(ctx, r, req.NamespacedName)
	return ctrl.Result{}, err
}

func toBackups(context.Context, client.Object) []reconcile.Request { return nil }

// A rotated password is never seen.
func filterOfAll(mgr manager.Manager, r *secrets) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(toBackups)).
		WithEventFilter(predicate.GenerationChangedPredicate{}). // want `^loss: secrets never sees changes of Secret: their generation never changes, so the filter drops each update; put the predicate on For only`
		Complete(r)
}

// The watch of Secrets only starts an informer, for others who read them.
func wakesNobody(mgr manager.Manager, r *secrets) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Watches(&corev1.Secret{}, handler.Funcs{}).
		WithEventFilter(predicate.GenerationChangedPredicate{}).
		Complete(r)
}

// Of the controller's own kind, For is no way out.
func filterOfItsOwn(mgr manager.Manager, r *secrets) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&corev1.Secret{}).
		WithEventFilter(predicate.GenerationChangedPredicate{}). // want `secrets never sees changes of Secret: .*; use ResourceVersionChangedPredicate there`
		Complete(r)
}

func filterOfOne(mgr manager.Manager, r *secrets) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&corev1.ConfigMap{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})). // want `secrets never sees changes of ConfigMap: .*; use ResourceVersionChangedPredicate there`
		Complete(r)
}

func filterFromElsewhere(mgr manager.Manager, r *secrets) error {
	b := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{})
	b = b.Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(toBackups), builder.WithPredicates(lib.SpecChanged())) // want `secrets never sees changes of Secret`
	return b.Complete(r)
}

func bothMustAgree(mgr manager.Manager, r *secrets) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(toBackups), builder.WithPredicates(lib.AnyChange)).
		WithEventFilter(lib.SpecChanged()). // want `secrets never sees changes of Secret`
		Complete(r)
}

func orLabels(mgr manager.Manager, r *secrets) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(toBackups), // want `^loss: secrets never sees changed data of Secret: their generation never changes, so the filter drops such updates;`
			builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{}))).
		Complete(r)
}

// Reconcile is not known to look at Nodes: the watch may be left over.
func nodesWithout(mgr manager.Manager, r *secrets) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Watches(&corev1.Node{}, handler.EnqueueRequestsFromMapFunc(toBackups), builder.WithPredicates(predicate.GenerationChangedPredicate{})). // want `^hygiene: secrets never sees changes of Node`
		Complete(r)
}

// What looks like it and is right.

func labelsOfNodes(mgr manager.Manager, r *secrets) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Watches(&corev1.Node{}, handler.EnqueueRequestsFromMapFunc(toBackups),
			builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Complete(r)
}

func annotationsOfNamespaces(mgr manager.Manager, r *secrets) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Watches(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(toBackups),
			builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Complete(r)
}

func onForOnly(mgr manager.Manager, r *secrets) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(toBackups)).
		Complete(r)
}

func combinedByOr(mgr manager.Manager, r *secrets) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(toBackups)).
		WithEventFilter(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.ResourceVersionChangedPredicate{})).
		Complete(r)
}

func kindsWithGeneration(mgr manager.Manager, r *secrets) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&appsv1.Deployment{}).
		WithEventFilter(predicate.GenerationChangedPredicate{}).
		Complete(r)
}

func noUpdatesOnPurpose(mgr manager.Manager, r *secrets) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(toBackups), builder.WithPredicates(created())).
		Complete(r)
}

func decidedElsewhere(mgr manager.Manager, r *secrets, given predicate.Predicate) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(toBackups)).
		WithEventFilter(predicate.Or(predicate.GenerationChangedPredicate{}, given)).
		Complete(r)
}

// rewriting writes what it owns again every half a minute, whatever has happened.
type rewriting struct{ client.Client }

func (r *rewriting) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: req.Name, Namespace: req.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, settings, func() error {
		settings.Data = map[string]string{"mode": "on"}
		return nil
	})
	return ctrl.Result{RequeueAfter: 30 * time.Second}, err
}

func filterOfAllPolled(mgr manager.Manager, r *rewriting) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&corev1.ConfigMap{}).
		WithEventFilter(predicate.GenerationChangedPredicate{}). // want `^hygiene: rewriting never sees changes of ConfigMap`
		Complete(r)
}

// Two branches make the same controller: it is told once.
func filterOfAllInBranches(mgr manager.Manager, r *secrets, few bool) error {
	if few {
		return ctrl.NewControllerManagedBy(mgr).
			For(&v1.Backup{}).
			Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(toBackups)).
			WithEventFilter(predicate.GenerationChangedPredicate{}). // want `secrets never sees changes of Secret`
			Complete(r)
	}
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(toBackups)).
		WithEventFilter(predicate.GenerationChangedPredicate{}).
		Complete(r)
}
