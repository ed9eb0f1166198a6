package dropped

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/api/apply"
	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func (r *reconciler) mergePatchFromABase(ctx context.Context, b *v1.Backup) error {
	base := b.DeepCopy()
	b.Status.Phase = v1.BackupRunning
	return r.Patch(ctx, b, client.MergeFrom(base)) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) mergePatchMadeBefore(ctx context.Context, b *v1.Backup) error {
	patch := client.MergeFromWithOptions(b.DeepCopy(), client.MergeFromWithOptimisticLock{})
	b.MarkFailed("no space left")
	return r.Patch(ctx, b, patch) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) strategicPatch(ctx context.Context, node *corev1.Node, condition corev1.NodeCondition) error {
	patch := client.StrategicMergeFrom(node.DeepCopy())
	node.Status.Conditions = append(node.Status.Conditions, condition)
	return r.Patch(ctx, node, patch) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) deferredPatch(ctx context.Context, b *v1.Backup) (err error) {
	original := b.DeepCopy()
	defer func() {
		if patchErr := r.Patch(ctx, b, client.MergeFrom(original)); patchErr != nil { // want `dropped.*\(statusupdate/dropped-by-update\)`
			err = patchErr
		}
	}()
	b.Status.Phase = v1.BackupRunning
	return nil
}

func (r *reconciler) serverSideApply(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.GroupVersion.String(), Kind: "Backup"},
		ObjectMeta: metav1.ObjectMeta{Name: key.Name, Namespace: key.Namespace},
	}
	b.Status.Phase = v1.BackupCompleted
	return r.Patch(ctx, b, client.Apply, client.FieldOwner("backup-controller"), client.ForceOwnership) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) applyConfiguration(ctx context.Context, key client.ObjectKey) error {
	b := apply.Backup(key.Name, key.Namespace).
		WithStatus(apply.BackupStatus().WithPhase(v1.BackupCompleted))
	return r.Apply(ctx, b, client.FieldOwner("backup-controller")) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (c *controller) typedApply(ctx context.Context, name, namespace string) error {
	d := appsapply.Deployment(name, namespace).
		WithStatus(appsapply.DeploymentStatus().WithObservedGeneration(1))
	_, err := c.core.AppsV1().Deployments(namespace).Apply(ctx, d, metav1.ApplyOptions{FieldManager: "backup-controller"}) // want `dropped.*\(statusupdate/dropped-by-update\)`
	return err
}

// The patch is computed from two objects that differ in the status only.
func (c *controller) twoWayPatch(ctx context.Context, old *corev1.Node, condition corev1.NodeCondition) error {
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
	_, err = c.core.CoreV1().Nodes().Patch(ctx, old.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}) // want `dropped.*\(statusupdate/dropped-by-update\)`
	return err
}

func (c *controller) literalPatch(ctx context.Context, namespace, name string) error {
	patch := []byte(`{"status":{"phase":"Failed"}}`)
	_, err := c.core.CoreV1().Pods(namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}) // want `dropped.*\(statusupdate/dropped-by-update\)`
	return err
}

func (r *reconciler) literalRawPatch(ctx context.Context, b *v1.Backup) error {
	patch := client.RawPatch(types.MergePatchType, []byte(`{"status":{"phase":"Failed"}}`))
	return r.Patch(ctx, b, patch) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) marshalledMap(ctx context.Context, b *v1.Backup, phase v1.BackupPhase) error {
	data, err := json.Marshal(map[string]any{"status": map[string]any{"phase": phase}})
	if err != nil {
		return err
	}
	return r.Patch(ctx, b, client.RawPatch(types.MergePatchType, data)) // want `this patch of the status is dropped: Patch writes only spec and metadata of the Backup`
}

// It has the metadata, too, and is due for that.
func (r *reconciler) marshalledMapOfBoth(ctx context.Context, b *v1.Backup, phase v1.BackupPhase) error {
	patch := map[string]any{"status": map[string]any{"phase": phase}}
	patch["metadata"] = map[string]any{"labels": map[string]any{"phase": phase}}
	data, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	return r.Patch(ctx, b, client.RawPatch(types.MergePatchType, data))
}

// What is put in elsewhere is not known.
func (r *reconciler) marshalledMapOfOthers(ctx context.Context, b *v1.Backup, fill func(map[string]any), key string) error {
	patch := map[string]any{"status": nil}
	patch[key] = "unknown"
	fill(patch)
	data, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	return r.Patch(ctx, b, client.RawPatch(types.MergePatchType, data))
}
