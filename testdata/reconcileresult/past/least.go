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
		after = min(after, r.interval(backup))
	}
	return ctrl.Result{RequeueAfter: after}, nil // want `^stuck: the object is not looked at again where a delay is still zero: so is the least of all, which asks for nothing; leave out those that are zero \(reconcileresult/past\)`
}

func (r *reconciler) leastWithDefer(backup *v1.Backup) (_ ctrl.Result, err error) {
	defer func() { r.finish(backup, err) }()
	after := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		after = time.Minute
	}
	return ctrl.Result{RequeueAfter: min(after, r.interval(backup))}, nil // want `^stuck: the object`
}

func (r *reconciler) finish(*v1.Backup, error) {}

// What is deferred sets another Result now and then.
func (r *reconciler) leastUnlessPaused(backup *v1.Backup) (result ctrl.Result, err error) {
	defer func() {
		if backup.Spec.Paused {
			result = ctrl.Result{RequeueAfter: time.Hour}
		}
	}()
	after := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		after = time.Minute
	}
	return ctrl.Result{RequeueAfter: min(after, r.interval(backup))}, nil // want `^stuck: the object`
}

// The other one may be the longest delay that there is.
func (r *reconciler) leastInAField(ctx context.Context, backup *v1.Backup) (result ctrl.Result, err error) {
	var wait time.Duration
	switch backup.Status.Phase {
	case v1.BackupFailed:
		wait = time.Minute
	case v1.BackupRunning:
		wait = time.Hour
	}
	result.RequeueAfter = min(ttl, wait) // want `^hygiene: .*so is the least of all, which asks for nothing`
	return result, r.Status().Update(ctx, backup)
}

func (r *reconciler) interval(backup *v1.Backup) time.Duration {
	if backup.Spec.Paused {
		return time.Hour
	}
	return time.Minute
}

// Right.

func (r *reconciler) leastAskedAsAWhole(backup *v1.Backup) (ctrl.Result, error) {
	var result ctrl.Result
	wait := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		wait = time.Minute
	}
	result.RequeueAfter = min(wait, r.interval(backup))
	if result.IsZero() {
		return ctrl.Result{RequeueAfter: time.Hour}, nil
	}
	return result, nil
}

func (r *reconciler) leastMendedLater(backup *v1.Backup) (result ctrl.Result, err error) {
	defer func() {
		if result == (ctrl.Result{}) {
			result = ctrl.Result{RequeueAfter: time.Hour}
		}
	}()
	after := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		after = time.Minute
	}
	return ctrl.Result{RequeueAfter: min(after, r.interval(backup))}, nil
}

func (r *reconciler) leastCompared(backup *v1.Backup) (ctrl.Result, error) {
	wait := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		wait = time.Minute
	}
	result := ctrl.Result{RequeueAfter: min(wait, r.interval(backup))}
	if result != (ctrl.Result{}) {
		return result, nil
	}
	return ctrl.Result{RequeueAfter: time.Hour}, nil
}

func (r *reconciler) leastHandedOn(backup *v1.Backup) (ctrl.Result, error) {
	wait := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		wait = time.Minute
	}
	return soonest(ctrl.Result{RequeueAfter: min(wait, r.interval(backup))}, ctrl.Result{RequeueAfter: time.Hour}), nil
}

func soonest(a, b ctrl.Result) ctrl.Result {
	if a.RequeueAfter == 0 {
		return b
	}
	return a
}

func (r *reconciler) leastAskedInSeconds(backup *v1.Backup) (ctrl.Result, error) {
	wait := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		wait = time.Minute
	}
	if wait.Seconds() > 0 {
		wait = min(wait, r.interval(backup))
	}
	return ctrl.Result{RequeueAfter: wait}, nil
}

func (r *reconciler) leastOfALoop(backups []*v1.Backup) (ctrl.Result, error) {
	var after time.Duration
	for i, backup := range backups {
		if i == 0 {
			after = r.interval(backup)
		}
		after = min(after, r.interval(backup))
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

func (r *reconciler) leastIfSet(backup *v1.Backup) (ctrl.Result, error) {
	after := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		after = time.Minute
	}
	if !isSet(after) {
		return ctrl.Result{RequeueAfter: ttl}, nil
	}
	return ctrl.Result{RequeueAfter: min(after, r.interval(backup))}, nil
}

func isSet(d time.Duration) bool { return d > 0 }

func (r *reconciler) leastOfSome(backup *v1.Backup) (ctrl.Result, error) {
	after := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		after = time.Minute
	}
	if after > 0 {
		after = min(after, r.interval(backup))
	} else {
		after = ttl
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

func (r *reconciler) leastOfWhatIsSet(backup *v1.Backup) (ctrl.Result, error) {
	after := ttl
	if backup.Status.Phase == v1.BackupFailed {
		after = min(after, r.interval(backup))
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
		after = min(after, r.interval(backup))
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

func (r *reconciler) leastButASecond(backup *v1.Backup) (ctrl.Result, error) {
	after := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		after = time.Minute
	}
	return ctrl.Result{RequeueAfter: max(time.Second, min(after, r.interval(backup)))}, nil
}

func (r *reconciler) leastOrElse(backup *v1.Backup) (ctrl.Result, error) {
	after := time.Duration(0)
	if backup.Status.Phase == v1.BackupFailed {
		after = time.Minute
	}
	after = min(after, r.interval(backup))
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
		after = min(after, r.interval(backup))
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
	return ctrl.Result{RequeueAfter: min(after, r.interval(backup))}, nil
}
