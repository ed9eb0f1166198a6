package past

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Helpers get the time by a pointer, or return it.

func (r *reconciler) byPointer(backup *v1.Backup) (ctrl.Result, error) {
	expires := backup.CreationTimestamp.Add(ttl)
	return ctrl.Result{RequeueAfter: untilTime(&expires)}, nil // want `not looked at again`
}

func untilTime(t *time.Time) time.Duration { return time.Until(*t) }

func (r *reconciler) ofAField(backup *v1.Backup) (ctrl.Result, error) {
	if backup.Status.StartTime == nil {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{RequeueAfter: rounded(backup.Status.StartTime)}, nil // want `not looked at again`
}

func rounded(t *metav1.Time) time.Duration { return time.Until(t.Time).Round(time.Second) }

func (r *reconciler) returned(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: time.Until(expiry(backup))}, nil // want `not looked at again`
}

func expiry(backup *v1.Backup) time.Time { return backup.CreationTimestamp.Add(ttl) }

// Reading it into a literal makes it the API server's.
func (r *reconciler) readIntoALiteral(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{RequeueAfter: time.Until(backup.CreationTimestamp.Add(ttl))}, nil // want `not looked at again`
}

// Right: beside an error RequeueAfter counts for nothing, the helper sees to it, or decides
// which time it is, and what a function makes has the time that the code has chosen.

func (r *reconciler) besideAnError(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.Update(ctx, backup); err != nil {
		return ctrl.Result{RequeueAfter: time.Until(backup.CreationTimestamp.Add(ttl))}, err
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) atLeast(backup *v1.Backup) (ctrl.Result, error) {
	expires := backup.CreationTimestamp.Add(ttl)
	return ctrl.Result{RequeueAfter: atLeastASecond(&expires)}, nil
}

func atLeastASecond(t *time.Time) time.Duration { return max(time.Until(*t), time.Second) }

func (r *reconciler) toCome(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: time.Until(next(backup))}, nil
}

func next(backup *v1.Backup) time.Time {
	next := backup.CreationTimestamp.Add(ttl)
	for next.Before(time.Now()) {
		next = next.Add(ttl)
	}
	return next
}

func (r *reconciler) ofOurOwn(ctx context.Context) (ctrl.Result, error) {
	backup := made()
	if err := r.Create(ctx, backup); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: time.Until(backup.CreationTimestamp.Add(ttl))}, nil
}

func made() *v1.Backup {
	return &v1.Backup{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.Now()}}
}
