package harmless

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The controller does not hear of the status that it writes.
type deaf struct{ client.Client }

func (r *deaf) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil || len(pods.Items) > 0 {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.start(ctx, backup)
}

func (r *deaf) start(ctx context.Context, backup *v1.Backup) error {
	if err := r.Create(ctx, podOf(backup)); err != nil { // want `hygiene: two of this Pod are made`
		return err
	}
	backup.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, backup)
}

func (r *deaf) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Pod{}).WithEventFilter(predicate.GenerationChangedPredicate{}).Complete(r)
}

// Mistakes: it does.
type hears struct{ client.Client }

func (r *hears) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil || len(pods.Items) > 0 {
		return ctrl.Result{}, err
	}
	if err := r.Create(ctx, podOf(backup)); err != nil { // want `loss: two of this Pod are made`
		return ctrl.Result{}, err
	}
	backup.Status.Phase = v1.BackupRunning
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

func (r *hears) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Pod{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).Complete(r)
}
