// Package cases has reconciles that cause their own next run.
package cases

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The mistakes.

type clock struct{ client.Client }

func (r *clock) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !backup.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	now := metav1.Now()
	backup.Status.StartTime = &now // want `a reconcile of a Backup changes its status, which runs it again until two end in one second; filter status updates, or set it only when more has changed`
	if err := r.Status().Update(ctx, backup); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: time.Hour}, nil
}

func (r *clock) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

type text struct{ client.Client }

func (r *text) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	base := backup.DeepCopy()
	backup.Status.Message = time.Now().UTC().Format(time.RFC3339) // want `^hygiene: a reconcile of a Backup changes its status, which runs it again until`
	return ctrl.Result{}, r.Status().Patch(ctx, backup, client.MergeFrom(base))
}

func (r *text) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}, builder.WithPredicates(predicate.ResourceVersionChangedPredicate{})).Complete(r)
}

// Fractions of a second are never the same again.
type fraction struct{ client.Client }

func (r *fraction) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	backup.Status.Message = time.Now().UTC().Format(time.RFC3339Nano) // want `^load: each reconcile of a Backup changes its status, which runs the next one, without end`
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

func (r *fraction) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

// A second pass writes others again.
type fanOut struct{ client.Client }

func (r *fanOut) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: req.Name, Namespace: req.Namespace}}
	if err := r.Update(ctx, config); err != nil {
		return ctrl.Result{}, err
	}
	backup.Status.Message = time.Now().UTC().Format(time.RFC3339) // want `^load: a reconcile of a Backup changes its status, which runs it again`
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

func (r *fanOut) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

// The status is stamped where the controller makes what is missing, which it does once.
type maker struct{ client.Client }

func (r *maker) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	config := &corev1.ConfigMap{}
	err := r.Get(ctx, req.NamespacedName, config)
	if apierrors.IsNotFound(err) {
		config.Name, config.Namespace = req.Name, req.Namespace
		if err := r.Create(ctx, config); err != nil {
			return ctrl.Result{}, err
		}
		backup.Status.Message = time.Now().UTC().Format(time.RFC3339) // want `^hygiene: a reconcile of a Backup changes its status, which runs it again`
		return ctrl.Result{}, r.Status().Update(ctx, backup)
	}
	return ctrl.Result{}, err
}

func (r *maker) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

type condition struct{ client.Client }

func (r *condition) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	backup.Status.Conditions = []metav1.Condition{{ // want `a reconcile of a Backup changes LastTransitionTime, which runs it again until two end in one second; use meta.SetStatusCondition`
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Ready", LastTransitionTime: metav1.Now(),
	}}
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

func (r *condition) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

// What looks like it and is right.

type filtered struct{ client.Client }

func (r *filtered) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	now := metav1.Now()
	backup.Status.StartTime = &now
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

func (r *filtered) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithEventFilter(predicate.GenerationChangedPredicate{}).Complete(r)
}

type once struct{ client.Client }

func (r *once) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.Status.StartTime == nil {
		now := metav1.Now()
		backup.Status.StartTime = &now
	}
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

func (r *once) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

// finished stops when it is done.
type finished struct{ client.Client }

func (r *finished) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.Status.Phase == v1.BackupCompleted {
		return ctrl.Result{}, nil
	}
	now := metav1.Now()
	backup.Status.StartTime, backup.Status.Phase = &now, v1.BackupCompleted
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

func (r *finished) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

// seldom writes a clock that is old.
type seldom struct{ client.Client }

func (r *seldom) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.Status.StartTime != nil && time.Since(backup.Status.StartTime.Time) < time.Minute {
		return ctrl.Result{}, nil
	}
	now := metav1.Now()
	backup.Status.StartTime = &now
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

func (r *seldom) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

type compared struct{ client.Client }

func (r *compared) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := backup.DeepCopy()
	meta.SetStatusCondition(&backup.Status.Conditions, metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, LastTransitionTime: metav1.Now()})
	if equality.Semantic.DeepEqual(before.Status, backup.Status) {
		return ctrl.Result{}, nil
	}
	now := metav1.Now()
	backup.Status.StartTime = &now
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

func (r *compared) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}
