// Package gated has the cases of finalizerremoval/gated: the removal depends on
// the spec.
package gated

import (
	"context"

	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

const (
	dataFinalizer  = "example.opvet.dev/data"
	indexFinalizer = "example.opvet.dev/index"
	usersFinalizer = "example.opvet.dev/users"
	lockFinalizer  = "example.opvet.dev/lock"
	quotaFinalizer = "example.opvet.dev/quota"
	phaseFinalizer = "example.opvet.dev/phase"
	flagFinalizer  = "example.opvet.dev/flag"
	laterFinalizer = "example.opvet.dev/later"
	movedFinalizer = "example.opvet.dev/moved"
	wipeFinalizer  = "example.opvet.dev/wipe"
	pauseFinalizer = "example.opvet.dev/pause"
	guardFinalizer = "example.opvet.dev/guard"

	shieldFinalizer = "example.opvet.dev/shield"
	toldFinalizer   = "example.opvet.dev/told"
)

type reconciler struct{ client.Client }

func (r *reconciler) ensure(ctx context.Context, b *v1.Backup) error {
	for _, f := range []string{dataFinalizer, indexFinalizer, usersFinalizer} {
		controllerutil.AddFinalizer(b, f)
	}
	return r.Update(ctx, b)
}

func (r *reconciler) remove(ctx context.Context, b *v1.Backup, finalizer string) (*v1.Backup, error) {
	controllerutil.RemoveFinalizer(b, finalizer)
	return r.latest(ctx, b)
}

func (r *reconciler) latest(ctx context.Context, b *v1.Backup) (*v1.Backup, error) {
	if err := r.Update(ctx, b); err != nil {
		return nil, err
	}
	return b, nil
}

func (r *reconciler) cleanup(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	var err error
	if controllerutil.ContainsFinalizer(b, indexFinalizer) {
		if b, err = r.remove(ctx, b, indexFinalizer); err != nil {
			return ctrl.Result{}, err
		}
	}
	if b.Spec.Replicas != nil {
		if controllerutil.ContainsFinalizer(b, usersFinalizer) {
			if b, err = r.remove(ctx, b, usersFinalizer); err != nil { // want `if Spec\.Replicas says otherwise at deletion \(line \d+\), the Backup stays Terminating.*\(finalizerremoval/gated\)`
				return ctrl.Result{}, err
			}
		}
	}
	if _, err = r.remove(ctx, b, dataFinalizer); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.cleanup(ctx, b)
	}
	return ctrl.Result{}, r.ensure(ctx, b)
}

func (r *reconciler) bySwitch(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		controllerutil.AddFinalizer(b, lockFinalizer)
		return r.Update(ctx, b)
	}
	if !b.Spec.Paused {
		controllerutil.RemoveFinalizer(b, lockFinalizer) // want `if Spec\.Paused says otherwise at deletion \(line \d+\), the Backup stays Terminating.*\(finalizerremoval/gated\)`
		return r.Update(ctx, b)
	}
	return nil
}

// Two removals behind one condition have one cause.
func (r *reconciler) twice(ctx context.Context, b *v1.Backup, moved bool) error {
	if !b.Spec.Paused {
		return nil
	}
	if b.DeletionTimestamp.IsZero() {
		controllerutil.AddFinalizer(b, movedFinalizer)
		return r.Update(ctx, b)
	}
	if moved {
		controllerutil.RemoveFinalizer(b, movedFinalizer) // want `if Spec\.Paused says otherwise at deletion \(line \d+\), the Backup stays Terminating.*\(finalizerremoval/gated\)`
		return r.Update(ctx, b)
	}
	controllerutil.RemoveFinalizer(b, movedFinalizer)
	return r.Update(ctx, b)
}

// What follows is right.

