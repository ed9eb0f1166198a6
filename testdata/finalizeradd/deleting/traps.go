package deleting

import (
	"context"
	"errors"

	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizeradd/helpers"
)

// right does everything right.
type right struct {
	client.Client
	policy policy
}

type policy interface {
	Skips(b *v1.Backup) bool
}

func (r *right) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	key := req.NamespacedName
	for _, step := range []func(context.Context, client.ObjectKey) error{
		r.earlyReturn, r.inBranch, r.inConjunction, r.byVariable, r.byPredicate, r.byError, r.created, r.createdIfMissing,
		r.inGuardedCallback, r.guardedHelper, r.readAgain, r.byResult, r.byStruct, r.unknownPolicy, r.elseBranch, r.bySwitch,
		r.upsert, r.filteredList, r.inRetry, r.byMetadata, r.byOtherAccessor, r.anyFinalizers, r.inGuardingHelper,
	} {
		if err := step(ctx, key); err != nil {
			return ctrl.Result{}, err
		}
	}
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return ctrl.Result{}, err
	}
	if b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.everyCallerChecks(ctx, key)
	}
	return ctrl.Result{}, r.release(ctx, b)
}

func (r *right) release(ctx context.Context, b *v1.Backup) error {
	if controllerutil.RemoveFinalizer(b, finalizer) {
		return r.Update(ctx, b)
	}
	return nil
}

func (r *right) earlyReturn(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	if controllerutil.AddFinalizer(b, finalizer) {
		return r.Update(ctx, b)
	}
	return nil
}

func (r *right) inBranch(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if b.GetDeletionTimestamp() == nil {
		if controllerutil.AddFinalizer(b, finalizer) {
			return r.Update(ctx, b)
		}
	}
	return nil
}

func (r *right) inConjunction(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if b.DeletionTimestamp.IsZero() && controllerutil.AddFinalizer(b, finalizer) {
		return r.Update(ctx, b)
	}
	return nil
}

func (r *right) byVariable(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	deleting := !b.DeletionTimestamp.IsZero()
	if b.Spec.Paused {
		return nil
	}
	if !deleting && controllerutil.AddFinalizer(b, finalizer) {
		return r.Update(ctx, b)
	}
	return nil
}

func (r *right) byPredicate(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if helpers.IsDeleted(b) {
		return r.release(ctx, b)
	}
	if controllerutil.AddFinalizer(b, finalizer) {
		return r.Update(ctx, b)
	}
	return nil
}

func (r *right) byError(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if err := mustLive(b); err != nil {
		return err
	}
	if controllerutil.AddFinalizer(b, finalizer) {
		return r.Update(ctx, b)
	}
	return nil
}

func mustLive(b *v1.Backup) error {
	if b.DeletionTimestamp != nil {
		return errors.New("being deleted")
	}
	return nil
}

// created is a fresh object.
func (r *right) created(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	b.Name, b.Namespace = key.Name, key.Namespace
	controllerutil.AddFinalizer(b, finalizer)
	return r.Create(ctx, b)
}

// createdIfMissing is not there when the finalizer is added.
func (r *right) createdIfMissing(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	err := r.Get(ctx, key, b)
	if err == nil || client.IgnoreNotFound(err) != nil {
		return err
	}
	b.Name, b.Namespace = key.Name, key.Namespace
	controllerutil.AddFinalizer(b, finalizer)
	return r.Create(ctx, b)
}

// inGuardedCallback looks before it asks for the change.
func (r *right) inGuardedCallback(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	return helpers.Change(ctx, r.Client, key, func(b *v1.Backup) bool {
		return controllerutil.AddFinalizer(b, finalizer)
	})
}

func (r *right) guardedHelper(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if err := helpers.EnsureLive(ctx, r.Client, b); err != nil {
		return err
	}
	return helpers.Release(ctx, r.Client, b)
}

// readAgain has looked at the same object before.
func (r *right) readAgain(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	latest := &v1.Backup{}
	if err := r.Get(ctx, key, latest); err != nil {
		return err
	}
	if controllerutil.AddFinalizer(latest, finalizer) {
		return r.Update(ctx, latest)
	}
	return nil
}

// byResult is told by a helper whether it is done.
func (r *right) byResult(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if done, err := r.finish(ctx, b); done || err != nil {
		return err
	}
	if controllerutil.AddFinalizer(b, finalizer) {
		return r.Update(ctx, b)
	}
	return nil
}

func (r *right) finish(ctx context.Context, b *v1.Backup) (bool, error) {
	if b.DeletionTimestamp.IsZero() {
		return false, nil
	}
	return true, r.release(ctx, b)
}

