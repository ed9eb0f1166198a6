package dropped

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opvet/opvet/testdata/api/apply"
	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

func (c *controller) typedStatus(ctx context.Context, pod *corev1.Pod) error {
	pod = pod.DeepCopy()
	pod.Status.Phase = corev1.PodFailed
	_, err := c.core.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}

func (c *controller) typedPatchOfTheStatus(ctx context.Context, old *corev1.Node, condition corev1.NodeCondition) error {
	node := old.DeepCopy()
	node.Status.Conditions = append(node.Status.Conditions, condition)
	before, err := json.Marshal(old)
	if err != nil {
		return err
	}
	after, err := json.Marshal(node)
	if err != nil {
		return err
	}
	patch, err := strategicpatch.CreateTwoWayMergePatch(before, after, corev1.Node{})
	if err != nil {
		return err
	}
	_, err = c.core.CoreV1().Nodes().Patch(ctx, old.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

func (c *controller) literalPatchOfTheStatus(ctx context.Context, namespace, name string) error {
	patch := []byte(`{"status":{"phase":"Failed"}}`)
	_, err := c.core.CoreV1().Pods(namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

func (c *controller) typedWithoutSubresource(ctx context.Context, s *v1.Schedule) error {
	s.Status.Phase = "Enabled"
	_, err := c.example.ExampleV1().Schedules(s.Namespace).Update(ctx, s, metav1.UpdateOptions{})
	return err
}

// rolloutContext hands its object from method to method.
type rolloutContext struct {
	controller
	backup *v1.Backup
}

func (c *rolloutContext) setRevision(ctx context.Context, revision string) error {
	c.backup.Annotations["revision"] = revision
	updated, err := c.example.ExampleV1().Backups(c.backup.Namespace).Update(ctx, c.backup, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	c.backup = updated
	return nil
}

func (c *rolloutContext) sync(ctx context.Context, revision string) error {
	if err := c.setRevision(ctx, revision); err != nil {
		return err
	}
	c.backup.SetCondition(helpers.Ready("Synced"))
	updated, err := c.example.ExampleV1().Backups(c.backup.Namespace).UpdateStatus(ctx, c.backup, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	c.backup = updated
	return nil
}

func (c *controller) statusFirstThenFinalizer(ctx context.Context, b *v1.Backup) (err error) {
	backups := c.example.ExampleV1().Backups(b.Namespace)
	defer func() {
		updated, updateErr := backups.UpdateStatus(ctx, b, metav1.UpdateOptions{})
		if updateErr != nil {
			err = updateErr
			return
		}
		updated.Finalizers = nil
		if _, updateErr = backups.Update(ctx, updated, metav1.UpdateOptions{}); updateErr != nil {
			err = updateErr
		}
	}()
	b.Status.Message = "cleaned up"
	return nil
}

func (c *controller) applyStatus(ctx context.Context, name, namespace string) error {
	d := appsapply.Deployment(name, namespace).
		WithStatus(appsapply.DeploymentStatus().WithObservedGeneration(1))
	_, err := c.core.AppsV1().Deployments(namespace).ApplyStatus(ctx, d, metav1.ApplyOptions{FieldManager: "backup-controller"})
	return err
}

func (r *reconciler) applyConfigurationOfTheStatus(ctx context.Context, key client.ObjectKey) error {
	b := apply.Backup(key.Name, key.Namespace).
		WithStatus(apply.BackupStatus().WithPhase(v1.BackupCompleted))
	return r.Status().Apply(ctx, b, client.FieldOwner("backup-controller"))
}

func (r *reconciler) applyConfigurationOfTheSpec(ctx context.Context, key client.ObjectKey) error {
	b := apply.Backup(key.Name, key.Namespace).WithSpec(apply.BackupSpec().WithPaused(true))
	return r.Apply(ctx, b, client.FieldOwner("backup-controller"))
}

func (r *reconciler) serverSideApplyOfTheStatus(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.GroupVersion.String(), Kind: "Backup"},
		ObjectMeta: metav1.ObjectMeta{Name: key.Name, Namespace: key.Namespace},
		Status:     v1.BackupStatus{Phase: v1.BackupCompleted},
	}
	return r.Status().Patch(ctx, b, client.Apply, client.FieldOwner("backup-controller"))
}

var backups = schema.GroupVersionResource{Group: "example.opvet.dev", Version: "v1", Resource: "backups"}

func (c *controller) dynamicStatus(ctx context.Context, u *unstructured.Unstructured) error {
	if err := unstructured.SetNestedField(u.Object, "Running", "status", "phase"); err != nil {
		return err
	}
	_, err := c.dynamic.Resource(backups).Namespace(u.GetNamespace()).UpdateStatus(ctx, u, metav1.UpdateOptions{})
	return err
}

func (c *controller) dynamicPatchOfTheStatus(ctx context.Context, namespace, name string, patch []byte) error {
	_, err := c.dynamic.Resource(backups).Namespace(namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

// Nothing is known of an unstructured object's kind.
func (c *controller) dynamicUnknownKind(ctx context.Context, gvr schema.GroupVersionResource, u *unstructured.Unstructured) error {
	if err := unstructured.SetNestedField(u.Object, "Running", "status", "phase"); err != nil {
		return err
	}
	_, err := c.dynamic.Resource(gvr).Namespace(u.GetNamespace()).Update(ctx, u, metav1.UpdateOptions{})
	return err
}

func (r *reconciler) interfaceOfAnyKind(ctx context.Context, obj v1.Conditioned) error {
	obj.SetConditions(append(obj.GetConditions(), helpers.Ready("Done")))
	return r.Status().Update(ctx, obj)
}

// The typed client leaves its argument alone, so the callers still have the
// status, and store it.
func (c *controller) touch(ctx context.Context, b *v1.Backup) (*v1.Backup, error) {
	b.SetCondition(helpers.Ready("Touched"))
	return c.example.ExampleV1().Backups(b.Namespace).Update(ctx, b, metav1.UpdateOptions{})
}

func (c *controller) touchThenStatus(ctx context.Context, b *v1.Backup) error {
	updated, err := c.touch(ctx, b)
	if err != nil {
		return err
	}
	updated.Status = b.Status
	_, err = c.example.ExampleV1().Backups(b.Namespace).UpdateStatus(ctx, updated, metav1.UpdateOptions{})
	return err
}

// The status has been written before, if it has changed at all.
func (c *controller) whereTheStatusDiffers(ctx context.Context, stored *v1.Backup) error {
	b := stored.DeepCopy()
	b.Status.Phase = v1.BackupRunning
	if !equality.Semantic.DeepEqual(stored.Status, b.Status) {
		var err error
		if stored, err = c.example.ExampleV1().Backups(b.Namespace).UpdateStatus(ctx, b, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	if !equality.Semantic.DeepEqual(stored.Finalizers, b.Finalizers) {
		_, err := c.example.ExampleV1().Backups(b.Namespace).Update(ctx, b, metav1.UpdateOptions{})
		return err
	}
	return nil
}

func (c *controller) whereThePhaseDiffers(ctx context.Context, stored *v1.Backup) error {
	b := stored.DeepCopy()
	b.Status.Phase = v1.BackupRunning
	if b.Status.Phase != stored.Status.Phase {
		return c.kube.Status().Update(ctx, b)
	}
	return c.kube.Update(ctx, b)
}

// With its last finalizer the object goes away.
func (c *controller) released(ctx context.Context, key client.ObjectKey) error {
	var b v1.Backup
	if err := c.kube.Get(ctx, key, &b); err != nil {
		return err
	}
	b.Finalizers = []string{}
	b.Status.Phase = v1.BackupRunning
	return c.kube.Update(ctx, &b)
}

func (c *controller) releasedByTheHelper(ctx context.Context, key client.ObjectKey) error {
	var b v1.Backup
	if err := c.kube.Get(ctx, key, &b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupRunning
	controllerutil.RemoveFinalizer(&b, v1.Finalizer)
	return c.kube.Update(ctx, &b)
}
