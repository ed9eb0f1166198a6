package lost

import (
	"context"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
	"github.com/opvet/opvet/testdata/statusupdate/helpers/patch"
)

func (r *reconciler) setAfterwards(ctx context.Context, b *v1.Backup) error {
	controllerutil.AddFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b)
}

func (r *reconciler) savedByValue(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	status := b.Status
	b.Default()
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	b.Status = status
	return r.Status().Update(ctx, b)
}

func (r *reconciler) savedByPointer(ctx context.Context, c *v1.Cluster) error {
	c.Status.Ready = true
	saved := c.Status.DeepCopy()
	if err := r.Update(ctx, c); err != nil {
		return err
	}
	saved.DeepCopyInto(c.Status)
	return r.Status().Update(ctx, c)
}

func (r *reconciler) savedWithTheWholeObject(ctx context.Context, b *v1.Backup) error {
	b.SetCondition(helpers.Ready("Done"))
	wanted := b.DeepCopy()
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	b.Status = wanted.Status
	return r.Status().Update(ctx, b)
}

func (r *reconciler) statusStoredBefore(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	if err := r.Status().Update(ctx, b); err != nil {
		return err
	}
	controllerutil.AddFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	b.Status.Message = "protected"
	return r.Status().Update(ctx, b)
}

func (r *reconciler) setAgain(ctx context.Context, b *v1.Backup) error {
	helpers.SetReady(b)
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	helpers.SetReady(b)
	return r.Status().Update(ctx, b)
}

func (r *reconciler) computedFirstSetLater(ctx context.Context, b *v1.Backup) error {
	status := v1.BackupStatus{Phase: v1.BackupRunning, ObservedGeneration: b.Generation}
	b.Default()
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	b.Status = status
	return r.Status().Update(ctx, b)
}

func (r *reconciler) aCopyTakesTheAnswer(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	b.Spec.Paused = true
	sent := b.DeepCopy()
	if err := r.Update(ctx, sent); err != nil {
		return err
	}
	b.SetResourceVersion(sent.GetResourceVersion())
	return r.Status().Update(ctx, b)
}

func (r *reconciler) anotherObjectIsUpdated(ctx context.Context, b *v1.Backup, c *v1.Cluster) error {
	b.Status.Phase = v1.BackupRunning
	c.Spec.Paused = true
	if err := r.Update(ctx, c); err != nil {
		return err
	}
	return r.Status().Update(ctx, b)
}

