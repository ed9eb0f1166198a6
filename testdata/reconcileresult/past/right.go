package past

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func (r *reconciler) checked(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	left := time.Until(backup.CreationTimestamp.Add(ttl))
	if left <= 0 {
		return ctrl.Result{}, r.Delete(ctx, backup)
	}
	return ctrl.Result{RequeueAfter: left}, nil
}

func (r *reconciler) checkedOtherwise(backup *v1.Backup) (ctrl.Result, error) {
	if left := time.Until(backup.CreationTimestamp.Add(ttl)); left > 0 {
		return ctrl.Result{RequeueAfter: left}, nil
	}
	return ctrl.Result{}, nil
}

// The time itself is asked, at the same present.
func (r *reconciler) asked(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	expires, now := backup.CreationTimestamp.Add(ttl), time.Now()
	if now.After(expires) {
		return ctrl.Result{}, r.Delete(ctx, backup)
	}
	return ctrl.Result{RequeueAfter: expires.Sub(now)}, nil
}

// What has gone by is compared, and nobody says that the time is to come.
func (r *reconciler) age(backup *v1.Backup) (ctrl.Result, error) {
	now := metav1.Now()
	if backup.CreationTimestamp.Before(&now) {
		return ctrl.Result{RequeueAfter: now.Sub(backup.CreationTimestamp.Time)}, nil
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) elapsed(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	if time.Since(backup.CreationTimestamp.Time) >= ttl {
		return ctrl.Result{}, r.Delete(ctx, backup)
	}
	return ctrl.Result{RequeueAfter: ttl - time.Since(backup.CreationTimestamp.Time)}, nil
}

func (r *reconciler) predicate(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	if expired(backup) {
		return ctrl.Result{}, r.Delete(ctx, backup)
	}
	return ctrl.Result{RequeueAfter: time.Until(backup.CreationTimestamp.Add(ttl))}, nil
}

func expired(backup *v1.Backup) bool {
	return time.Now().After(backup.CreationTimestamp.Add(ttl))
}

// The present time is before it.
func (r *reconciler) before(backup *v1.Backup) (ctrl.Result, error) {
	now := metav1.Now()
	if backup.Status.StartTime != nil && now.Before(backup.Status.StartTime) {
		return ctrl.Result{RequeueAfter: backup.Status.StartTime.Sub(now.Time)}, nil
	}
	return ctrl.Result{}, nil
}

// A lower bound.
func (r *reconciler) bounded(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: max(time.Until(backup.CreationTimestamp.Add(ttl)), time.Second)}, nil
}

func (r *reconciler) boundedByHand(backup *v1.Backup) (ctrl.Result, error) {
	left := time.Until(backup.CreationTimestamp.Add(ttl))
	if left < time.Second {
		left = time.Second
	}
	return ctrl.Result{RequeueAfter: left}, nil
}

func (r *reconciler) boundedInHelper(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: atLeast(backup)}, nil
}

func atLeast(backup *v1.Backup) time.Duration {
	left := time.Until(backup.CreationTimestamp.Add(ttl))
	if left < 0 {
		return time.Second
	}
	return left
}

// Requeue asks for it, too.
func (r *reconciler) both(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{Requeue: true, RequeueAfter: time.Until(backup.CreationTimestamp.Add(ttl))}, nil
}

// The time is one that was chosen here.
func (r *reconciler) chosen(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	now := metav1.Now()
	backup.Status.StartTime = &now
	if err := r.Status().Update(ctx, backup); err != nil {
		return ctrl.Result{}, err
	}
	next := time.Now().Add(ttl)
	if backup.Spec.Paused {
		return ctrl.Result{RequeueAfter: time.Until(next)}, nil
	}
	return ctrl.Result{RequeueAfter: ttl - time.Since(backup.Status.StartTime.Time)}, nil
}

type schedule interface{ Next(time.Time) time.Time }

// A schedule's next time is to come.
func (r *reconciler) scheduled(s schedule) (ctrl.Result, error) {
	now := time.Now()
	return ctrl.Result{RequeueAfter: s.Next(now).Sub(now)}, nil
}

