package unlocked

import (
	"context"
	"log"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	duckv1 "knative.dev/pkg/apis/duck/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizerpatch/helpers"
)

// Mistakes.

// atTheEnd takes the finalizer off an object that is being deleted: the list of
// the cache may have foregroundDeletion still.
func (r *reconciler) atTheEnd(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Patch(ctx, b, client.MergeFrom(before)) // want `hygiene: Backup can stay Terminating: from a stale cache this patch re-adds finalizers and is rejected; use MergeFromWithOptimisticLock \(finalizerpatch/unlocked\)`
}

// removal is called by who knows.
func (r *reconciler) removal(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Patch(ctx, b, client.MergeFrom(before)) // want `hygiene: .*unlocked`
}

// readJustBefore has what the cache has, and that may be old, too.
func (r *reconciler) readJustBefore(ctx context.Context, key client.ObjectKey) error {
	var b v1.Backup
	if err := r.Get(ctx, key, &b); err != nil {
		return client.IgnoreNotFound(err)
	}
	patch := client.MergeFrom(b.DeepCopy())
	if !controllerutil.RemoveFinalizer(&b, v1.Finalizer) {
		return nil
	}
	return r.Patch(ctx, &b, patch) // want `hygiene: .*unlocked`
}

// afterCleanup is a branch of a reconcile.
func (r *reconciler) afterCleanup(ctx context.Context, b *v1.Backup, cleanup func() error) error {
	if !b.DeletionTimestamp.IsZero() {
		if err := cleanup(); err != nil {
			return err
		}
		before := b.DeepCopy()
		b.SetFinalizers(without(b.GetFinalizers(), v1.Finalizer))
		return client.IgnoreNotFound(r.Patch(ctx, b, client.MergeFrom(before))) // want `hygiene: .*unlocked`
	}
	return nil
}

// onlyLogged never learns that the list was stale.
func (r *reconciler) onlyLogged(ctx context.Context, b *v1.Backup) {
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Patch(ctx, b, client.MergeFrom(before)); err != nil { // want `stuck: Backup can stay Terminating: .*unlocked`
		log.Printf("releasing %s: %v", b.Name, err)
	}
}

// swallowed tells its caller that all is well.
func (r *reconciler) swallowed(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Patch(ctx, b, client.MergeFrom(before)); err != nil { // want `stuck: Backup can stay Terminating: .*unlocked`
		log.Printf("releasing %s: %v", b.Name, err)
	}
	return nil
}

// triedAgain says so after it has logged it.
func (r *reconciler) triedAgain(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Patch(ctx, b, client.MergeFrom(before)); err != nil { // want `hygiene: Backup can stay Terminating: .*unlocked`
		log.Printf("releasing %s: %v", b.Name, err)
		return err
	}
	return nil
}

// goneIsFine returns whatever else the API server says.
func (r *reconciler) goneIsFine(ctx context.Context, b *v1.Backup) (bool, error) {
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Patch(ctx, b, client.MergeFrom(before)); err != nil { // want `hygiene: Backup can stay Terminating: .*unlocked`
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	}
	return true, nil
}

// invalidIsFine passes over just that answer.
func (r *reconciler) invalidIsFine(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Patch(ctx, b, client.MergeFrom(before)); err != nil { // want `stuck: Backup can stay Terminating: .*unlocked`
		if apierrors.IsInvalid(err) {
			return nil
		}
		return err
	}
	return nil
}

func without(list []string, name string) []string {
	var kept []string
	for _, f := range list {
		if f != name {
			kept = append(kept, f)
		}
	}
	return kept
}

// Traps.

func (r *reconciler) removedLocked(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Patch(ctx, b, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

func (r *reconciler) removedByUpdate(ctx context.Context, b *v1.Backup) error {
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

// removedFromList has the API server take one off its own list.
func (r *reconciler) removedFromList(ctx context.Context, node *corev1.Node) error {
	before := node.DeepCopy()
	controllerutil.RemoveFinalizer(node, v1.Finalizer)
	return r.Patch(ctx, node, client.StrategicMergeFrom(before))
}

func (r *reconciler) removedAtIndex(ctx context.Context, b *v1.Backup) error {
	data := []byte(`[{"op":"test","path":"/metadata/finalizers/0","value":"example.opvet.dev/cleanup"},{"op":"remove","path":"/metadata/finalizers/0"}]`)
	return r.Patch(ctx, b, client.RawPatch(types.JSONPatchType, data))
}

// releasedByApply leaves out of its own fields what it had in them.
func (r *reconciler) releasedByApply(ctx context.Context, b *v1.Backup) error {
	mine := &v1.Backup{}
	mine.Name, mine.Namespace = b.Name, b.Namespace
	return r.Patch(ctx, mine, client.Apply, client.FieldOwner("backups"))
}

// emptied brings nothing back.
func (r *reconciler) emptiedList(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	b.SetFinalizers(nil)
	return r.Patch(ctx, b, client.MergeFrom(before))
}

// outcome is what a step of a reconcile has come to: its errors make the result.
type outcome struct{ errs []error }

func failed(errs ...error) outcome { return outcome{errs} }

// inResult hands the error on in a struct, of which the caller makes a result.
func (r *reconciler) inResult(ctx context.Context, b *v1.Backup) outcome {
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Patch(ctx, b, client.MergeFrom(before)); err != nil { // want `hygiene: Backup can stay Terminating: .*unlocked`
		return failed(err)
	}
	return outcome{}
}

// toKindOfOthers is alone with that project's own controller.
func (r *reconciler) toKindOfOthers(ctx context.Context, service *duckv1.KResource) error {
	before := service.DeepCopy()
	controllerutil.AddFinalizer(service, v1.Finalizer)
	return r.Patch(ctx, service, client.MergeFrom(before)) // want `hygiene: .*unlocked`
}

// elsewhere asks another package for the client: whether that has a cache is not known.
func (r *reconciler) elsewhere(ctx context.Context, access *helpers.Access, b *v1.Backup) {
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := access.Client().Patch(ctx, b, client.MergeFrom(before)); err != nil { // want `hygiene: Backup can stay Terminating: .*unlocked`
		log.Printf("releasing %s: %v", b.Name, err)
	}
}

// ofManager asks a cluster of controller-runtime, whose client has one.
func (r *reconciler) ofManager(ctx context.Context, c cluster.Cluster, b *v1.Backup) {
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := c.GetClient().Patch(ctx, b, client.MergeFrom(before)); err != nil { // want `stuck: Backup can stay Terminating: .*unlocked`
		log.Printf("releasing %s: %v", b.Name, err)
	}
}
