// Package skipped has the cases of finalizerremoval/skipped-path: a dependency
// is not there, and the reconcile ends with the finalizer on.
package skipped

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

func (r *reconciler) release(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return ctrl.Result{}, r.Update(ctx, b)
}

func (r *reconciler) beforeTheDeletionIsLookedAt(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil { // want `if Get of the Cluster returns NotFound, the finalizer never comes off and the Backup stays Terminating.*\(finalizerremoval/skipped-path\)`
		if apierrors.IsNotFound(err) {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, err
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	return ctrl.Result{}, nil
}

// What is reconciled is gone once its own finalizer came off, and those of its backups before.
func (r *reconciler) ofAnother(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	c := &v1.Cluster{}
	if err := r.Get(ctx, req.NamespacedName, c); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	b := &v1.Backup{}
	if err := r.Get(ctx, client.ObjectKey{Namespace: c.Namespace, Name: c.Spec.Version}, b); err != nil {
		return ctrl.Result{}, err
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	return ctrl.Result{}, nil
}

// A helper that is given the request gets the same.
func (r *reconciler) ofAnotherByHelper(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	c := &v1.Cluster{}
	if err := r.getRequested(ctx, req, c); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	b := &v1.Backup{}
	if err := r.Get(ctx, client.ObjectKey{Namespace: c.Namespace, Name: c.Spec.Version}, b); err != nil {
		return ctrl.Result{}, err
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	return ctrl.Result{}, nil
}

// It may be given on.
func (r *reconciler) ofAnotherByHelpers(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	c := &v1.Cluster{}
	if err := r.getOf(ctx, &req, c); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	b := &v1.Backup{}
	if err := r.Get(ctx, client.ObjectKey{Namespace: c.Namespace, Name: c.Spec.Version}, b); err != nil {
		return ctrl.Result{}, err
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) getOf(ctx context.Context, req *ctrl.Request, c *v1.Cluster) error {
	return r.getRequested(ctx, *req, c)
}

func (r *reconciler) getRequested(ctx context.Context, req ctrl.Request, c *v1.Cluster) error {
	return r.Get(ctx, req.NamespacedName, c)
}

// Who knows that the object is being deleted may wait for what is missing.
func (r *reconciler) inTheDeletion(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if b.GetDeletionTimestamp() != nil {
		c := &v1.Cluster{}
		if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) getCluster(ctx context.Context, name string) (*v1.Cluster, error) {
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: name}, c); err != nil {
		return nil, err
	}
	return c, nil
}

func (r *reconciler) byHelper(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	_, err := r.getCluster(ctx, b.Spec.Source) // want `\(finalizerremoval/skipped-path\)`
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, nil
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	return ctrl.Result{}, nil
}

// What follows is right.

func (r *reconciler) itself(ctx context.Context, name string) (*v1.Backup, error) {
	b := &v1.Backup{}
	return b, r.Get(ctx, client.ObjectKey{Name: name}, b)
}

func (r *reconciler) theObjectItself(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b, err := r.itself(ctx, req.Name)
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, nil
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) deletionFirst(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) comesBack(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{RequeueAfter: time.Minute}, nil
		}
		return ctrl.Result{}, err
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) errorIsReturned(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil {
		return ctrl.Result{}, err
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) notFoundGoesOn(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) notFoundRemoves(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil {
		if apierrors.IsNotFound(err) && !b.DeletionTimestamp.IsZero() {
			return r.release(ctx, b)
		}
		if apierrors.IsNotFound(err) {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) whatIsIgnoredRemoves(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil {
		if client.IgnoreNotFound(err) == nil {
			controllerutil.RemoveFinalizer(b, v1.Finalizer)
			if err := r.Update(ctx, b); err != nil {
				return ctrl.Result{}, err
			}
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{}, client.IgnoreNotFound(r.Delete(ctx, c))
}

func (r *reconciler) othersAreReturned(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	c := &v1.Cluster{}
	err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c)
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	if err == nil {
		return ctrl.Result{}, r.Delete(ctx, c)
	}
	return r.release(ctx, b)
}

func (r *reconciler) onlyTheOthersAreTold(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil { // want `^stuck: if Get of the Cluster returns NotFound, the finalizer never comes off and the Backup stays Terminating; .*finalizerremoval/skipped-path`
		if client.IgnoreNotFound(err) != nil {
			ctrl.LoggerFrom(ctx).Info("cannot look up the cluster")
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	return r.release(ctx, b)
}

func (r *reconciler) hasNoFinalizer(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(b, v1.Finalizer) {
		c := &v1.Cluster{}
		if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
		return ctrl.Result{}, nil
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) created(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil {
		if apierrors.IsNotFound(err) {
			c.Name = b.Spec.Source
			return ctrl.Result{}, r.Create(ctx, c)
		}
		return ctrl.Result{}, err
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	return ctrl.Result{}, nil
}

// onePhase is one of several: a zero result means to go on.
func (r *reconciler) onePhase(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !b.DeletionTimestamp.IsZero() && controllerutil.RemoveFinalizer(b, v1.Finalizer) {
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) allPhases(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if result, err := r.onePhase(ctx, b); err != nil || !result.IsZero() {
		return result, err
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	return ctrl.Result{}, nil
}

// What is not there is asked for, and has nothing that stands in the way.
func (r *reconciler) emptyIsAsked(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	if isPaused(c) {
		return ctrl.Result{}, nil
	}
	if !b.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

// What the conditions of an empty object say is known.
func (r *reconciler) emptyIsNotReady(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); client.IgnoreNotFound(err) != nil { // want `if Get of the Cluster returns NotFound, the finalizer never comes off`
		return ctrl.Result{}, err
	}
	if !meta.IsStatusConditionTrue(c.Status.Conditions, "Ready") {
		return ctrl.Result{}, nil
	}
	if !b.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

func isPaused(c *v1.Cluster) bool { return c.Annotations["example.opvet.dev/paused"] != "" }

// pausedOwner goes on with a deletion without the cluster, which is nil beside the error: the
// return behind it is none of that path.
func (r *reconciler) pausedOwner(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	var cluster *v1.Cluster
	var err error
	if b.Spec.Source != "" {
		cluster, err = r.getCluster(ctx, b.Spec.Source)
	} else if name, ok := b.Labels["cluster"]; ok {
		cluster, err = r.getCluster(ctx, name)
	}
	if err != nil {
		if !apierrors.IsNotFound(err) {
			return ctrl.Result{}, err
		}
		if b.DeletionTimestamp.IsZero() {
			return ctrl.Result{}, nil
		}
	}
	if cluster != nil {
		if isPaused(cluster) {
			return ctrl.Result{}, nil
		}
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	return ctrl.Result{}, nil
}

// pausedAnyway returns where the cluster is missing.
func (r *reconciler) pausedAnyway(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	cluster, err := r.getCluster(ctx, b.Spec.Source) // want `\(finalizerremoval/skipped-path\)`
	if err != nil && !apierrors.IsNotFound(err) {
		return ctrl.Result{}, err
	}
	if cluster == nil {
		return ctrl.Result{}, nil
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	return ctrl.Result{}, nil
}

// waits says what the deletion waits for: that is what the finalizer is there for.
func (r *reconciler) waits(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if b.GetDeletionTimestamp() != nil {
		c := &v1.Cluster{}
		err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c)
		if apierrors.IsNotFound(err) {
			b.Status.Phase = "WaitingForCluster"
			return ctrl.Result{}, r.Status().Update(ctx, b)
		}
		if err != nil {
			return ctrl.Result{}, err
		}
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}
