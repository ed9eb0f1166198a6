package lost

import (
	"context"
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizerremoval/lost/release"
)

type storing struct {
	client.Client
	queue chan *v1.Backup
	seen  *v1.Backup
}

// helper writes what was changed of the object that it was made for.
type helper struct {
	c      client.Client
	before *v1.Backup
}

func (h *helper) send(ctx context.Context, obj *v1.Backup) error {
	return h.c.Patch(ctx, obj, client.MergeFrom(h.before))
}

func (r *storing) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	h := &helper{r.Client, b.DeepCopy()}
	defer func() {
		if failed := h.send(ctx, b); failed != nil && err == nil {
			err = failed
		}
	}()
	return r.finalize(ctx, b)
}

// finalize leaves it to the deferred patch of Reconcile.
func (r *storing) finalize(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return done()
}

type byValue struct{ storing }

func (r *byValue) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	h := &helper{r.Client, b.DeepCopy()}
	defer func() {
		copied := *b
		if failed := h.send(ctx, &copied); failed != nil && err == nil {
			err = failed
		}
	}()
	if !b.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return done()
	}
	return done()
}

type byHelper struct{ storing }

func (r *byHelper) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := release.Stored(ctx, r.Client, b, v1.Finalizer); err != nil {
		return ctrl.Result{}, err
	}
	return done()
}

type afterwards struct{ storing }

func (r *afterwards) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := slices.Clone(b.Finalizers)
	if err := release.InMemory(ctx, r.Client, b, v1.Finalizer); err != nil {
		return ctrl.Result{}, err
	}
	if !slices.Equal(before, b.Finalizers) {
		if err := r.Update(ctx, b); err != nil {
			return ctrl.Result{}, err
		}
	}
	return done()
}

// The list that is left goes into a patch that is put together by hand.
func (r *storing) byHand(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	left := b.DeepCopy()
	controllerutil.RemoveFinalizer(left, v1.Finalizer)
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"finalizers": left.Finalizers}})
	if err != nil {
		return err
	}
	return r.Patch(ctx, b, client.RawPatch(types.MergePatchType, patch))
}

// The copy is written, then the original gets a label.
func (r *storing) both(ctx context.Context, b *v1.Backup) error {
	left := b.DeepCopy()
	controllerutil.RemoveFinalizer(left, v1.Finalizer)
	if err := r.Update(ctx, left); err != nil {
		return err
	}
	left.DeepCopyInto(b)
	return r.Update(ctx, b)
}

// Somebody else stores what is queued, and what is kept.
func (r *storing) queued(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	r.queue <- b
	return nil
}

func (r *storing) kept(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	r.seen = b
	return nil
}

// The removal is made again after each read.
func (r *storing) again(ctx context.Context, b *v1.Backup) error {
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return release.Retry(3, func() error {
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
			return client.IgnoreNotFound(err)
		}
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return r.Update(ctx, b)
	})
}

// It is read again only where the first write has failed.
func (r *storing) afterAConflict(ctx context.Context, b *v1.Backup) error {
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err == nil {
		return nil
	}
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
		return client.IgnoreNotFound(err)
	}
	return r.Update(ctx, b)
}

// Before is a base from before the removal.
func (r *storing) before(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Patch(ctx, b, client.MergeFrom(before))
}

// ReconcileKind is run by a framework that stores what has changed.
func (r *storing) ReconcileKind(ctx context.Context, b *v1.Backup) error {
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return nil
}

func (r *storing) ensure(ctx context.Context, b *v1.Backup) error {
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, b, func() error {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return nil
	})
	return err
}

// The helper has the copy before it is changed.
func (r *storing) copyOfHelper(ctx context.Context, b *v1.Backup, send func(*v1.Backup) func() error) error {
	left := b.DeepCopy()
	store := send(left)
	controllerutil.RemoveFinalizer(left, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	return store()
}
