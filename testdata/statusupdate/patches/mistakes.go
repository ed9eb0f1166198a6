// Package patches computes status patches.
package patches

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

type reconciler struct{ client.Client }

// copiedAfterwards compares the object with itself.
func (r *reconciler) copiedAfterwards(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	base := b.DeepCopy()
	return r.Status().Patch(ctx, b, client.MergeFrom(base)) // want `loss: status set on line 20 is never stored: this patch starts from the copy that line 21 makes after it; copy it before \(statusupdate/not-in-patch\)`
}

func (r *reconciler) copiedInArgument(ctx context.Context, b *v1.Backup) error {
	meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue})
	return r.Status().Patch(ctx, b, client.MergeFrom(b.DeepCopy())) // want `not-in-patch`
}

// store is called when all is set.
func (r *reconciler) store(ctx context.Context, b *v1.Backup) error {
	patch := client.MergeFrom(b.DeepCopy())
	return r.Status().Patch(ctx, b, patch) // want `hygiene: status set before is never stored: this patch is always empty, as line 32 .*\(statusupdate/not-in-patch\)`
}

func (r *reconciler) storeAny(ctx context.Context, obj client.Object) error {
	base := obj.DeepCopyObject().(client.Object)
	return r.Status().Patch(ctx, obj, client.MergeFrom(base)) // want `always empty.*not-in-patch`
}

// setReady stores the condition.
func (r *reconciler) setReady(ctx context.Context, b *v1.Backup) error {
	base := b.DeepCopy()
	meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue})
	return r.Status().Patch(ctx, b, client.MergeFrom(base))
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	b.Status.Phase = v1.BackupRunning
	return ctrl.Result{}, r.setReady(ctx, b) // want `loss: status set on line 53 is never stored: setReady patches only what it changes itself, after its own copy; .*not-in-patch`
}

// partly stores the condition and leaves the phase out.
func (r *reconciler) partly(ctx context.Context, key client.ObjectKey) error {
	var b v1.Backup
	if err := r.Get(ctx, key, &b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupCompleted
	base := b.DeepCopy()
	meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue})
	return r.Status().Patch(ctx, &b, client.MergeFrom(base)) // want `status set on line 63 .*not-in-patch`
}

// readAgain has the deferred function read the object once more.
func (r *reconciler) readAgain(ctx context.Context, key client.ObjectKey) (err error) {
	b := new(v1.Backup)
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	defer func() {
		if err = r.Get(ctx, key, b); err != nil { // want `hygiene: status set on line 81 is lost: this Get overwrites the Backup before line 79 writes its status; .*\(statusupdate/lost-on-update\)`
			return
		}
		err = r.Status().Update(ctx, b)
	}()
	b.Status.Phase = v1.BackupRunning
	return nil
}

// patchedAgain compares what it has read with itself.
func (r *reconciler) patchedAgain(ctx context.Context, key client.ObjectKey) error {
	b := new(v1.Backup)
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupRunning
	if err := r.Get(ctx, key, b); err != nil { // want `lost-on-update`
		return err
	}
	return r.Status().Patch(ctx, b, client.MergeFrom(b.DeepCopy()))
}

// latest is patched, and b is not.
func (r *reconciler) latest(ctx context.Context, key client.ObjectKey) (err error) {
	b := new(v1.Backup)
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	defer func() {
		latest := new(v1.Backup)
		if err = r.Get(ctx, key, latest); err != nil {
			return
		}
		base := latest.DeepCopy()
		latest.Status.StartTime = &metav1.Time{}
		err = r.Status().Patch(ctx, latest, client.MergeFrom(base))
	}()
	b.Status.Phase = v1.BackupRunning // want `\(statusupdate/never-persisted\)`
	return nil
}

// byOtherPackage has a helper elsewhere store the condition only.
func (r *reconciler) byOtherPackage(ctx context.Context, key client.ObjectKey) error {
	b := new(v1.Backup)
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupCompleted
	b.Status.StartTime = &metav1.Time{}
	return helpers.PatchReady(ctx, r.Client, b, "Done") // want `PatchReady patches only what it changes itself.*not-in-patch`
}

// withStatus is what all kinds here have in common.
type withStatus interface {
	client.Object
	SetPhase(phase v1.BackupPhase)
}

type config struct {
	client client.Client
	object withStatus
}

// setStarted sets the status by a method that it cannot look into.
func (c *config) setStarted(ctx context.Context) error {
	c.object.SetPhase(v1.BackupRunning)
	patch := client.MergeFrom(c.object.DeepCopyObject().(client.Object))
	return c.client.Status().Patch(ctx, c.object, patch) // want `always empty.*not-in-patch`
}
