package copies

import (
	"context"
	"log"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

// The conditions go to a copy of the status, the deferred write sends the
// object that it was copied from.
func (r *reconciler) deferredWriteOfTheObject(ctx context.Context, key client.ObjectKey) error {
	var b v1.Backup
	if err := r.Get(ctx, key, &b); err != nil {
		return client.IgnoreNotFound(err)
	}
	status := b.Status.DeepCopy() // want `\(statusupdate/copy-not-written\)`
	defer func() {
		if b.Spec.Paused {
			status.SetCondition(helpers.Ready("Paused"))
		}
		if err := r.Status().Update(ctx, &b); err != nil {
			log.Printf("updating the status: %v", err)
		}
	}()
	return r.sync(ctx, &b, status)
}

func (r *reconciler) sync(_ context.Context, b *v1.Backup, status *v1.BackupStatus) error {
	if b.Spec.Source == "" {
		status.Phase = v1.BackupFailed
		return nil
	}
	status.Phase = v1.BackupRunning
	return nil
}

func (r *reconciler) valueCopy(ctx context.Context, b *v1.Backup) error {
	status := b.Status // want `\(statusupdate/copy-not-written\)`
	status.Phase = v1.BackupRunning
	status.ObservedGeneration = b.Generation
	return r.Status().Update(ctx, b)
}

func (r *reconciler) helperChangesTheCopy(ctx context.Context, b *v1.Backup) error {
	status := b.Status.DeepCopy() // want `\(statusupdate/copy-not-written\)`
	helpers.MarkStatus(status, v1.BackupCompleted)
	return r.Status().Update(ctx, b)
}

func (r *reconciler) wholeObjectCopied(ctx context.Context, b *v1.Backup) error {
	updated := b.DeepCopy() // want `\(statusupdate/copy-not-written\)`
	updated.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b)
}

func (r *reconciler) wholeObjectCopiedByValue(ctx context.Context, b *v1.Backup) error {
	updated := *b // want `\(statusupdate/copy-not-written\)`
	updated.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b)
}

func (r *reconciler) rangeCopiesTheElements(ctx context.Context, b *v1.Backup) error {
	for _, volume := range b.Status.Volumes { // want `\(statusupdate/copy-not-written\)`
		volume.Done = true
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) elementCopied(ctx context.Context, b *v1.Backup) error {
	for i := range b.Status.Conditions {
		condition := b.Status.Conditions[i] // want `\(statusupdate/copy-not-written\)`
		if condition.Type == "Ready" {
			condition.Status = metav1.ConditionFalse
		}
	}
	return r.Status().Update(ctx, b)
}

// Appending to a copied slice header leaves the object's slice as it was.
func (r *reconciler) sliceCopied(ctx context.Context, b *v1.Backup) error {
	conditions := b.Status.Conditions // want `\(statusupdate/copy-not-written\)`
	meta.SetStatusCondition(&conditions, helpers.Ready("Done"))
	return r.Status().Update(ctx, b)
}

func (r *reconciler) pointerStatusCopied(ctx context.Context, c *v1.Cluster) error {
	base := c.DeepCopy()
	status := c.Status.DeepCopy() // want `\(statusupdate/copy-not-written\)`
	status.Ready = true
	return r.Status().Patch(ctx, c, client.MergeFrom(base))
}

func (c *controller) typedClient(ctx context.Context, b *v1.Backup) error {
	status := b.Status.DeepCopy() // want `\(statusupdate/copy-not-written\)`
	status.SetCondition(helpers.Ready("Done"))
	_, err := c.example.ExampleV1().Backups(b.Namespace).UpdateStatus(ctx, b, metav1.UpdateOptions{})
	return err
}
