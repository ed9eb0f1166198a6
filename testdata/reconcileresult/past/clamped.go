package past

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Zero asks for nothing, as what is negative does.

func (r *reconciler) clamped(backup *v1.Backup) (ctrl.Result, error) {
	after := time.Until(backup.CreationTimestamp.Add(ttl))
	if after < 0 {
		after = 0
	}
	return ctrl.Result{RequeueAfter: after}, nil // want `the object is not looked at again once the time has passed: RequeueAfter is zero then, which asks for nothing; fall back to a fixed delay \(reconcileresult/past\)`
}

func (r *reconciler) atLeastZero(backup *v1.Backup) (ctrl.Result, error) {
	now := r.clock.Now()
	return ctrl.Result{RequeueAfter: max(0, backup.CreationTimestamp.Add(ttl).Sub(now))}, nil // want `the object is not looked at again once the time has passed: RequeueAfter is zero then`
}

func (r *reconciler) ofAHelper(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: remainingOf(backup)}, nil // want `the object is not looked at again once the time has passed: RequeueAfter is zero then`
}

func remainingOf(backup *v1.Backup) time.Duration {
	if backup.Status.StartTime == nil {
		return ttl
	}
	left := backup.Status.StartTime.Add(ttl).Sub(time.Now())
	if left < 0 {
		return 0
	}
	return left
}

func (r *reconciler) ofAHelperThatMerges(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: merged(backup)}, nil // want `RequeueAfter is zero then`
}

func merged(backup *v1.Backup) time.Duration {
	left := ttl - time.Since(backup.CreationTimestamp.Time)
	if left <= 0 {
		left = 0
	}
	return left
}

// Right: zero is compared, or never comes as far, or is bounded; the time is the code's own, or
// something else asks to come back.

func (r *reconciler) comparedWithZero(backup *v1.Backup) (ctrl.Result, error) {
	if left := remainingOf(backup); left > 0 {
		return ctrl.Result{RequeueAfter: left}, nil
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) boundedAfterwards(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: max(remainingOf(backup), time.Second)}, nil
}

func (r *reconciler) boundedByMore(backup *v1.Backup) (ctrl.Result, error) {
	after := time.Until(backup.CreationTimestamp.Add(ttl))
	if after < 0 {
		after = 0
	}
	return ctrl.Result{RequeueAfter: after + time.Second}, nil
}

func (r *reconciler) requeues(backup *v1.Backup) (ctrl.Result, error) {
	after := time.Until(backup.CreationTimestamp.Add(ttl))
	if after < 0 {
		after = 0
	}
	return ctrl.Result{RequeueAfter: after, Requeue: true}, nil
}

func (r *reconciler) ofOurOwnTime(interval time.Duration) (ctrl.Result, error) {
	after := time.Until(r.clock.Now().Add(interval))
	if after < 0 {
		after = 0
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

func (r *reconciler) floored(backup *v1.Backup) (ctrl.Result, error) {
	after := time.Until(backup.CreationTimestamp.Add(ttl))
	if after < time.Second {
		after = time.Second
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

// Only a moment is left between the two looks at the clock.
func (r *reconciler) checkedBefore(backup *v1.Backup) (ctrl.Result, error) {
	expires := backup.CreationTimestamp.Add(ttl)
	if time.Now().After(expires) {
		return ctrl.Result{}, nil
	}
	after := time.Until(expires)
	if after < 0 {
		after = 0
	}
	return ctrl.Result{RequeueAfter: after}, nil // want `^hygiene: the object is not looked at again if the time passes between the check and this: RequeueAfter is zero then`
}

// What is to be done is done where nothing is left.
func (r *reconciler) doneInTheBranch(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	after := time.Until(backup.CreationTimestamp.Add(ttl))
	if after <= 0 {
		if err := r.Delete(ctx, backup); err != nil {
			return ctrl.Result{}, err
		}
		after = 0
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

func (r *reconciler) doneBefore(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	after := time.Until(backup.CreationTimestamp.Add(ttl))
	if after <= 0 {
		if err := r.Delete(ctx, backup); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{RequeueAfter: max(0, after)}, nil
}

func (r *reconciler) askedTwice(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	if remainingOf(backup) == 0 {
		return ctrl.Result{}, r.Delete(ctx, backup)
	}
	return ctrl.Result{RequeueAfter: remainingOf(backup)}, nil
}

// Zero tells the caller to go on.
func (r *reconciler) inSteps(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	if result, err := r.wait(backup); err != nil || !result.IsZero() {
		return result, err
	}
	return ctrl.Result{}, r.Delete(ctx, backup)
}

func (r *reconciler) wait(backup *v1.Backup) (ctrl.Result, error) {
	after := time.Until(backup.CreationTimestamp.Add(ttl))
	if after < 0 {
		after = 0
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

// It is mended afterwards.
func (r *reconciler) mended(backup *v1.Backup) (ctrl.Result, error) {
	var result ctrl.Result
	result.RequeueAfter = max(0, time.Until(backup.CreationTimestamp.Add(ttl)))
	if result.RequeueAfter == 0 {
		result.RequeueAfter = time.Second
	}
	return result, nil
}

// A caller that only hands it on does not help.
func (r *reconciler) handsOn(backup *v1.Backup) (ctrl.Result, error) { return r.waits(backup) }

func (r *reconciler) waits(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: max(0, time.Until(backup.CreationTimestamp.Add(ttl)))}, nil // want `RequeueAfter is zero then`
}

// Neither does one that defers something.
func (r *reconciler) defers(backup *v1.Backup) (ctrl.Result, error) {
	defer func() { r.waiting++ }()
	return r.waitsToo(backup)
}

func (r *reconciler) waitsToo(backup *v1.Backup) (result ctrl.Result, err error) {
	defer func() { r.waiting-- }()
	return ctrl.Result{RequeueAfter: max(0, time.Until(backup.CreationTimestamp.Add(ttl)))}, nil // want `RequeueAfter is zero then`
}

// What a variable of a result has is stored there again where it is returned.
func (r *reconciler) named(backup *v1.Backup) (result ctrl.Result, err error) {
	defer func() { r.waiting-- }()
	result, err = r.waitsInVariable(backup)
	return result, err
}

func (r *reconciler) waitsInVariable(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: max(0, time.Until(backup.CreationTimestamp.Add(ttl)))}, nil // want `RequeueAfter is zero then`
}