// byStruct is told by a result that only the two of them understand.
func (r *right) byStruct(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if outcome := r.handle(ctx, b); outcome.handled {
		return outcome.err
	}
	if controllerutil.AddFinalizer(b, finalizer) {
		return r.Update(ctx, b)
	}
	return nil
}

type outcome struct {
	handled bool
	err     error
}

func (r *right) handle(ctx context.Context, b *v1.Backup) outcome {
	if b.DeletionTimestamp.IsZero() {
		return outcome{}
	}
	return outcome{true, r.release(ctx, b)}
}

// unknownPolicy asks somebody who may look at the deletion.
func (r *right) unknownPolicy(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if r.policy.Skips(b) {
		return nil
	}
	if controllerutil.AddFinalizer(b, finalizer) {
		return r.Update(ctx, b)
	}
	return nil
}

func (r *right) elseBranch(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if !b.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(b, finalizer)
	} else {
		controllerutil.AddFinalizer(b, finalizer)
	}
	return r.Update(ctx, b)
}

func (r *right) bySwitch(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	switch {
	case b.DeletionTimestamp != nil:
		return r.release(ctx, b)
	case !controllerutil.ContainsFinalizer(b, finalizer):
		controllerutil.AddFinalizer(b, finalizer)
		return r.Update(ctx, b)
	}
	return nil
}

// upsert creates the object in most cases.
func (r *right) upsert(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	b.Name, b.Namespace = key.Name, key.Namespace
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, b, func() error {
		controllerutil.AddFinalizer(b, finalizer)
		return nil
	})
	return err
}

func (r *right) filteredList(ctx context.Context, key client.ObjectKey) error {
	var list v1.BackupList
	if err := r.List(ctx, &list, client.InNamespace(key.Namespace)); err != nil {
		return err
	}
	for i := range list.Items {
		b := &list.Items[i]
		if b.DeletionTimestamp != nil {
			continue
		}
		if controllerutil.AddFinalizer(b, finalizer) {
			if err := r.Update(ctx, b); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *right) inRetry(ctx context.Context, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b := &v1.Backup{}
		if err := r.Get(ctx, key, b); err != nil {
			return err
		}
		if !b.DeletionTimestamp.IsZero() || !controllerutil.AddFinalizer(b, finalizer) {
			return nil
		}
		return r.Update(ctx, b)
	})
}

func (r *right) byMetadata(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if !b.ObjectMeta.DeletionTimestamp.Time.IsZero() {
		return nil
	}
	b.SetFinalizers(append(b.GetFinalizers(), finalizer))
	return r.Update(ctx, b)
}

func (r *right) byOtherAccessor(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	meta := b.GetObjectMeta()
	if meta.GetDeletionTimestamp() != nil {
		return nil
	}
	meta.SetFinalizers(append(meta.GetFinalizers(), finalizer))
	return r.Update(ctx, b)
}

func (r *right) everyCallerChecks(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if controllerutil.AddFinalizer(b, finalizer) {
		return r.Update(ctx, b)
	}
	return nil
}

// Protect is called from elsewhere: whoever does may have looked.
func Protect(ctx context.Context, c client.Client, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := c.Get(ctx, key, b); err != nil {
		return err
	}
	if controllerutil.AddFinalizer(b, finalizer) {
		return c.Update(ctx, b)
	}
	return nil
}

// kindReconciler is called for objects that are not being deleted, as by
// knative's generated reconcilers.
type kindReconciler struct{ client.Client }

func (r *kindReconciler) ReconcileKind(ctx context.Context, b *v1.Backup) error {
	if controllerutil.AddFinalizer(b, finalizer) {
		return r.Update(ctx, b)
	}
	return nil
}

func (r *kindReconciler) FinalizeKind(ctx context.Context, b *v1.Backup) error {
	return helpers.Release(ctx, r.Client, b)
}

// anyFinalizers passes by objects without finalizers only: one that is being
// deleted and has none is gone.
func (r *right) anyFinalizers(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if b.DeletionTimestamp != nil && len(b.GetFinalizers()) > 0 {
		return r.release(ctx, b)
	}
	if controllerutil.AddFinalizer(b, finalizer) {
		return r.Update(ctx, b)
	}
	return nil
}

// inGuardingHelper is called back for live objects only.
func (r *right) inGuardingHelper(ctx context.Context, key client.ObjectKey) error {
	return r.changeLive(ctx, key, func(b *v1.Backup) bool {
		return controllerutil.AddFinalizer(b, finalizer)
	})
}

func (r *right) changeLive(ctx context.Context, key client.ObjectKey, change func(*v1.Backup) bool) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if !b.DeletionTimestamp.IsZero() || !change(b) {
		return nil
	}
	return r.Update(ctx, b)
}