// Who pauses the object wants it left alone, and resumes it some day.
func (r *reconciler) paused(ctx context.Context, b *v1.Backup) error {
	if b.Spec.Paused {
		return nil
	}
	if b.DeletionTimestamp.IsZero() {
		controllerutil.AddFinalizer(b, pauseFinalizer)
		return r.Update(ctx, b)
	}
	controllerutil.RemoveFinalizer(b, pauseFinalizer)
	return r.Update(ctx, b)
}

// The status says why the object stays, and what to change.
func (r *reconciler) guarded(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if b.Spec.Paused {
		b.Status.Phase = "Guarded"
		if err := r.Status().Update(ctx, b); err != nil {
			return err
		}
		return nil
	}
	_, err := r.remove(ctx, b, guardFinalizer)
	return err
}

// The status is written in any case, and tells nothing of it.
func (r *reconciler) alwaysTold(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if !b.Spec.Paused {
		if _, err := r.remove(ctx, b, toldFinalizer); err != nil { // want `if Spec\.Paused says otherwise at deletion \(line \d+\), the Backup stays Terminating`
			return err
		}
	}
	if err := r.Status().Update(ctx, b); err != nil {
		return err
	}
	return nil
}

// A helper says so.
func (r *reconciler) guardedByHelper(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if b.Spec.Paused {
		_ = r.explain(ctx, client.ObjectKeyFromObject(b), "Guarded")
		return nil
	}
	_, err := r.remove(ctx, b, shieldFinalizer)
	return err
}

func (r *reconciler) explain(ctx context.Context, key client.ObjectKey, phase v1.BackupPhase) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		var fresh v1.Backup
		if err := r.Get(ctx, key, &fresh); err != nil {
			return err
		}
		fresh.Status.Phase = phase
		return r.Status().Update(ctx, &fresh)
	})
}

func (r *reconciler) cleanupDependsNotTheRemoval(ctx context.Context, b *v1.Backup) error {
	if b.Spec.Replicas != nil {
		if err := r.Delete(ctx, &v1.Cluster{}); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	controllerutil.RemoveFinalizer(b, quotaFinalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) aSwitchForTheFinalizer(ctx context.Context, b *v1.Backup) error {
	if !b.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(b, flagFinalizer)
		return r.Update(ctx, b)
	}
	if b.Spec.Paused {
		controllerutil.RemoveFinalizer(b, flagFinalizer)
	} else {
		controllerutil.AddFinalizer(b, flagFinalizer)
	}
	return r.Update(ctx, b)
}

func (r *reconciler) removedOnBothBranches(ctx context.Context, b *v1.Backup) error {
	if b.Spec.Replicas != nil {
		if err := r.Delete(ctx, &v1.Cluster{}); client.IgnoreNotFound(err) != nil {
			return err
		}
		controllerutil.RemoveFinalizer(b, phaseFinalizer)
		return r.Update(ctx, b)
	}
	controllerutil.RemoveFinalizer(b, phaseFinalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) triedAgain(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if len(b.Spec.Options) > 0 {
		controllerutil.RemoveFinalizer(b, laterFinalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{Requeue: true}, nil
}

// The finalizer comes off on both sides: where the spec says so, when the object is deleted
// and has been wiped; else at once. That it is there is asked once for both.
func (r *reconciler) onBothSidesIfItIsThere(ctx context.Context, b *v1.Backup) error {
	there := controllerutil.ContainsFinalizer(b, wipeFinalizer)
	if !b.Spec.Paused {
		if b.DeletionTimestamp.IsZero() {
			if !there {
				controllerutil.AddFinalizer(b, wipeFinalizer)
				return r.Update(ctx, b)
			}
			return nil
		}
		if !there {
			return client.IgnoreNotFound(r.Delete(ctx, &v1.Cluster{}))
		}
		controllerutil.RemoveFinalizer(b, wipeFinalizer)
		return r.Update(ctx, b)
	}
	if there {
		controllerutil.RemoveFinalizer(b, wipeFinalizer)
		return r.Update(ctx, b)
	}
	return nil
}
