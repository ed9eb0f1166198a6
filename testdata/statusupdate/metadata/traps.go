package metadata

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
	"github.com/opvet/opvet/testdata/statusupdate/helpers/patch"
)

func (r *reconciler) finalizerStoredFirst(ctx context.Context, b *v1.Backup) error {
	if controllerutil.AddFinalizer(b, v1.Finalizer) {
		if err := r.Update(ctx, b); err != nil {
			return err
		}
	}
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b)
}

func (r *reconciler) finalizerRemovedLast(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupCompleted
	if err := r.Status().Update(ctx, b); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) finalizerStoredElsewhere(ctx context.Context, b *v1.Backup) error {
	if err := helpers.EnsureFinalizer(ctx, r.Client, b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b)
}

func (r *reconciler) patchHelper(ctx context.Context, b *v1.Backup) (err error) {
	helper, err := patch.NewHelper(b, r.Client)
	if err != nil {
		return err
	}
	defer func() {
		if patchErr := helper.Patch(ctx, b); patchErr != nil && err == nil {
			err = patchErr
		}
	}()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	b.Status.Phase = v1.BackupRunning
	return nil
}

// Defaults of the spec that only this process needs.
func (r *reconciler) defaultsInMemory(ctx context.Context, b *v1.Backup) error {
	b.Default()
	b.Status.Targets = map[string]string{"replicas": fmt.Sprint(*b.Spec.Replicas)}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) blankedSpec(ctx context.Context, b *v1.Backup) error {
	sent := b.DeepCopy()
	sent.Spec = v1.BackupSpec{}
	sent.ManagedFields = nil
	return r.Status().Update(ctx, sent)
}

// The labels belong to the child, which is created with them.
func (r *reconciler) labelsOfTheChild(ctx context.Context, b *v1.Backup) error {
	job := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: b.Name, Namespace: b.Namespace}}
	job.Labels = map[string]string{"backup": b.Name}
	if err := controllerutil.SetControllerReference(b, job, r.Scheme()); err != nil {
		return err
	}
	if err := r.Create(ctx, job); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b)
}

func (r *reconciler) labelsAreRead(ctx context.Context, b *v1.Backup) error {
	labels := b.GetLabels()
	b.Status.Message = "owned by " + labels["owner"]
	return r.Status().Update(ctx, b)
}

func (r *reconciler) labelsOfACopy(ctx context.Context, b *v1.Backup) error {
	selector := make(map[string]string, len(b.Labels))
	for k, v := range b.Labels {
		selector[k] = v
	}
	selector["backup"] = b.Name
	b.Status.Targets = selector
	return r.Status().Update(ctx, b)
}

// An empty map in place of none changes nothing.
func (r *reconciler) emptyMap(ctx context.Context, b *v1.Backup) error {
	if b.Annotations == nil {
		b.Annotations = map[string]string{}
	}
	b.Status.Message = b.Annotations["note"]
	return r.Status().Update(ctx, b)
}

func (r *reconciler) mergePatchByName(ctx context.Context, b *v1.Backup) error {
	raw := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":["example.opvet.dev/cleanup"]}}`))
	if err := r.Patch(ctx, b, raw); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b)
}

func (r *reconciler) exclusivePaths(ctx context.Context, b *v1.Backup) error {
	if !b.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return r.Update(ctx, b)
	}
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b)
}

// A new object that names the one whose status it carries.
func (r *reconciler) serverSideApply(ctx context.Context, key client.ObjectKey) error {
	sent := &v1.Backup{}
	sent.SetGroupVersionKind(v1.GroupVersion.WithKind("Backup"))
	sent.SetName(key.Name)
	sent.SetNamespace(key.Namespace)
	sent.Status.Phase = v1.BackupCompleted
	return r.Status().Patch(ctx, sent, client.Apply, client.FieldOwner("backup-controller"), client.ForceOwnership)
}

// The copy with the labels goes to the main endpoint.
func (r *reconciler) copyForTheMetadata(ctx context.Context, b *v1.Backup) error {
	labelled := b.DeepCopy()
	helpers.SetOwner(labelled, "team-a")
	if err := r.Patch(ctx, labelled, client.MergeFrom(b)); err != nil {
		return err
	}
	labelled.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, labelled)
}

func (r *reconciler) writerOfBoth(ctx context.Context, b *v1.Backup) error {
	helpers.SetOwner(b, "team-a")
	b.Status.Phase = v1.BackupRunning
	return helpers.SaveAll(ctx, r.Client, b)
}

// The type and version that a write took away are put back.
func (r *reconciler) typeMetaRestored(ctx context.Context, b *v1.Backup) error {
	typeMeta := b.TypeMeta
	b.Status.Phase = v1.BackupRunning
	if err := r.Status().Update(ctx, b); err != nil {
		return err
	}
	b.TypeMeta = typeMeta
	return nil
}

// The finalizer stays where its removal could not be stored.
func (r *reconciler) statusOfTheFailure(ctx context.Context, b *v1.Backup) error {
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil {
		b.MarkFailed(err.Error())
		return r.Status().Update(ctx, b)
	}
	return nil
}

