package past

import (
	"errors"
	"fmt"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Helpers return a pointer to what is left, which is nil where nothing is.

func (r *reconciler) ifAny(backup *v1.Backup) (ctrl.Result, error) {
	if after := leftIfAny(backup); after != nil {
		return ctrl.Result{RequeueAfter: *after}, nil // want `not looked at again: RequeueAfter is not positive once`
	}
	return ctrl.Result{}, nil
}

func leftIfAny(backup *v1.Backup) *time.Duration {
	if backup.Status.StartTime == nil {
		return nil
	}
	left := time.Until(backup.Status.StartTime.Add(ttl))
	return &left
}

// expiresError tells that something expires soon: when it was made, the time was to come.
type expiresError struct {
	when time.Time
}

func (e *expiresError) Error() string { return fmt.Sprintf("expires at %s", e.when) }

func (r *reconciler) ofAnError(backup *v1.Backup) (ctrl.Result, error) {
	if after := leftOfAnError(r.check(backup)); after != nil {
		return ctrl.Result{RequeueAfter: *after}, nil // want `if the time that the error tells passes before this`
	}
	return ctrl.Result{}, nil
}

func leftOfAnError(err error) *time.Duration {
	var expires *expiresError
	if errors.As(err, &expires) {
		left := time.Until(expires.when)
		return &left
	}
	return nil
}

func (r *reconciler) check(backup *v1.Backup) error {
	if backup.Labels["ready"] == "" {
		return errors.New("not ready")
	}
	return &expiresError{when: backup.CreationTimestamp.Add(ttl)}
}

// Right: the helper bounds it, or the caller does.

func (r *reconciler) ifAnyBounded(backup *v1.Backup) (ctrl.Result, error) {
	if after := boundedIfAny(backup); after != nil {
		return ctrl.Result{RequeueAfter: *after}, nil
	}
	return ctrl.Result{}, nil
}

func boundedIfAny(backup *v1.Backup) *time.Duration {
	left := max(time.Until(backup.CreationTimestamp.Add(ttl)), time.Second)
	return &left
}

func (r *reconciler) boundedByCaller(backup *v1.Backup) (ctrl.Result, error) {
	if after := leftIfAny(backup); after != nil && *after > 0 {
		return ctrl.Result{RequeueAfter: *after}, nil
	}
	return ctrl.Result{Requeue: true}, nil
}

func (r *reconciler) ofAnErrorBounded(backup *v1.Backup) (ctrl.Result, error) {
	var expires *expiresError
	if errors.As(r.check(backup), &expires) {
		return ctrl.Result{RequeueAfter: max(time.Until(expires.when), time.Second)}, nil
	}
	return ctrl.Result{}, nil
}