// The answer about a custom resource has no status, and leaves that of the object alone.
func (r *reconciler) createThenStatusOfTheLiteral(ctx context.Context, name string) error {
	b := &v1.Backup{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status:     v1.BackupStatus{Phase: v1.BackupPending},
	}
	if err := r.Create(ctx, b); err != nil {
		return err
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) childOfTheSameKindIsCreated(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	child := &v1.Backup{ObjectMeta: metav1.ObjectMeta{GenerateName: b.Name + "-", Namespace: b.Namespace}}
	if err := r.Create(ctx, child); err != nil {
		return err
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) exclusivePaths(ctx context.Context, b *v1.Backup, deleting bool) error {
	if deleting {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return r.Update(ctx, b)
	}
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b)
}

func (r *reconciler) patchHelperBetween(ctx context.Context, b *v1.Backup, helper *patch.Helper) error {
	b.Status.Phase = v1.BackupRunning
	if err := helper.Patch(ctx, b); err != nil {
		return err
	}
	b.Status.Message = "started"
	return r.Status().Update(ctx, b)
}

func (r *reconciler) writerOfBothBetween(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	if err := helpers.SaveAll(ctx, r.Client, b); err != nil {
		return err
	}
	b.Status.Message = "started"
	return r.Status().Update(ctx, b)
}

// A failed update leads to a status; a good one to none.
func (r *reconciler) statusOfTheFailure(ctx context.Context, b *v1.Backup) error {
	b.Default()
	if err := r.Update(ctx, b); err != nil {
		b.MarkFailed(err.Error())
		return r.Status().Update(ctx, b)
	}
	return nil
}

func (r *reconciler) oncePerItem(ctx context.Context, list *v1.BackupList) error {
	for i := range list.Items {
		b := &list.Items[i]
		b.Default()
		if err := r.Update(ctx, b); err != nil {
			return err
		}
		b.Status.Phase = v1.BackupPending
		if err := r.Status().Update(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

func (r *reconciler) restoredInADeferredCall(ctx context.Context, b *v1.Backup) (err error) {
	before := b.DeepCopy()
	defer func() {
		wanted := b.Status.DeepCopy()
		if !reflect.DeepEqual(before.Finalizers, b.Finalizers) {
			if err = r.Update(ctx, b); err != nil {
				return
			}
		}
		b.Status = *wanted
		err = r.Status().Update(ctx, b)
	}()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	b.Status.Phase = v1.BackupRunning
	return nil
}

func (r *reconciler) statusPatchFirst(ctx context.Context, c *v1.Cluster) error {
	base := client.MergeFrom(c.DeepCopy())
	c.Status = &v1.ClusterStatus{Ready: true}
	if err := r.Status().Patch(ctx, c, base); err != nil {
		return err
	}
	c.Spec.Paused = false
	return r.Patch(ctx, c, base)
}

// The typed client leaves its argument alone.
func (c *controller) answerKeptApart(ctx context.Context, b *v1.Backup) error {
	backups := c.example.ExampleV1().Backups(b.Namespace)
	b.Status.Phase = v1.BackupRunning
	b.Spec.Paused = false
	updated, err := backups.Update(ctx, b, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	updated.Status = b.Status
	_, err = backups.UpdateStatus(ctx, updated, metav1.UpdateOptions{})
	return err
}

// Which of the functions writes first, the list decides: each runs once.
func (r *reconciler) oneAfterTheOther(ctx context.Context, b *v1.Backup) error {
	for _, step := range []func(context.Context, *v1.Backup) error{r.storeDefaults, r.showPhase} {
		if err := step(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

func (r *reconciler) storeDefaults(ctx context.Context, b *v1.Backup) error {
	b.Spec.Paused = false
	return r.Update(ctx, b)
}

func (r *reconciler) showPhase(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b)
}

// What a helper writes with the finalizer off is the last of the object.
func (r *reconciler) gone(ctx context.Context, b *v1.Backup) (err error) {
	defer func() {
		if e := r.Status().Update(ctx, b); err == nil {
			err = client.IgnoreNotFound(e)
		}
	}()
	b.Status.Phase = v1.BackupRunning
	if !b.DeletionTimestamp.IsZero() {
		return r.letGo(ctx, b)
	}
	return nil
}

func (r *reconciler) letGo(ctx context.Context, b *v1.Backup) error {
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

// NotFound has one answer: the status is set only where nothing is updated any more.
func (r *reconciler) askedTwice(ctx context.Context, b *v1.Backup) error {
	err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, &v1.Cluster{})
	if apierrors.IsNotFound(err) {
		b.Status.Phase = v1.BackupRunning
	}
	if !apierrors.IsNotFound(err) {
		b.Spec.Paused = true
		if err := r.Update(ctx, b); err != nil {
			return err
		}
	}
	return r.Status().Update(ctx, b)
}

// The part that is lost is set again, and so is the whole that it is in.
func (r *reconciler) samePartSetAgain(ctx context.Context, b *v1.Backup, now *metav1.Time) error {
	wanted := *b.Status.DeepCopy()
	if b.Status.StartTime == nil {
		b.Status.StartTime = now
		wanted.StartTime = now
		b.Labels = map[string]string{"stage": "started"}
		if err := r.Update(ctx, b); err != nil {
			return err
		}
	}
	b.Status = wanted
	b.Status.ObservedGeneration = b.Generation
	return r.Status().Update(ctx, b)
}
