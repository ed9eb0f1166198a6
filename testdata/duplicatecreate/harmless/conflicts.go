package harmless

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The status is always stored first: a pass that has not seen the last one meets a conflict.
type storesFirst struct{ client.Client }

func (r *storesFirst) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.look(ctx, backup); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.ensure(ctx, backup)
}

func (r *storesFirst) look(ctx context.Context, backup *v1.Backup) error {
	var secrets corev1.SecretList
	if err := r.List(ctx, &secrets); err != nil {
		return err
	}
	now := metav1.Now()
	backup.Status.StartTime = &now
	return r.Status().Update(ctx, backup)
}

func (r *storesFirst) ensure(ctx context.Context, backup *v1.Backup) error {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(backup.Namespace)); err != nil || len(pods.Items) > 0 {
		return err
	}
	if err := r.Create(ctx, podOf(backup)); err != nil { // want `hygiene: two of this Pod are made`
		return err
	}
	backup.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, backup)
}

// Mistakes: it need not be stored first.
type storesAtTimes struct{ storesFirst }

func (r *storesAtTimes) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.begin(ctx, backup); err != nil {
		return ctrl.Result{}, err
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(backup.Namespace)); err != nil || len(pods.Items) > 0 {
		return ctrl.Result{}, err
	}
	if err := r.Create(ctx, podOf(backup)); err != nil { // want `loss: two of this Pod are made`
		return ctrl.Result{}, err
	}
	backup.Status.Phase = v1.BackupRunning
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

func (r *storesAtTimes) begin(ctx context.Context, backup *v1.Backup) error {
	if backup.Status.StartTime != nil {
		return nil
	}
	now := metav1.Now()
	backup.Status.StartTime = &now
	return r.Status().Update(ctx, backup)
}

// A conflict is overcome.
type overcomes struct{ client.Client }

func (r *overcomes) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.begin(ctx, backup); err != nil {
		return ctrl.Result{}, err
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(backup.Namespace)); err != nil || len(pods.Items) > 0 {
		return ctrl.Result{}, err
	}
	if err := r.Create(ctx, podOf(backup)); err != nil { // want `loss: two of this Pod are made`
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.begin(ctx, backup)
}

func (r *overcomes) begin(ctx context.Context, backup *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := r.Get(ctx, client.ObjectKeyFromObject(backup), backup); err != nil {
			return err
		}
		backup.Status.Phase = v1.BackupRunning
		return r.Status().Update(ctx, backup)
	})
}

// Nothing tells afterwards what has been created: the version stays the same.
type storesNothing struct{ storesFirst }

func (r *storesNothing) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.look(ctx, backup); err != nil {
		return ctrl.Result{}, err
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(backup.Namespace)); err != nil || len(pods.Items) > 0 {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Create(ctx, podOf(backup)) // want `loss: two of this Pod are made`
}

// Only what has failed is told.
type tellsFailures struct{ storesFirst }

func (r *tellsFailures) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.look(ctx, backup); err != nil {
		return ctrl.Result{}, err
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(backup.Namespace)); err != nil || len(pods.Items) > 0 {
		return ctrl.Result{}, err
	}
	pod := podOf(backup)
	if err := r.Create(ctx, pod); err != nil { // want `loss: two of this Pod are made`
		return ctrl.Result{}, err
	}
	if pod.Status.Phase == corev1.PodFailed {
		backup.Status.Phase = v1.BackupFailed
		return ctrl.Result{}, r.Status().Update(ctx, backup)
	}
	return ctrl.Result{}, nil
}
