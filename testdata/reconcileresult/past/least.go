package past

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The least of several delays is zero where one of them has none.

func (r *reconciler) leastOfNone(backup *v1.Backup) (ctrl.Result, error) {
	after := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		after = time.Minute
	}
	if backup.Spec.Source != "" {
		after = min(after, ttl)
	}
	return ctrl.Result{RequeueAfter: after}, nil // want `the object is not looked at again where a delay is still zero: so is the least of all, which asks for nothing; leave out those that are zero \(reconcileresult/past\)`
}

func (r *reconciler) leastInAField(ctx context.Context, backup *v1.Backup) (result ctrl.Result, err error) {
	var wait time.Duration
	switch backup.Status.Phase {
	case v1.BackupFailed:
		wait = time.Minute
	case v1.BackupRunning:
		wait = time.Hour
	}
	result.RequeueAfter = min(ttl, wait) // want `so is the least of all, which asks for nothing`
	return result, r.Status().Update(ctx, backup)
}

// Right.

func (r *reconciler) leastOfSome(backup *v1.Backup) (ctrl.Result, error) {
	after := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		after = time.Minute
	}
	if after > 0 {
		after = min(after, ttl)
	} else {
		after = ttl
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

func (r *reconciler) leastOfWhatIsSet(backup *v1.Backup) (ctrl.Result, error) {
	after := ttl
	if backup.Status.Phase == v1.BackupFailed {
		after = min(after, time.Minute)
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

func (r *reconciler) leastIfFailed(backup *v1.Backup) (ctrl.Result, error) {
	after := time.Duration(0)
	failed := backup.Status.Phase == v1.BackupFailed
	if failed {
		after = time.Minute
	}
	if failed {
		after = min(after, ttl)
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

func (r *reconciler) leastButASecond(backup *v1.Backup) (ctrl.Result, error) {
	after := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		after = time.Minute
	}
	return ctrl.Result{RequeueAfter: max(time.Second, min(after, ttl))}, nil
}

func (r *reconciler) leastOrElse(backup *v1.Backup) (ctrl.Result, error) {
	after := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		after = time.Minute
	}
	after = min(after, ttl)
	if after == 0 {
		after = ttl
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

func (r *reconciler) leastOnce(backup *v1.Backup) (ctrl.Result, error) {
	after := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		after = time.Minute
	}
	if backup.Status.Phase == v1.BackupFailed && backup.Spec.Source != "" {
		after = min(after, ttl)
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

func (r *reconciler) leastInTheEnd(backup *v1.Backup) (ctrl.Result, error) {
	result, err := r.leastFor(backup)
	if result.RequeueAfter == 0 {
		result.RequeueAfter = ttl
	}
	return result, err
}

func (r *reconciler) leastFor(backup *v1.Backup) (ctrl.Result, error) {
	after := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		after = time.Minute
	}
	return ctrl.Result{RequeueAfter: min(after, ttl)}, nil
}
