// Package upgrades follows Caches to a new version.
package upgrades

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

const (
	channelLabel = "cache.demo.opvet.dev/channel"
	poll         = 10 * time.Second
)

// Reconciler notes which Caches run what they should.
type Reconciler struct {
	client.Client
}

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("upgrades").For(&v1alpha1.Cache{}).Complete(r)
}

// Reconcile looks at one Cache, until it has been upgraded.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	waiting := ctrl.Result{RequeueAfter: poll}
	cache := &v1alpha1.Cache{}
	if err := r.Get(ctx, req.NamespacedName, cache); err != nil {
		if apierrors.IsNotFound(err) {
			return waiting, nil
		}
		return ctrl.Result{}, err
	}
	if cache.Labels[channelLabel] == "" {
		if err := r.join(ctx, cache); err != nil {
			return waiting, err
		}
	}
	if cache.Status.Version != cache.Spec.Version {
		return waiting, r.observe(ctx, cache)
	}
	return r.leave(ctx, cache)
}

// join has the Cache follow the stable channel.
func (r *Reconciler) join(ctx context.Context, cache *v1alpha1.Cache) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := r.Get(ctx, client.ObjectKeyFromObject(cache), cache); err != nil {
			return err
		}
		cache.SetLabels(map[string]string{channelLabel: "stable"})
		return r.Update(ctx, cache)
	})
}

// leave forgets the channel once the upgrade is complete.
func (r *Reconciler) leave(ctx context.Context, cache *v1alpha1.Cache) (ctrl.Result, error) {
	base := cache.DeepCopy()
	delete(cache.Labels, channelLabel)
	if err := r.Patch(ctx, cache, client.MergeFrom(base)); err != nil {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

// observe records what runs.
func (r *Reconciler) observe(ctx context.Context, cache *v1alpha1.Cache) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		cache.Status.ObservedGeneration = cache.Generation
		return r.Status().Update(ctx, cache)
	})
}

// Done records that the new version runs.
func (r *Reconciler) Done(ctx context.Context, cache *v1alpha1.Cache) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		cache.Status.Version = cache.Spec.Version
		err := r.Status().Update(ctx, cache)
		if apierrors.IsConflict(err) {
			err = r.Get(ctx, client.ObjectKeyFromObject(cache), cache)
		}
		return err
	})
}

// Pin keeps a Cache at the version that it runs.
func (r *Reconciler) Pin(ctx context.Context, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		cache := &v1alpha1.Cache{}
		if err := r.Get(ctx, key, cache); err != nil {
			return client.IgnoreNotFound(err)
		}
		cache.Spec.Version = cache.Status.Version
		if err := r.Update(ctx, cache); err != nil {
			return fmt.Errorf("pinning %s: %v", key, err)
		}
		return nil
	})
}

// Unpin lets a Cache follow its channel again.
func (r *Reconciler) Unpin(ctx context.Context, cache *v1alpha1.Cache) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := r.Get(ctx, client.ObjectKeyFromObject(cache), cache); err != nil {
			log.FromContext(ctx).Error(err, "Reading the Cache again")
		}
		cache.Spec.Version = ""
		return r.Update(ctx, cache)
	})
}
