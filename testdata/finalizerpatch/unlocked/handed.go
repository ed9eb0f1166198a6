package unlocked

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizerpatch/helpers"
)

// Mistakes: the change, the state before it and the patch are in different
// functions.

// stored gets the object and the state that it was read in.
func (r *reconciler) stored(ctx context.Context, b, before *v1.Backup) error {
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return r.Patch(ctx, b, client.MergeFrom(before)) // want `hygiene: .*unlocked`
}

func (r *reconciler) storesHere(ctx context.Context, b *v1.Backup) error {
	return r.stored(ctx, b, b.DeepCopy())
}

// changedElsewhere is changed by one function and stored by another.
func (r *reconciler) changedElsewhere(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	adopt(b)
	return helpers.Patch(ctx, r.Client, before, b) // want `hygiene: .* changed in 2 places; have Patch use`
}

func adopt(obj client.Object) { obj.SetFinalizers(append(obj.GetFinalizers(), v1.Finalizer)) }

// patchGiven hands on the patch itself.
func (r *reconciler) patchGiven(ctx context.Context, b *v1.Backup) error {
	patch := client.MergeFrom(b.DeepCopy())
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return helpers.Send(ctx, r.Client, b, patch) // want `hygiene: .*unlocked`
}

func (r *reconciler) patchGivenTwice(ctx context.Context, b *v1.Backup) error {
	base := client.MergeFrom(b.DeepCopy())
	adopt(b)
	return r.send(ctx, b, base) // want `hygiene: .*unlocked`
}

func (r *reconciler) send(ctx context.Context, obj client.Object, patch client.Patch) error {
	return helpers.Send(ctx, r.Client, obj, patch)
}

// transformed has the helper run what it is given.
func (r *reconciler) transformed(ctx context.Context, b *v1.Backup) error {
	return helpers.Transform(ctx, r.Client, b, func() { // want `hygiene: .*have Transform use MergeFromWithOptimisticLock`
		controllerutil.AddFinalizer(b, v1.Finalizer)
	})
}

func (r *reconciler) transformedCopy(ctx context.Context, b *v1.Backup) error {
	return helpers.TransformCopy(ctx, r.Client, b, func(obj client.Object) bool { // want `hygiene: .*have TransformCopy use MergeFromWithOptimisticLock`
		return controllerutil.RemoveFinalizer(obj, v1.Finalizer)
	})
}

// transformedByName is told above: what needs the lock is the helper.
func (r *reconciler) transformedByName(ctx context.Context, b *v1.Backup) error {
	return helpers.TransformCopy(ctx, r.Client, b, release)
}

func release(obj client.Object) bool { return controllerutil.RemoveFinalizer(obj, v1.Finalizer) }

// scope keeps the object and the state that it was read in.
type scope struct {
	client client.Client
	before *v1.Backup
	backup *v1.Backup
}

func newScope(c client.Client, b *v1.Backup) *scope {
	return &scope{client: c, before: b.DeepCopy(), backup: b}
}

func (s *scope) close(ctx context.Context) error {
	return s.client.Patch(ctx, s.backup, client.MergeFrom(s.before)) // want `hygiene: .* changed in 2 places; use MergeFromWithOptimisticLock`
}

func (s *scope) adopt(ctx context.Context) error {
	controllerutil.AddFinalizer(s.backup, v1.Finalizer)
	return s.close(ctx)
}

// mark changes what close stores.
func (s *scope) mark() { controllerutil.AddFinalizer(s.backup, v1.Finalizer) }

func (r *reconciler) inScope(ctx context.Context, b *v1.Backup) (err error) {
	s := newScope(r.Client, b)
	defer func() { err = s.close(ctx) }()
	s.mark()
	return nil
}

// plan is what is to become of an object.
type plan struct{ current, desired *v1.Backup }

func (r *reconciler) execute(ctx context.Context, p plan) error {
	controllerutil.AddFinalizer(p.desired, v1.Finalizer)
	return r.Patch(ctx, p.desired, client.MergeFrom(p.current)) // want `hygiene: .*unlocked`
}

// againstStored compares with what is read at the end.
func (r *reconciler) againstStored(ctx context.Context, b *v1.Backup) error {
	controllerutil.AddFinalizer(b, v1.Finalizer)
	var stored v1.Backup
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), &stored); err != nil {
		return err
	}
	return r.Patch(ctx, b, client.MergeFrom(&stored)) // want `hygiene: .*unlocked`
}

func (r *reconciler) addedFirst(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return r.oneCause(ctx, before, b)
}

func (r *reconciler) addedLast(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	b.Finalizers = append(b.Finalizers, "example.opvet.dev/last")
	return r.oneCause(ctx, before, b)
}

func (r *reconciler) oneCause(ctx context.Context, before, b *v1.Backup) error {
	// This is where the patch has to get its lock.
	return r.Patch(ctx, b, client.MergeFrom(before)) // want `hygiene: .* changed in 2 places; use MergeFromWithOptimisticLock`
}

// Traps.

func (r *reconciler) patchGivenLocked(ctx context.Context, b *v1.Backup) error {
	patch := client.MergeFromWithOptions(b.DeepCopy(), client.MergeFromWithOptimisticLock{})
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return helpers.Send(ctx, r.Client, b, patch)
}

func (r *reconciler) transformedLocked(ctx context.Context, b *v1.Backup) error {
	return helpers.TransformLocked(ctx, r.Client, b, func() {
		controllerutil.AddFinalizer(b, v1.Finalizer)
	})
}

func (r *reconciler) transformedLabels(ctx context.Context, b *v1.Backup) error {
	return helpers.Transform(ctx, r.Client, b, func() {
		b.Labels = map[string]string{"state": "running"}
	})
}

// beforeTheCopy is no part of the patch: whoever copies has it already.
func (r *reconciler) beforeTheCopy(ctx context.Context, b *v1.Backup) error {
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return helpers.Transform(ctx, r.Client, b, func() {
		b.Labels = map[string]string{"state": "running"}
	})
}

// storedInBetween patches what is left.
func (s *scope) storedInBetween(ctx context.Context) error {
	controllerutil.AddFinalizer(s.backup, v1.Finalizer)
	if err := s.client.Update(ctx, s.backup); err != nil {
		return err
	}
	s.before = s.backup.DeepCopy()
	s.backup.Labels = map[string]string{"state": "running"}
	return s.close(ctx)
}

// ofAnother changes what is not sent.
func (r *reconciler) ofAnother(ctx context.Context, b, other, before *v1.Backup) error {
	controllerutil.AddFinalizer(other, v1.Finalizer)
	if err := r.Patch(ctx, b, client.MergeFrom(before)); err != nil {
		return err
	}
	return r.Update(ctx, other)
}
