package lost

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

func (r *reconciler) updateBetween(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	controllerutil.AddFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil { // want `^loss: .*\(statusupdate/lost-on-update\)`
		return err
	}
	return r.Status().Update(ctx, b)
}

// Both sides are set first, then both endpoints are written.
func (r *reconciler) unbind(ctx context.Context, claim *v1.Claim) error {
	claim.SetBindingPhase("Unbound")
	claim.SetClaimReference("")
	if err := r.Update(ctx, claim); err != nil { // want `^loss: .*\(statusupdate/lost-on-update\)`
		return client.IgnoreNotFound(err)
	}
	return client.IgnoreNotFound(r.Status().Update(ctx, claim))
}

// One base for both patches: the first answer takes the status away.
func (r *reconciler) deferredPatches(ctx context.Context, key client.ObjectKey) (err error) {
	c := &v1.Cluster{}
	if err := r.Get(ctx, key, c); err != nil {
		return client.IgnoreNotFound(err)
	}
	base := client.MergeFrom(c.DeepCopy())
	defer func() {
		if patchErr := r.Client.Patch(ctx, c, base); patchErr != nil { // want `^loss: .*\(statusupdate/lost-on-update\)`
			err = patchErr
			return
		}
		if patchErr := r.Client.Status().Patch(ctx, c, base); patchErr != nil {
			err = patchErr
		}
	}()
	c.Spec.Paused = false
	c.Status = &v1.ClusterStatus{Ready: true, Version: c.Spec.Version}
	return nil
}

func (r *reconciler) finalizerHelperBetween(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	if err := r.ensureFinalizer(ctx, b); err != nil { // want `^hygiene: .*\(statusupdate/lost-on-update\)`
		return err
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) ensureFinalizer(ctx context.Context, b *v1.Backup) error {
	if controllerutil.ContainsFinalizer(b, v1.Finalizer) {
		return nil
	}
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) finalizerHelperElsewhereBetween(ctx context.Context, b *v1.Backup) error {
	b.SetCondition(helpers.Ready("Started"))
	if err := helpers.EnsureFinalizer(ctx, r.Client, b); err != nil { // want `^hygiene: .*\(statusupdate/lost-on-update\)`
		return err
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) statusWriterElsewhere(ctx context.Context, b *v1.Backup) error {
	helpers.SetReady(b)
	b.Spec.Paused = true
	if err := r.Update(ctx, b); err != nil { // want `^loss: .*\(statusupdate/lost-on-update\)`
		return err
	}
	return helpers.UpdateStatus(ctx, r.Client, b)
}

// The answer about one of Kubernetes' own kinds resets the object.
func (r *reconciler) createThenStatusOfThePod(ctx context.Context, name string) error {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status:     corev1.PodStatus{Reason: "Started"},
	}
	if err := r.Create(ctx, pod); err != nil { // want `^hygiene: .*\(statusupdate/lost-on-update\)`
		return err
	}
	return r.Status().Update(ctx, pod)
}

func (r *reconciler) createOrUpdateSetsStatus(ctx context.Context, b *v1.Backup) error {
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, b, func() error { // want `^loss: .*\(statusupdate/lost-on-update\)`
		b.Spec.Source = "/data"
		b.Status.Phase = v1.BackupPending
		return nil
	}); err != nil {
		return err
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) metadataPatchBetween(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	base := client.MergeFrom(b.DeepCopy())
	if controllerutil.AddFinalizer(b, v1.Finalizer) {
		if err := r.Patch(ctx, b, base); err != nil { // want `^hygiene: .*\(statusupdate/lost-on-update\)`
			return err
		}
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) deferredStatusWrite(ctx context.Context, b *v1.Backup) (err error) {
	defer func() {
		if updateErr := r.Status().Update(ctx, b); updateErr != nil && err == nil {
			err = updateErr
		}
	}()
	b.Status.Phase = v1.BackupRunning
	b.Default()
	return r.Update(ctx, b) // want `^loss: .*\(statusupdate/lost-on-update\)`
}

func (r *reconciler) twoObjectsOneLost(ctx context.Context, b *v1.Backup, c *v1.Cluster) error {
	b.Status.Phase = v1.BackupRunning
	c.Spec.Paused = true
	b.Spec.Paused = true
	if err := r.Update(ctx, c); err != nil {
		return err
	}
	if err := r.Update(ctx, b); err != nil { // want `^loss: .*\(statusupdate/lost-on-update\)`
		return err
	}
	return r.Status().Update(ctx, b)
}

// The answer of the typed client replaces the object.
func (c *controller) answerReplacesTheObject(ctx context.Context, b *v1.Backup) error {
	backups := c.example.ExampleV1().Backups(b.Namespace)
	b.Status.Phase = v1.BackupRunning
	b.Spec.Paused = false
	b, err := backups.Update(ctx, b, metav1.UpdateOptions{}) // want `^loss: .*\(statusupdate/lost-on-update\)`
	if err != nil {
		return err
	}
	_, err = backups.UpdateStatus(ctx, b, metav1.UpdateOptions{})
	return err
}

// The helper stores the finalizer of a live object, too.
func (r *reconciler) byAHelperForBoth(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	if err := r.keepFinalizer(ctx, b); err != nil { // want `^hygiene: .*\(statusupdate/lost-on-update\)`
		return err
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) keepFinalizer(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		controllerutil.AddFinalizer(b, v1.Finalizer)
	} else {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
	}
	return r.Update(ctx, b)
}

// Another error is asked.
func (r *reconciler) askedAnother(ctx context.Context, b *v1.Backup) error {
	err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, &v1.Cluster{})
	if apierrors.IsNotFound(err) {
		b.Status.Phase = v1.BackupRunning
	}
	err = r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, &v1.Backup{})
	if !apierrors.IsNotFound(err) {
		b.Spec.Paused = true
		if err := r.Update(ctx, b); err != nil { // want `^hygiene: .*\(statusupdate/lost-on-update\)`
			return err
		}
	}
	return r.Status().Update(ctx, b)
}

// A round in which there is nothing to move stores the status.
func (r *reconciler) updateNowAndThen(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	if b.Spec.Paused {
		b.Spec.Paused = false
		if err := r.Update(ctx, b); err != nil { // want `^hygiene: .*\(statusupdate/lost-on-update\)`
			return err
		}
	}
	return r.Status().Update(ctx, b)
}

// What is set afterwards is another part.
func (r *reconciler) anotherPartSetAgain(ctx context.Context, b *v1.Backup, now metav1.Time) error {
	if b.Status.Phase == v1.BackupCompleted {
		b.Status.StartTime = &now
		b.Labels = map[string]string{"stage": "done"}
		if err := r.Update(ctx, b); err != nil { // want `^loss: status set on line 209 is lost.*\(statusupdate/lost-on-update\)`
			return err
		}
	}
	b.Status.ObservedGeneration = b.Generation
	return r.Status().Update(ctx, b)
}
