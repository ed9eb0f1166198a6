package past

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/reconcileresult/helpers/lib"
)

// Right: that the time has passed was thought of.

// It is acted upon where nothing is left; what goes on from there has failed.
func (r *reconciler) goesOn(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	left := time.Until(backup.CreationTimestamp.Add(ttl))
	if left <= 0 {
		done, err := r.expire(ctx, backup)
		if err != nil || done {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{RequeueAfter: left}, nil
}

func (r *reconciler) expire(ctx context.Context, backup *v1.Backup) (bool, error) {
	backup.Status.Phase = v1.BackupFailed
	err := r.Status().Update(ctx, backup)
	return err == nil, err
}

// What its nanoseconds tell is only counted.
func (r *reconciler) counted(backup *v1.Backup) (ctrl.Result, error) {
	delay := time.Until(backup.CreationTimestamp.Add(ttl))
	if delay.Nanoseconds() > 0 {
		r.waiting++
	}
	return ctrl.Result{RequeueAfter: delay}, nil
}

// The text is read twice.
func (r *reconciler) readTwice(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	if err := r.cleanUp(ctx, backup); err != nil {
		return ctrl.Result{}, err
	}
	until, err := time.Parse(time.RFC3339, backup.Annotations["until"])
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: time.Until(until)}, nil
}

func (r *reconciler) cleanUp(ctx context.Context, backup *v1.Backup) error {
	until, err := time.Parse(time.RFC3339, backup.Annotations["until"])
	if err != nil || time.Now().Before(until) {
		return err
	}
	return r.Delete(ctx, backup)
}

// Another package is asked about it.
func (r *reconciler) askedElsewhere(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	if lib.IsOver(backup, ttl) {
		return ctrl.Result{}, r.Delete(ctx, backup)
	}
	return r.back(backup)
}

func (r *reconciler) back(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: time.Until(backup.Status.StartTime.Add(ttl))}, nil
}

// Another package sees to it that the certificate is a fresh one.
func (r *reconciler) fresh(secret *corev1.Secret) (ctrl.Result, error) {
	cert, err := lib.Renewed(secret)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: time.Until(cert.NotAfter.Add(-ttl))}, nil
}
