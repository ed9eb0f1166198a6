// Package unlocked sends changed finalizers.
package unlocked

import (
	"context"
	"encoding/json"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizerpatch/helpers"
)

type reconciler struct {
	client.Client
	core kubernetes.Interface
}

// Mistakes.

func (r *reconciler) addition(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return r.Patch(ctx, b, client.MergeFrom(before)) // want `hygiene: others' finalizers on Backup can be lost: this patch sends the whole list, changed on line 30; use MergeFromWithOptimisticLock \(finalizerpatch/unlocked\)`
}

func (r *reconciler) patchMadeFirst(ctx context.Context, b *v1.Backup) error {
	patch := client.MergeFrom(b.DeepCopy())
	if !controllerutil.AddFinalizer(b, v1.Finalizer) {
		return nil
	}
	return r.Patch(ctx, b, patch) // want `unlocked`
}

func (r *reconciler) copyChanged(ctx context.Context, b *v1.Backup) error {
	updated := b.DeepCopy()
	controllerutil.AddFinalizer(updated, v1.Finalizer)
	return r.Patch(ctx, updated, client.MergeFrom(b)) // want `unlocked`
}

func (r *reconciler) copySent(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	b.SetFinalizers(append(b.GetFinalizers(), v1.Finalizer))
	return r.Patch(ctx, b.DeepCopy(), client.MergeFrom(before)) // want `unlocked`
}

// byHelper is told where the same helper is called first; see changedElsewhere.
func (r *reconciler) byHelper(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return helpers.Patch(ctx, r.Client, before, b)
}

func (r *reconciler) untyped(ctx context.Context, obj client.Object) error {
	before := obj.DeepCopyObject().(client.Object)
	controllerutil.AddFinalizer(obj, v1.Finalizer)
	return r.Patch(ctx, obj, client.MergeFrom(before)) // want `on the object`
}

func (r *reconciler) optionsWithoutLock(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return r.Patch(ctx, b, client.MergeFromWithOptions(before)) // want `unlocked`
}

func (r *reconciler) deferred(ctx context.Context, b *v1.Backup) (err error) {
	before := b.DeepCopy()
	defer func() {
		err = r.Patch(ctx, b, client.MergeFrom(before)) // want `unlocked`
	}()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return nil
}

func (r *reconciler) typedClient(ctx context.Context, cm *corev1.ConfigMap) error {
	changed := cm.DeepCopy()
	controllerutil.AddFinalizer(changed, v1.Finalizer)
	data, err := helpers.Difference(cm, changed)
	if err != nil {
		return err
	}
	_, err = r.core.CoreV1().ConfigMaps(cm.Namespace).Patch(ctx, cm.Name, types.MergePatchType, data, metav1.PatchOptions{}) // want `on ConfigMap.*have Difference send the resourceVersion \(finalizerpatch/unlocked\)`
	return err
}

func (r *reconciler) encodedHere(ctx context.Context, cm *corev1.ConfigMap) error {
	old, err := json.Marshal(cm)
	if err != nil {
		return err
	}
	changed := cm.DeepCopy()
	controllerutil.AddFinalizer(changed, v1.Finalizer)
	modified, err := json.Marshal(changed)
	if err != nil {
		return err
	}
	data, err := jsonpatch.CreateMergePatch(old, modified)
	if err != nil {
		return err
	}
	_, err = r.core.CoreV1().ConfigMaps(cm.Namespace).Patch(ctx, cm.Name, types.MergePatchType, data, metav1.PatchOptions{}) // want `unlocked`
	return err
}

// removedFromLive is still open to additions of others.
func (r *reconciler) removedFromLive(ctx context.Context, b *v1.Backup) error {
	if !b.DeletionTimestamp.IsZero() {
		return nil
	}
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Patch(ctx, b, client.MergeFrom(before)) // want `unlocked`
}

func (r *reconciler) inBranch(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	if b.DeletionTimestamp.IsZero() {
		b.Finalizers = append(b.Finalizers, v1.Finalizer)
	} else {
		b.Labels = map[string]string{"state": "deleting"}
	}
	return r.Patch(ctx, b, client.MergeFrom(before)) // want `unlocked`
}

func (r *reconciler) withOtherChanges(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	b.Annotations = map[string]string{"seen": "true"}
	if !slices.Contains(b.Finalizers, v1.Finalizer) {
		b.Finalizers = append(b.Finalizers, v1.Finalizer)
	}
	return r.Patch(ctx, b, client.MergeFrom(before)) // want `unlocked`
}

// Traps.

func (r *reconciler) locked(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return r.Patch(ctx, b, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

func (r *reconciler) lockedByHelper(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return helpers.PatchLocked(ctx, r.Client, before, b)
}

func (r *reconciler) optionsFromElsewhere(ctx context.Context, b *v1.Backup, opts ...client.MergeFromOption) error {
	before := b.DeepCopy()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return r.Patch(ctx, b, client.MergeFromWithOptions(before, opts...))
}

func (r *reconciler) updated(ctx context.Context, b *v1.Backup) error {
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

// copiedAfterwards has no finalizers in the patch.
func (r *reconciler) copiedAfterwards(ctx context.Context, b *v1.Backup) error {
	controllerutil.AddFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	before := b.DeepCopy()
	b.Labels = map[string]string{"state": "running"}
	return r.Patch(ctx, b, client.MergeFrom(before))
}

// storedBefore has stored the finalizer with Update.
func (r *reconciler) storedBefore(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	b.Labels = map[string]string{"state": "running"}
	return r.Patch(ctx, b, client.MergeFrom(before))
}

func (r *reconciler) strategic(ctx context.Context, cm *corev1.ConfigMap) error {
	before := cm.DeepCopy()
	controllerutil.AddFinalizer(cm, v1.Finalizer)
	return r.Patch(ctx, cm, client.StrategicMergeFrom(before))
}

// status patches say nothing about metadata.
func (r *reconciler) status(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	b.Status.Phase = v1.BackupRunning
	return r.Status().Patch(ctx, b, client.MergeFrom(before))
}

// otherObject changes one and patches another.
func (r *reconciler) otherObject(ctx context.Context, b, other *v1.Backup) error {
	before := other.DeepCopy()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	other.Labels = map[string]string{"state": "running"}
	if err := r.Patch(ctx, other, client.MergeFrom(before)); err != nil {
		return err
	}
	return r.Update(ctx, b)
}

func (r *reconciler) labels(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	b.Labels = map[string]string{"state": "running"}
	return r.Patch(ctx, b, client.MergeFrom(before))
}

// readAgain patches what it has read since.
func (r *reconciler) readAgain(ctx context.Context, b *v1.Backup) error {
	controllerutil.AddFinalizer(b, v1.Finalizer)
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
		return err
	}
	before := b.DeepCopy()
	b.Labels = map[string]string{"state": "running"}
	return r.Patch(ctx, b, client.MergeFrom(before))
}

func (r *reconciler) otherBranch(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	if b.Spec.Paused {
		b.Labels = map[string]string{"state": "paused"}
		return r.Patch(ctx, b, client.MergeFrom(before))
	}
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}
