// Package finalizerpatches has functions that send patches and get objects.
// Each says which merge patches it sends without a lock, and where its objects
// come from.
package finalizerpatches

import (
	"context"
	"encoding/json"

	jsonpatch "github.com/evanphx/json-patch/v5"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// want patch computed
func computed(ctx context.Context, c client.Client, before, after *v1.Backup) error {
	return c.Patch(ctx, after, client.MergeFrom(before))
}

// want patch computed
func byHelper(ctx context.Context, c client.Client, before, after *v1.Backup) error {
	return computed(ctx, c, before, after)
}

// want patch computed
func fromVariable(ctx context.Context, c client.Client, before, after *v1.Backup) error {
	patch := client.MergeFrom(before)
	send := func() error { return c.Patch(ctx, after, patch) }
	return send()
}

func locked(ctx context.Context, c client.Client, before, after *v1.Backup) error {
	return c.Patch(ctx, after, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

func status(ctx context.Context, c client.Client, before, after *v1.Backup) error {
	return c.Status().Patch(ctx, after, client.MergeFrom(before))
}

func strategic(ctx context.Context, c client.Client, before, after *v1.Backup) error {
	return c.Patch(ctx, after, client.StrategicMergeFrom(before))
}

// want patch with 1 finalizers
func constant(ctx context.Context, c client.Client, b *v1.Backup) error {
	return c.Patch(ctx, b, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":["a/b"]}}`)))
}

func otherConstant(ctx context.Context, c client.Client, b *v1.Backup) error {
	return c.Patch(ctx, b, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"finalizers":["a/b"]}}`)))
}

// want patch computed
func typed(ctx context.Context, c kubernetes.Interface, before, after *corev1.ConfigMap) error {
	data, err := difference(before, after)
	if err != nil {
		return err
	}
	_, err = c.CoreV1().ConfigMaps("").Patch(ctx, after.Name, types.MergePatchType, data, metav1.PatchOptions{})
	return err
}

func difference(before, after any) ([]byte, error) {
	old, err := json.Marshal(before)
	if err != nil {
		return nil, err
	}
	changed, err := json.Marshal(after)
	if err != nil {
		return nil, err
	}
	return jsonpatch.CreateMergePatch(old, changed)
}

// want returns fetched
func fetched(ctx context.Context, c client.Client, key client.ObjectKey) (*v1.Backup, error) {
	b := &v1.Backup{}
	if err := c.Get(ctx, key, b); err != nil {
		return nil, err
	}
	return b, nil
}

// want returns fetched
func fetchedByHelper(ctx context.Context, c client.Client, key client.ObjectKey) (*v1.Backup, error) {
	b, err := fetched(ctx, c, key)
	if err != nil {
		return nil, err
	}
	return b.DeepCopy(), nil
}

// want returns fetched
func listed(lister corelisters.ConfigMapLister) (*corev1.ConfigMap, error) {
	return lister.ConfigMaps("a").Get("b")
}

func made() *v1.Backup { return &v1.Backup{} }

// filtered objects are not those of the API server any more: it has looked at
// their deletion.
func filtered(ctx context.Context, c client.Client, key client.ObjectKey) (*v1.Backup, error) {
	b, err := fetched(ctx, c, key)
	if err != nil || b.DeletionTimestamp != nil {
		return nil, err
	}
	return b, nil
}

// want added "a/b" while deleting
func throughAccessor(obj client.Object) error {
	m, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	m.SetFinalizers(append(m.GetFinalizers(), "a/b"))
	return nil
}

// want added "a/b"
func guardedThroughAccessor(obj client.Object) error {
	m, err := meta.Accessor(obj)
	if err != nil || m.GetDeletionTimestamp() != nil {
		return err
	}
	m.SetFinalizers(append(m.GetFinalizers(), "a/b"))
	return nil
}
