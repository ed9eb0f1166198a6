package past

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The present is handed in, so that tests can choose it, or a function tells it.

func (r *reconciler) presentHanded(backup *v1.Backup) (ctrl.Result, error) {
	now := time.Now()
	return ctrl.Result{RequeueAfter: leftAt(now, backup)}, nil // want `not looked at again`
}

func leftAt(now time.Time, backup *v1.Backup) time.Duration {
	return leftOfLimit(backup.CreationTimestamp.Add(ttl), now)
}

func leftOfLimit(limit, now time.Time) time.Duration { return limit.Sub(now) }

type timed struct {
	now   func() time.Time
	start func() time.Time
}

func newTimed(start func() time.Time) *timed { return &timed{now: time.Now, start: start} }

func (t *timed) told(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: backup.CreationTimestamp.Add(ttl).Sub(t.now())}, nil // want `not looked at again`
}

func (t *timed) elapsed(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: left(t.now(), backup)}, nil // want `not looked at again`
}

func left(now time.Time, backup *v1.Backup) time.Duration {
	return ttl - now.Sub(backup.CreationTimestamp.Time)
}

// Right: it is asked first, the helper sees to it, and the difference of two times that are both
// on record is none to the present.

func (t *timed) askedFirst(backup *v1.Backup) (ctrl.Result, error) {
	now := t.now()
	if now.After(backup.CreationTimestamp.Add(2 * ttl)) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{RequeueAfter: untilEnd(now, backup)}, nil
}

func untilEnd(now time.Time, backup *v1.Backup) time.Duration {
	return backup.CreationTimestamp.Add(2 * ttl).Sub(now)
}

func (t *timed) atLeastASecond(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: boundedLeft(t.now(), backup)}, nil
}

func boundedLeft(now time.Time, backup *v1.Backup) time.Duration {
	if left := backup.CreationTimestamp.Add(ttl).Sub(now); left > time.Second {
		return left
	}
	return time.Second
}

func (r *reconciler) took(backup *v1.Backup) (ctrl.Result, error) {
	if backup.Status.StartTime == nil {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{RequeueAfter: between(backup.CreationTimestamp, *backup.Status.StartTime)}, nil
}

// What another function tells is no present, nor what a literal tells.
func (t *timed) sinceStart(backup *v1.Backup) (ctrl.Result, error) {
	created := func() time.Time { return backup.CreationTimestamp.Time }
	if backup.Status.StartTime.Time.Before(created()) {
		return ctrl.Result{RequeueAfter: backup.CreationTimestamp.Add(ttl).Sub(t.start())}, nil
	}
	return ctrl.Result{RequeueAfter: backup.Status.StartTime.Sub(created())}, nil
}

// The time is set to the present just before.
func (t *timed) startsNow(backup *v1.Backup) (ctrl.Result, error) {
	now := t.now()
	started := metav1.NewTime(now)
	backup.Status.StartTime = &started
	return ctrl.Result{RequeueAfter: leftOfStarted(now, backup)}, nil
}

func leftOfStarted(now time.Time, backup *v1.Backup) time.Duration {
	return backup.Status.StartTime.Add(ttl).Sub(now)
}

func between(from, to metav1.Time) time.Duration { return to.Sub(from.Time) }
