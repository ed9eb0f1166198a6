package metadata

import (
	"context"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

func (r *reconciler) finalizerAdded(ctx context.Context, b *v1.Backup) error {
	controllerutil.AddFinalizer(b, v1.Finalizer)
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b) // want `finalizers.*\(statusupdate/metadata-dropped\)`
}

func (r *reconciler) finalizerRemoved(ctx context.Context, b *v1.Backup) error {
	base := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	b.Status.Message = "cleaned up"
	return r.Status().Patch(ctx, b, client.MergeFrom(base)) // want `finalizers.*\(statusupdate/metadata-dropped\)`
}

func (r *reconciler) labelSet(ctx context.Context, b *v1.Backup) error {
	if b.Labels == nil {
		b.Labels = make(map[string]string)
	}
	b.Labels["phase"] = "running"
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b) // want `labels.*\(statusupdate/metadata-dropped\)`
}

func (r *reconciler) annotationRemoved(ctx context.Context, b *v1.Backup) error {
	delete(b.Annotations, "example.opvet.dev/restart")
	b.Status.Phase = v1.BackupPending
	return r.Status().Update(ctx, b) // want `annotations.*\(statusupdate/metadata-dropped\)`
}

// A helper changes the metadata, another the status, and one write follows.
func (r *reconciler) syncBackup(ctx context.Context, b *v1.Backup, revision string) error {
	changed := setRevision(b, revision)
	if setPhase(b, v1.BackupRunning) {
		changed = true
	}
	if !changed {
		return nil
	}
	return r.Status().Update(ctx, b) // want `annotations.*\(statusupdate/metadata-dropped\)`
}

func setRevision(b *v1.Backup, revision string) bool {
	if b.Annotations["revision"] == revision {
		return false
	}
	metav1.SetMetaDataAnnotation(&b.ObjectMeta, "revision", revision)
	return true
}

func setPhase(b *v1.Backup, phase v1.BackupPhase) bool {
	if b.Status.Phase == phase {
		return false
	}
	b.Status.Phase = phase
	return true
}

func (r *reconciler) helperInAnotherPackage(ctx context.Context, b *v1.Backup) error {
	helpers.SetOwner(b, "team-a")
	return r.Status().Update(ctx, b) // want `labels.*\(statusupdate/metadata-dropped\)`
}

func (r *reconciler) ownerSet(ctx context.Context, owner *v1.Cluster, b *v1.Backup) error {
	if err := controllerutil.SetControllerReference(owner, b, r.Scheme()); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupPending
	return r.Status().Update(ctx, b) // want `owner references.*\(statusupdate/metadata-dropped\)`
}

func (r *reconciler) setterOfTheMetadata(ctx context.Context, c *v1.Cluster) error {
	base := client.MergeFrom(c.DeepCopy())
	annotations := c.GetAnnotations()
	annotations["example.opvet.dev/version"] = c.Spec.Version
	c.SetAnnotations(annotations)
	c.Status = &v1.ClusterStatus{Version: c.Spec.Version}
	return r.Status().Patch(ctx, c, base) // want `annotations.*\(statusupdate/metadata-dropped\)`
}

func (r *reconciler) writerInAnotherPackage(ctx context.Context, b *v1.Backup) error {
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	b.Status.Phase = v1.BackupCompleted
	return helpers.UpdateStatus(ctx, r.Client, b) // want `finalizers.*\(statusupdate/metadata-dropped\)`
}

func (r *reconciler) retried(ctx context.Context, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b := &v1.Backup{}
		if err := r.Get(ctx, key, b); err != nil {
			return err
		}
		b.Finalizers = nil
		b.Status.Phase = v1.BackupCompleted
		return r.Status().Update(ctx, b) // want `finalizers.*\(statusupdate/metadata-dropped\)`
	})
}

// The deferred write of the caller is the only one.
func (c *controller) Sync(ctx context.Context, cached *v1.Backup) (err error) {
	b := cached.DeepCopy()
	defer func() {
		if reflect.DeepEqual(cached.Status, b.Status) && len(cached.Finalizers) == len(b.Finalizers) {
			return
		}
		if _, updateErr := c.example.ExampleV1().Backups(b.Namespace).UpdateStatus(ctx, b, metav1.UpdateOptions{}); updateErr != nil { // want `finalizers.*\(statusupdate/metadata-dropped\)`
			err = updateErr
		}
	}()
	if b.DeletionTimestamp != nil {
		return c.finalize(b)
	}
	b.Status.Phase = v1.BackupRunning
	return nil
}

func (c *controller) finalize(b *v1.Backup) error {
	if len(b.Finalizers) == 0 || b.Finalizers[0] != v1.Finalizer {
		return nil
	}
	b.Finalizers = b.Finalizers[1:]
	return nil
}

// Nothing says that the kind is one of Kubernetes' own.
func (c *controller) unstructuredFinalizer(ctx context.Context, gvr schema.GroupVersionResource, u *unstructured.Unstructured) error {
	u.SetFinalizers(nil)
	if err := unstructured.SetNestedField(u.Object, "Done", "status", "phase"); err != nil {
		return err
	}
	_, err := c.dynamic.Resource(gvr).Namespace(u.GetNamespace()).UpdateStatus(ctx, u, metav1.UpdateOptions{}) // want `finalizers.*\(statusupdate/metadata-dropped\)`
	return err
}

func (r *reconciler) anyObject(ctx context.Context, obj client.Object) error {
	controllerutil.AddFinalizer(obj, v1.Finalizer)
	return r.Status().Update(ctx, obj) // want `finalizers.*\(statusupdate/metadata-dropped\)`
}

// It may be a Deployment, whose status endpoint stores annotations, too.
func (c *controller) unstructuredAnnotation(ctx context.Context, gvr schema.GroupVersionResource, u *unstructured.Unstructured) error {
	u.SetAnnotations(map[string]string{"example.opvet.dev/value": "recommended"})
	_, err := c.dynamic.Resource(gvr).Namespace(u.GetNamespace()).UpdateStatus(ctx, u, metav1.UpdateOptions{})
	return err
}

func finish[T client.Object](ctx context.Context, c client.Client, obj T) error {
	obj.SetFinalizers(nil)
	return c.Status().Update(ctx, obj) // want `finalizers.*\(statusupdate/metadata-dropped\)`
}

func (r *reconciler) finishBackup(ctx context.Context, b *v1.Backup) error {
	return finish(ctx, r.Client, b)
}

// The other one is not stored: it is what is wanted.
func (r *reconciler) copiedFromWanted(ctx context.Context, b, wanted *v1.Backup) error {
	b.Labels = wanted.Labels
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b) // want `labels changed .* are dropped`
}
