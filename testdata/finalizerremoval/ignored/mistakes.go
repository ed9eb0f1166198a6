package ignored

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func controllerutilRemove(b *v1.Backup) { controllerutil.RemoveFinalizer(b, v1.Finalizer) }

func (r *reconciler) logged(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if err := r.deleteData(ctx, b); err != nil { // want `hygiene: deleteData's error is ignored and line \d+ removes the finalizer: if it fails, the data leaks.*\(finalizerremoval/cleanup-ignored\)`
		r.log.Error(err, "cannot delete the data")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return ctrl.Result{}, r.Update(ctx, b)
}

func (r *reconciler) dropped(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	_ = r.deleteData(ctx, b) // want `leak: deleteData's error is ignored and line \d+ removes the finalizer: if it fails, the data leaks.*\(finalizerremoval/cleanup-ignored\)`
	return r.release(ctx, b)
}

func (r *reconciler) notEvenAssigned(ctx context.Context, b *v1.Backup) error {
	r.bucket.Delete(ctx, b.Name) // want `\(finalizerremoval/cleanup-ignored\)`
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) inALoop(ctx context.Context, b *v1.Backup) error {
	for name := range b.Status.Targets {
		if err := r.deletePart(ctx, name); err != nil { // want `\(finalizerremoval/cleanup-ignored\)`
			r.log.Error(err, "cannot delete a part")
			continue
		}
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) child(ctx context.Context, b *v1.Backup, c *v1.Cluster) error {
	if err := r.Client.Delete(ctx, c); client.IgnoreNotFound(err) != nil { // want `leak: .*\(finalizerremoval/cleanup-ignored\)`
		r.log.Error(err, "cannot delete the cluster")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) retried(ctx context.Context, b *v1.Backup) {
	var kept []string
	var err error
	for _, f := range b.GetFinalizers() {
		if f == v1.Finalizer {
			for _, part := range []string{"data", "index"} {
				err = retry.OnError(retry.DefaultBackoff, func(error) bool { return true }, r.removePart(ctx, part)) // want `\(finalizerremoval/cleanup-ignored\)`
				if err != nil {
					break
				}
			}
		} else {
			kept = append(kept, f)
		}
	}
	b.SetFinalizers(kept)
	if err != nil {
		r.log.Info("cannot delete the data", "error", err.Error())
	}
	if err := r.Update(ctx, b); err != nil {
		r.log.Error(err, "cannot store the finalizers")
	}
}

func (r *reconciler) removePart(ctx context.Context, name string) func() error {
	return func() error { return r.bucket.Delete(ctx, name) }
}

func (r *reconciler) lookUpOnlyLogged(ctx context.Context, b *v1.Backup) error {
	for name := range b.Status.Targets {
		c := &v1.Cluster{}
		if err := r.Get(ctx, client.ObjectKey{Name: name}, c); err != nil { // want `hygiene: if Get fails.*\(finalizerremoval/cleanup-ignored\)`
			r.log.Error(err, "cannot get the cluster")
			continue
		}
		before := c.DeepCopy()
		delete(c.Labels, "backup")
		if err := r.Patch(ctx, c, client.MergeFrom(before)); err != nil {
			return err
		}
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) anyErrorOfALookUp(ctx context.Context, key client.ObjectKey) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	_, err := r.bucket.Lookup(ctx, b.Spec.Source)
	if err != nil {
		if !b.DeletionTimestamp.IsZero() {
			r.log.Info("the cluster is gone")
			controllerutil.RemoveFinalizer(b, v1.Finalizer) // want `if Lookup on line \d+ fails, even by a timeout, the finalizer comes off without clean-up and resources leak.*\(finalizerremoval/wrong-branch\)`
			return ctrl.Result{}, r.Update(ctx, b)
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) anyErrorOfAGet(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if b.DeletionTimestamp == nil {
		return ctrl.Result{}, nil
	}
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil {
		return r.release(ctx, b) // want `^hygiene: .*\(finalizerremoval/wrong-branch\)`
	}
	if err := r.deleteData(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	return r.release(ctx, b)
}

func (r *reconciler) anyErrorOfALiveGet(ctx context.Context, live client.Reader, b *v1.Backup) (ctrl.Result, error) {
	if b.DeletionTimestamp == nil {
		return ctrl.Result{}, nil
	}
	c := &v1.Cluster{}
	if err := live.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil {
		return r.release(ctx, b) // want `^leak: .*\(finalizerremoval/wrong-branch\)`
	}
	if err := r.deleteData(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	return r.release(ctx, b)
}

func (r *reconciler) errorOfNoKnownKind(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if b.DeletionTimestamp == nil {
		return ctrl.Result{}, nil
	}
	_, err := r.bucket.Lookup(ctx, b.Name)
	switch {
	case err == nil:
		return ctrl.Result{}, nil
	case errors.As(err, new(unavailable)), apierrors.IsTimeout(err):
		return ctrl.Result{Requeue: true}, nil
	default:
		r.log.Error(err, "giving up")
		return r.release(ctx, b) // want `\(finalizerremoval/wrong-branch\)`
	}
}

func (r *reconciler) connect(b *v1.Backup) error {
	_, err := r.bucket.Lookup(context.Background(), b.Spec.Source)
	return err
}

func (r *reconciler) helperWithoutContext(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	err := r.connect(b)
	if err != nil {
		if !b.GetDeletionTimestamp().IsZero() {
			return r.release(ctx, b) // want `if connect on line \d+ fails, even by a timeout, the finalizer comes off without clean-up and resources leak.*\(finalizerremoval/wrong-branch\)`
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

// The names say nothing; what is called does.
func (r *reconciler) behindAWrapper(ctx context.Context, b *v1.Backup) error {
	if err := r.first(ctx, b); err != nil { // want `\(finalizerremoval/cleanup-ignored\)`
		r.log.Error(err, "first step")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) first(ctx context.Context, b *v1.Backup) error {
	if err := r.deleteData(ctx, b); err != nil {
		return fmt.Errorf("data of %s: %w", b.Name, err)
	}
	return nil
}

func (r *reconciler) inALiteral(ctx context.Context, b *v1.Backup) error {
	step := func() error { return r.deleteData(ctx, b) }
	if err := step(); err != nil { // want `\(finalizerremoval/cleanup-ignored\)`
		r.log.Error(err, "first step")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

// releaseAll goes on with each of several when its data could not be deleted.
func (r *reconciler) releaseAll(ctx context.Context) error {
	var all v1.BackupList
	if err := r.List(ctx, &all); err != nil {
		return err
	}
	for _, b := range all.Items {
		if err := r.deleteData(ctx, &b); err != nil { // want `cleanup-ignored`
			r.log.Error(err, "cannot delete the data")
		}
		controllerutil.RemoveFinalizer(&b, v1.Finalizer)
		if err := r.Update(ctx, &b); err != nil {
			return err
		}
	}
	return nil
}