// The typed client got the finalizer; its argument keeps it.
func (c *controller) answerKeptApart(ctx context.Context, b *v1.Backup) error {
	controllerutil.AddFinalizer(b, v1.Finalizer)
	updated, err := c.example.ExampleV1().Backups(b.Namespace).Update(ctx, b, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	b.ResourceVersion = updated.ResourceVersion
	b.Status.Phase = v1.BackupRunning
	_, err = c.example.ExampleV1().Backups(b.Namespace).UpdateStatus(ctx, b, metav1.UpdateOptions{})
	return err
}

// The status endpoints of Kubernetes' own kinds store the metadata, too.
func (c *controller) typedNode(ctx context.Context, node *corev1.Node) error {
	node = node.DeepCopy()
	node.Labels["example.opvet.dev/ready"] = "true"
	node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: "BackupReady"})
	_, err := c.core.CoreV1().Nodes().UpdateStatus(ctx, node, metav1.UpdateOptions{})
	return err
}

func (r *reconciler) annotatedService(ctx context.Context, svc *corev1.Service, ip string) error {
	metav1.SetMetaDataAnnotation(&svc.ObjectMeta, "ip", ip)
	helpers.SetIngress(svc, ip)
	return r.Status().Update(ctx, svc)
}

func (c *controller) forwardedPod(ctx context.Context, pod *corev1.Pod, cluster string) error {
	pod.Annotations["example.opvet.dev/cluster"] = cluster
	_, err := c.core.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}

// What has failed is told in the status; the retry sets the annotation again, and it is
// stored with the rest once all has worked.
func (r *reconciler) failureTold(ctx context.Context, b *v1.Backup) error {
	b.Annotations["revision"] = "2"
	applied, err := r.applied(ctx, *b)
	if err != nil {
		b.Status.Phase = v1.BackupPending
		return errors.Join(err, r.Status().Update(ctx, b))
	}
	return r.Update(ctx, &applied)
}

func (r *reconciler) applied(ctx context.Context, b v1.Backup) (v1.Backup, error) {
	return b, r.Delete(ctx, &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: b.Namespace}})
}

// A literal tells it.
func (r *reconciler) failureToldByLiteral(ctx context.Context, b *v1.Backup) error {
	b.Annotations["revision"] = "2"
	applied, err := r.applied(ctx, *b)
	if err != nil {
		b.Status.Phase = v1.BackupPending
		tell := func() error { return r.Status().Update(ctx, b) }
		return errors.Join(err, tell())
	}
	return r.Update(ctx, &applied)
}

// On another way the function stores the metadata, and the event of the status leads there.
func (r *reconciler) storedOnAnotherWay(ctx context.Context, b *v1.Backup, known bool) error {
	copied := b.DeepCopy()
	copied.Labels = map[string]string{"revision": "1"}
	if known {
		return r.Update(ctx, copied)
	}
	other := b.DeepCopy()
	other.Labels = map[string]string{"revision": "1"}
	other.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, other) // want `^hygiene: labels.*\(statusupdate/metadata-dropped\)`
}

// What a fresh copy has stored is put into the caller's copy as well.
func (r *reconciler) mirrored(ctx context.Context, b *v1.Backup) error {
	if err := r.mark(ctx, b, "2"); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b)
}

func (r *reconciler) mark(ctx context.Context, b *v1.Backup, revision string) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		var latest v1.Backup
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), &latest); err != nil {
			return err
		}
		if latest.Annotations == nil {
			latest.Annotations = map[string]string{}
		}
		latest.Annotations["revision"] = revision
		if err := r.Update(ctx, &latest); err != nil {
			return err
		}
		b.Annotations = latest.Annotations
		return nil
	})
}

func (r *reconciler) mirroredInPlace(ctx context.Context, b, latest *v1.Backup) error {
	latest.Labels = map[string]string{"revision": "1"}
	if err := r.Update(ctx, latest); err != nil {
		return err
	}
	b.Labels = latest.Labels
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b)
}

// The next phase puts it on as well, and patches the object.
func (r *reconciler) inTheNextPhase(ctx context.Context, b *v1.Backup) error {
	patch := client.MergeFrom(b.DeepCopy())
	switch b.Status.Phase {
	case v1.BackupPending:
		controllerutil.AddFinalizer(b, v1.Finalizer)
		b.Status.Phase = v1.BackupRunning
		return r.Status().Patch(ctx, b, patch) // want `^hygiene: finalizers.*\(statusupdate/metadata-dropped\)`
	case v1.BackupRunning:
		controllerutil.AddFinalizer(b, v1.Finalizer)
		return r.Patch(ctx, b, patch)
	}
	return nil
}

// What the next phase patches are labels.
func (r *reconciler) somethingElseInTheNextPhase(ctx context.Context, b *v1.Backup) error {
	patch := client.MergeFrom(b.DeepCopy())
	switch b.Status.Phase {
	case v1.BackupPending:
		controllerutil.AddFinalizer(b, v1.Finalizer)
		b.Status.Phase = v1.BackupRunning
		return r.Status().Patch(ctx, b, patch) // want `^loss: finalizers.*\(statusupdate/metadata-dropped\)`
	case v1.BackupRunning:
		b.Labels = map[string]string{"phase": "running"}
		return r.Patch(ctx, b, patch)
	}
	return nil
}

// What the other way stores is that it is put on.
func (r *reconciler) removedInOnePhase(ctx context.Context, b *v1.Backup) error {
	patch := client.MergeFrom(b.DeepCopy())
	if b.DeletionTimestamp.IsZero() {
		controllerutil.AddFinalizer(b, v1.Finalizer)
		return r.Patch(ctx, b, patch)
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	b.Status.Phase = v1.BackupCompleted
	return r.Status().Patch(ctx, b, patch) // want `^stuck: deletion of the Backup hangs.*\(statusupdate/metadata-dropped\)`
}
