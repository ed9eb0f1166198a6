// Package past asks to come back at a time that may have passed.
package past

import (
	"context"
	"crypto/x509"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

const ttl = time.Hour

type reconciler struct {
	client.Client
	clock   clock.Clock
	waiting int
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	expires := backup.CreationTimestamp.Add(ttl)
	return ctrl.Result{RequeueAfter: time.Until(expires)}, nil // want `the object is not looked at again: RequeueAfter is not positive once the time has passed, and nothing is requeued then; use max\(…, time\.Second\) \(reconcileresult/past\)`
}

// A limit, less what has gone by.
func (r *reconciler) less(backup *v1.Backup) (ctrl.Result, error) {
	if backup.Status.StartTime == nil {
		return ctrl.Result{}, nil
	}
	left := ttl - time.Since(backup.Status.StartTime.Time)
	return ctrl.Result{RequeueAfter: left}, nil // want `not looked at again`
}

// One time less the present one; a clock.
func (r *reconciler) sub(backup *v1.Backup) ctrl.Result {
	now := r.clock.Now()
	var result ctrl.Result
	result.RequeueAfter = backup.Status.StartTime.Add(ttl).Sub(now) // want `not looked at again`
	return result
}

func (r *reconciler) certificate(cert *x509.Certificate) (ctrl.Result, error) {
	renew := cert.NotAfter.Add(-ttl)
	return ctrl.Result{RequeueAfter: time.Until(renew)}, nil // want `not looked at again`
}

func (r *reconciler) annotated(backup *v1.Backup) (ctrl.Result, error) {
	until, err := time.Parse(time.RFC3339, backup.Annotations["until"])
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: time.Until(until)}, nil // want `not looked at again`
}

// An upper bound is no lower one.
func (r *reconciler) upper(backup *v1.Backup) (ctrl.Result, error) {
	after := 10 * time.Minute
	if left := time.Until(backup.Status.StartTime.Add(ttl)); left < after {
		after = left
	}
	return ctrl.Result{RequeueAfter: after}, nil // want `not looked at again`
}

// A helper computes it.
func (r *reconciler) helped(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: remaining(backup)}, nil // want `not looked at again`
}

func remaining(backup *v1.Backup) time.Duration {
	return backup.Status.StartTime.Add(ttl).Sub(metav1.Now().Time)
}

// That it is set is not that it is to come.
func (r *reconciler) set(backup *v1.Backup) (ctrl.Result, error) {
	if start := backup.Status.StartTime; !start.IsZero() {
		return ctrl.Result{RequeueAfter: time.Until(start.Time).Round(time.Second)}, nil // want `not looked at again`
	}
	return ctrl.Result{}, nil
}

// The time is handed over.
func (r *reconciler) handed(backup *v1.Backup) (ctrl.Result, error) {
	return r.until(backup.Status.StartTime.Time)
}

func (r *reconciler) until(start time.Time) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: time.Until(start.Add(ttl))}, nil // want `not looked at again`
}

func (r *reconciler) poll(backup *v1.Backup) ctrl.Result {
	var last metav1.Time
	if backup.Status.StartTime != nil {
		last = *backup.Status.StartTime
	}
	delay := r.delay(last, metav1.Now())
	return ctrl.Result{RequeueAfter: delay} // want `not looked at again`
}

func (r *reconciler) delay(last, now metav1.Time) time.Duration {
	if last != now {
		return ttl
	}
	return time.Until(last.Add(ttl))
}

// The clock is read again after the check: it is harmless almost always.
func (r *reconciler) askedBefore(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	expires := backup.CreationTimestamp.Add(ttl)
	if time.Now().After(expires) {
		return ctrl.Result{}, r.Delete(ctx, backup)
	}
	return ctrl.Result{RequeueAfter: time.Until(expires)}, nil // want `the object is not looked at again if the time passes between the check and this`
}

func (r *reconciler) askedMeta(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	if now := metav1.Now(); !now.After(backup.Status.StartTime.Time) {
		return ctrl.Result{RequeueAfter: time.Until(backup.Status.StartTime.Time)}, nil // want `if the time passes between the check and this`
	}
	return ctrl.Result{}, r.Delete(ctx, backup)
}

