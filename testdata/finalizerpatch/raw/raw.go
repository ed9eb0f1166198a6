// Package raw sends patches that are written by hand.
package raw

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

// Mistakes.

func (r *reconciler) constant(ctx context.Context, b *v1.Backup) error {
	data := []byte(`{"metadata":{"finalizers":["example.opvet.dev/cleanup"]}}`)
	return r.Patch(ctx, b, client.RawPatch(types.MergePatchType, data)) // want `hygiene: others' finalizers on Backup are lost: this merge patch sets the whole list; .* \(finalizerpatch/raw-list\)`
}

// ofOthers is a kind on which others put finalizers, too.
func (r *reconciler) ofOthers(ctx context.Context, svc *corev1.Service) error {
	data := []byte(`{"metadata":{"finalizers":["example.opvet.dev/cleanup"]}}`)
	return r.Patch(ctx, svc, client.RawPatch(types.MergePatchType, data)) // want `loss: others' finalizers on Service are lost`
}

func (r *reconciler) ifEmpty(ctx context.Context, b *v1.Backup) error {
	if !b.DeletionTimestamp.IsZero() || len(b.GetFinalizers()) > 0 {
		return nil
	}
	data, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"finalizers": []string{v1.Finalizer}},
	})
	if err != nil {
		return err
	}
	return r.Patch(ctx, b, client.RawPatch(types.MergePatchType, data)) // want `raw-list`
}

func (r *reconciler) ownList(ctx context.Context, b *v1.Backup) error {
	if !controllerutil.AddFinalizer(b, v1.Finalizer) {
		return nil
	}
	data, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"finalizers": b.GetFinalizers()},
	})
	if err != nil {
		return err
	}
	return r.Patch(ctx, b, client.RawPatch(types.MergePatchType, data)) // want `raw-list`
}

func (r *reconciler) appended(ctx context.Context, b *v1.Backup) error {
	data, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"finalizers": append(b.GetFinalizers(), v1.Finalizer)},
	})
	if err != nil {
		return err
	}
	return r.Patch(ctx, b, client.RawPatch(types.MergePatchType, data)) // want `raw-list`
}

// removed is what remains when the clean-up is done, as the cache has it.
func (r *reconciler) removed(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	data, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"finalizers": b.GetFinalizers()},
	})
	if err != nil {
		return err
	}
	return r.Patch(ctx, b, client.RawPatch(types.MergePatchType, data)) // want `hygiene: Backup can stay Terminating: .* \(finalizerpatch/raw-list\)`
}

// Traps.

func (r *reconciler) withVersion(ctx context.Context, b *v1.Backup) error {
	data, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"finalizers": append(b.GetFinalizers(), v1.Finalizer), "resourceVersion": b.ResourceVersion},
	})
	if err != nil {
		return err
	}
	return r.Patch(ctx, b, client.RawPatch(types.MergePatchType, data))
}

func (r *reconciler) constantWithVersion(ctx context.Context, b *v1.Backup) error {
	data := []byte(`{"metadata":{"resourceVersion":"1","finalizers":["example.opvet.dev/cleanup"]}}`)
	return r.Patch(ctx, b, client.RawPatch(types.MergePatchType, data))
}

// emptied is another analyzer's business.
func (r *reconciler) emptied(ctx context.Context, b *v1.Backup) error {
	return r.Patch(ctx, b, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":[]}}`)))
}

func (r *reconciler) jsonPatch(ctx context.Context, b *v1.Backup) error {
	data := []byte(`[{"op":"add","path":"/metadata/finalizers/-","value":"example.opvet.dev/cleanup"}]`)
	return r.Patch(ctx, b, client.RawPatch(types.JSONPatchType, data))
}

func (r *reconciler) labels(ctx context.Context, b *v1.Backup) error {
	return r.Patch(ctx, b, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`)))
}
