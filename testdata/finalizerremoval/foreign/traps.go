package foreign

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizerremoval/foreign/steps"
)

func (r *reconciler) ownOnly(ctx context.Context, b *v1.Backup) error {
	controllerutil.RemoveFinalizer(b, dataFinalizer)
	return r.Update(ctx, b)
}

// The copy's list is emptied and filled again with all but the controller's own.
func (r *reconciler) refilledInPlace(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp == nil {
		return nil
	}
	c := b.DeepCopy()
	c.Finalizers = []string{}
	for _, f := range b.Finalizers {
		if f != dataFinalizer {
			c.Finalizers = append(c.Finalizers, f)
		}
	}
	if len(c.Finalizers) == len(b.Finalizers) {
		return nil
	}
	return r.Update(ctx, c)
}

func (r *reconciler) refilledFromNil(ctx context.Context, b *v1.Backup) error {
	kept := b.DeepCopy().Finalizers
	b.Finalizers = nil
	for _, f := range kept {
		if f == dataFinalizer {
			continue
		}
		b.Finalizers = append(b.Finalizers, f)
	}
	return r.Update(ctx, b)
}

func (r *reconciler) onlyOneLeft(ctx context.Context, b *v1.Backup) error {
	if len(b.Finalizers) == 1 && b.Finalizers[0] == dataFinalizer {
		b.Finalizers = nil
		return r.Update(ctx, b)
	}
	return nil
}

func (r *reconciler) aCopyForAnotherNamespace(ctx context.Context, b *v1.Backup) error {
	c := b.DeepCopy()
	c.SetFinalizers(nil)
	c.SetResourceVersion("")
	c.Namespace = "other"
	return r.Create(ctx, c)
}

func (r *reconciler) aNewObject(ctx context.Context) error {
	return r.Create(ctx, &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: "first", Finalizers: []string{dataFinalizer}}})
}

// By force, on a kind that this controller has no finalizers on.
func (r *reconciler) byForce(ctx context.Context, pod *corev1.Pod) error {
	pod.Finalizers = nil
	return r.Update(ctx, pod)
}

func (r *reconciler) byForceWithAHelper(ctx context.Context, pod *corev1.Pod) error {
	clear(pod)
	return r.Update(ctx, pod)
}

func (r *reconciler) byForceByName(ctx context.Context, name string) error {
	data := []byte(`{"metadata":{"finalizers":null}}`)
	_, err := r.kube.CoreV1().Pods("default").Patch(ctx, name, types.MergePatchType, data, metav1.PatchOptions{})
	return err
}

func (r *reconciler) oneByItsIndex(ctx context.Context, b *v1.Backup) error {
	patch := client.RawPatch(types.JSONPatchType, []byte(`[{"op":"remove","path":"/metadata/finalizers/0"}]`))
	return r.Patch(ctx, b, patch)
}

func (r *reconciler) keepsUnknown(ctx context.Context, b *v1.Backup) error {
	var kept []string
	for _, f := range b.GetFinalizers() {
		switch f {
		case dataFinalizer:
			if err := r.deleteData(ctx, b); err != nil {
				kept = append(kept, f)
			}
		default:
			kept = append(kept, f)
		}
	}
	b.SetFinalizers(kept)
	return r.Update(ctx, b)
}

func (r *reconciler) leavesOutAllOfItsOwn(ctx context.Context, b *v1.Backup, own []string) error {
	var kept []string
	for _, f := range b.GetFinalizers() {
		if f == dataFinalizer {
			continue
		}
		if slices.Contains(own, f) {
			continue
		}
		kept = append(kept, f)
	}
	b.SetFinalizers(kept)
	return r.Update(ctx, b)
}

func (r *reconciler) firstOnTheList(ctx context.Context, b *v1.Backup) error {
	if len(b.GetFinalizers()) == 0 {
		b.Finalizers = []string{dataFinalizer}
		return r.Update(ctx, b)
	}
	return nil
}

func (r *reconciler) carriedOver(ctx context.Context, stored, built *corev1.Service) error {
	built.ResourceVersion = stored.ResourceVersion
	built.Finalizers = stored.Finalizers
	return r.send(ctx, built)
}

func (r *reconciler) metadataCarriedOver(ctx context.Context, stored *corev1.Service) error {
	built := &corev1.Service{ObjectMeta: *stored.ObjectMeta.DeepCopy()}
	built.ResourceVersion = stored.ResourceVersion
	return r.send(ctx, built)
}

func (r *reconciler) rebuiltKindWithoutOthers(ctx context.Context, stored, built *corev1.ConfigMap) error {
	built.ResourceVersion = stored.ResourceVersion
	return r.Update(ctx, built)
}

func (r *reconciler) storedIsChanged(ctx context.Context, key client.ObjectKey, version string) error {
	stored := &corev1.Service{}
	if err := r.Get(ctx, key, stored); err != nil {
		return err
	}
	stored.ResourceVersion = version
	return r.Update(ctx, stored)
}

// The length is asked for before the literal runs.
func (r *reconciler) onlyOneLeftInLiteral(ctx context.Context, b *v1.Backup) error {
	clear := func() { b.Finalizers = nil }
	if len(b.Finalizers) == 1 && b.Finalizers[0] == dataFinalizer {
		clear()
		return r.Update(ctx, b)
	}
	return nil
}

// Another package runs the literal.
func (r *reconciler) onlyOneLeftElsewhere(ctx context.Context, b *v1.Backup) error {
	clear := func() { b.Finalizers = nil }
	if len(b.Finalizers) == 1 && b.Finalizers[0] == dataFinalizer {
		steps.Run(clear)
		return r.Update(ctx, b)
	}
	return nil
}

// Who gets rid of an object chooses what may still hold it back.
func (r *reconciler) forced(ctx context.Context, b *v1.Backup) error {
	if err := r.Delete(ctx, b); err != nil {
		return err
	}
	var kept []string
	for _, name := range b.Finalizers {
		if name == indexFinalizer {
			kept = append(kept, name)
		}
	}
	b.Finalizers = kept
	return r.Update(ctx, b)
}