// The longest time that has gone by is compared with the limit.
func (r *reconciler) oldestOrNow(backups []*v1.Backup) (ctrl.Result, error) {
	oldest := time.Duration(0)
	for _, backup := range backups {
		since := time.Since(backup.Status.StartTime.Time)
		if since > ttl {
			return ctrl.Result{Requeue: true}, nil
		}
		if since > oldest {
			oldest = since
		}
	}
	return ctrl.Result{RequeueAfter: ttl - oldest}, nil
}

func (r *reconciler) oldestInTime(backups []*v1.Backup) (ctrl.Result, error) {
	oldest := time.Duration(0)
	for _, backup := range backups {
		if since := time.Since(backup.Status.StartTime.Time); since > oldest {
			oldest = since
		}
	}
	if oldest >= ttl {
		return ctrl.Result{Requeue: true}, nil
	}
	return ctrl.Result{RequeueAfter: ttl - oldest}, nil
}

// Whether it has passed was asked, and the answer is kept.
func (r *reconciler) keptAnswer(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	due := false
	last := backup.Status.StartTime
	if last != nil && last.Add(ttl).Before(time.Now()) {
		due = true
	}
	if due || backup.Spec.Paused {
		return ctrl.Result{}, r.Delete(ctx, backup)
	}
	return ctrl.Result{RequeueAfter: time.Until(last.Add(ttl))}, nil
}

// The answer is kept, and another function computes what is left of the time itself.
func (r *reconciler) keptAnswerOfATime(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	due := false
	last := backup.Status.StartTime
	if last != nil && last.Add(ttl).Before(time.Now()) {
		due = true
	}
	if due || backup.Spec.Paused {
		return ctrl.Result{}, r.Delete(ctx, backup)
	}
	return ctrl.Result{RequeueAfter: leftOf(last)}, nil
}

func leftOf(start *metav1.Time) time.Duration { return time.Until(start.Add(ttl)) }

// The caller has dealt with those whose time has passed.
func (r *reconciler) askedByCaller(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	age := time.Since(backup.Status.StartTime.Time)
	state := "young"
	if age > ttl {
		state = "old"
	}
	switch state {
	case "old":
		return ctrl.Result{}, r.Delete(ctx, backup)
	default:
		return r.later(backup)
	}
}

func (r *reconciler) later(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: time.Until(backup.Status.StartTime.Add(ttl))}, nil
}

// What is called before renews one that has passed.
func (r *reconciler) renewed(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	if err := r.renew(ctx, backup); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: time.Until(backup.Status.StartTime.Time)}, nil
}

func (r *reconciler) renew(ctx context.Context, backup *v1.Backup) error {
	if now := metav1.Now(); now.After(backup.Status.StartTime.Time) {
		return r.Delete(ctx, backup)
	}
	return nil
}

// Below nine tenths of the period there is some of it left.
func (r *reconciler) share(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	if float64(time.Since(backup.Status.StartTime.Time))/float64(ttl) > 0.9 {
		return ctrl.Result{}, r.Delete(ctx, backup)
	}
	return ctrl.Result{RequeueAfter: time.Until(backup.Status.StartTime.Add(ttl))}, nil
}

func (r *reconciler) hours(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	if time.Since(backup.Status.StartTime.Time).Hours() >= 24 {
		return ctrl.Result{}, r.Delete(ctx, backup)
	}
	return ctrl.Result{RequeueAfter: 24*time.Hour - time.Since(backup.Status.StartTime.Time)}, nil
}

func (r *reconciler) shareElsewhere(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	if gone(backup) > 0.9 {
		return ctrl.Result{}, r.Delete(ctx, backup)
	}
	return ctrl.Result{RequeueAfter: time.Until(backup.Status.StartTime.Add(ttl))}, nil
}

func gone(backup *v1.Backup) float64 {
	return float64(time.Since(backup.Status.StartTime.Time)) / float64(ttl)
}

// Its nanoseconds tell as well whether it is over.
func (r *reconciler) nanoseconds(b *v1.Backup) (ctrl.Result, error) {
	delay := time.Until(b.CreationTimestamp.Add(time.Hour))
	if delay.Nanoseconds() > 0 {
		return ctrl.Result{RequeueAfter: delay}, nil
	}
	return ctrl.Result{}, nil
}