// Once the time has passed, what was left until then is no delay.
func (r *reconciler) passed(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	now := r.clock.Now()
	next := backup.Status.StartTime.Add(ttl)
	wait := next.Sub(now)
	if now.Before(next) {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	if err := r.start(ctx, backup); err != nil {
		return ctrl.Result{RequeueAfter: wait}, nil // want `RequeueAfter is not positive, since the time was found to have passed; return the error or a fixed delay`
	}
	return ctrl.Result{RequeueAfter: ttl}, nil
}

// The error counts, and nobody reads what stands beside it.
func (r *reconciler) passedButTold(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	next := backup.Status.StartTime.Add(ttl)
	if time.Now().After(next) {
		if err := r.start(ctx, backup); err != nil {
			return ctrl.Result{RequeueAfter: time.Until(next)}, err
		}
	}
	return ctrl.Result{RequeueAfter: ttl}, nil
}

// The time is another one by then.
func (r *reconciler) passedAndMoved(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	next := backup.Status.StartTime.Add(ttl)
	for next.Before(time.Now()) {
		next = next.Add(ttl)
	}
	if time.Now().After(next) {
		next = time.Now().Add(ttl)
		return ctrl.Result{RequeueAfter: time.Until(next)}, nil
	}
	return ctrl.Result{RequeueAfter: ttl}, nil
}

// A delay is added to what has passed.
func (r *reconciler) passedWithMore(backup *v1.Backup) (ctrl.Result, error) {
	next := backup.Status.StartTime.Add(ttl)
	if !time.Now().Before(next) {
		return ctrl.Result{RequeueAfter: time.Until(next) + 2*ttl}, nil
	}
	return ctrl.Result{RequeueAfter: time.Until(next), Requeue: true}, nil
}

func (r *reconciler) passedAtOnce(backup *v1.Backup) (ctrl.Result, error) {
	next := backup.Status.StartTime.Add(ttl)
	if time.Now().After(next) {
		return ctrl.Result{RequeueAfter: time.Until(next)}, nil // want `^stuck: .*the time was found to have passed`
	}
	return ctrl.Result{RequeueAfter: ttl}, nil
}

// What was left was computed long before the time passed.
func (r *reconciler) passedMeanwhile(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	next := r.clock.Now().Add(ttl)
	wait := time.Until(next)
	if err := r.start(ctx, backup); err != nil {
		return ctrl.Result{}, err
	}
	if r.clock.Now().After(next) {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	return ctrl.Result{RequeueAfter: ttl}, nil
}

func (r *reconciler) start(ctx context.Context, backup *v1.Backup) error {
	return r.Status().Update(ctx, backup)
}

// The difference is the wrong way round.
func (r *reconciler) reversed(backup *v1.Backup) (ctrl.Result, error) {
	now := metav1.Now()
	next := backup.Status.StartTime.Add(ttl)
	if !backup.Status.StartTime.IsZero() && now.Before(&metav1.Time{Time: next}) {
		return ctrl.Result{RequeueAfter: now.Sub(next)}, nil // want `RequeueAfter is not positive, since the difference to the time to come is the wrong way round; use time\.Until`
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) since(backup *v1.Backup) ctrl.Result {
	next := backup.CreationTimestamp.Add(ttl)
	if next.After(time.Now()) {
		return ctrl.Result{RequeueAfter: time.Since(next)} // want `the wrong way round`
	}
	return ctrl.Result{}
}

// The object is kept in a struct of the code's own.
type instance struct {
	client.Client
	backup *v1.Backup
	busy   bool
}

func (r *reconciler) process(i *instance) (ctrl.Result, error) {
	var before metav1.Time
	if i.backup.Status.StartTime != nil {
		before = *i.backup.Status.StartTime
	}
	if !adopted(i.backup) {
		return ctrl.Result{Requeue: true}, nil
	}
	requeue := i.start()
	if requeue {
		return ctrl.Result{Requeue: true}, nil
	}
	var after metav1.Time
	if i.backup.Status.StartTime != nil {
		after = *i.backup.Status.StartTime
	}
	delay := r.delay(before, after)
	return ctrl.Result{RequeueAfter: delay}, nil // want `not looked at again`
}

func (i *instance) start() bool {
	now := metav1.Now()
	i.backup.Status.StartTime = &now
	return i.busy
}

func adopted(backup *v1.Backup) bool { return backup.Labels["adopted"] == "true" }

// The longest time that has gone by since one of several.
func (r *reconciler) oldest(backups []*v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: untilNext(backups)}, nil // want `not looked at again`
}

func untilNext(backups []*v1.Backup) time.Duration {
	oldest := time.Duration(0)
	for _, backup := range backups {
		if since := time.Since(backup.Status.StartTime.Time); since > oldest {
			oldest = since
		}
	}
	return ttl - oldest
}

// The time of a condition that a call has found.
func (r *reconciler) condition(backup *v1.Backup) (ctrl.Result, error) {
	ready := meta.FindStatusCondition(backup.Status.Conditions, "Ready")
	if ready == nil {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{RequeueAfter: ttl - time.Since(ready.LastTransitionTime.Time)}, nil // want `not looked at again`
}

// The share of another time says nothing of this one.
func (r *reconciler) shareOfAnother(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	if float64(time.Since(backup.CreationTimestamp.Time))/float64(ttl) > 0.9 {
		return ctrl.Result{}, r.Delete(ctx, backup)
	}
	return ctrl.Result{RequeueAfter: time.Until(backup.Status.StartTime.Add(ttl))}, nil // want `not looked at again`
}

// The certificate is read here.
func (r *reconciler) readHere(secret *corev1.Secret) (ctrl.Result, error) {
	cert, err := x509.ParseCertificate(secret.Data["tls.der"])
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: time.Until(cert.NotAfter.Add(-ttl))}, nil // want `not looked at again`
}
