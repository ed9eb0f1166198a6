// Package clientops has calls of Kubernetes clients in all their shapes, and
// calls that only look like them. Each function says what its calls ask of the
// API server, in the order of the source; one that says nothing asks nothing.
package clientops

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct {
	client.Client
	writer client.Writer
	api    struct{ status client.StatusWriter }
}

// want Update main of b on r.Client, in memory
func (r *reconciler) embedded(ctx context.Context, b *v1.Backup) error {
	return r.Update(ctx, b)
}

// want Update main of b on r.Client, in memory
func (r *reconciler) named(ctx context.Context, b *v1.Backup) error {
	return r.Client.Update(ctx, b)
}

// want Create main of pod on r.writer, in memory
func (r *reconciler) field(ctx context.Context, pod *corev1.Pod) error {
	return r.writer.Create(ctx, pod)
}

// want Get main of b on r.Client, in memory
// want List main of list on r.Client, in memory
func (r *reconciler) reads(ctx context.Context, key client.ObjectKey, b *v1.Backup, list *v1.BackupList) error {
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	return r.List(ctx, list)
}

// want Update status of b on r.Client.Status(), in memory
// want Patch status of b on r.Client.Status(), in memory
func (r *reconciler) status(ctx context.Context, b *v1.Backup, base client.Patch) error {
	if err := r.Status().Update(ctx, b); err != nil {
		return err
	}
	return r.Client.Status().Patch(ctx, b, base)
}

// want Update status of b on r.api.status, in memory
func (r *reconciler) statusInField(ctx context.Context, b *v1.Backup) error {
	return r.api.status.Update(ctx, b)
}

// want Update status of b on r.Client.Status(), in memory
func (r *reconciler) statusInVariable(ctx context.Context, b *v1.Backup) error {
	w := r.Status()
	return w.Update(ctx, b)
}

// want Update status of b on r.Client.SubResource(), in memory
// want Update other of b on r.Client.SubResource(), in memory
// want Update other of b on r.Client.SubResource(), in memory
func (r *reconciler) subresources(ctx context.Context, b *v1.Backup, name string) error {
	if err := r.SubResource("status").Update(ctx, b); err != nil {
		return err
	}
	if err := r.SubResource("scale").Update(ctx, b); err != nil {
		return err
	}
	return r.SubResource(name).Update(ctx, b)
}

// want Create other of pod on r.Client.SubResource(), in memory
func (r *reconciler) eviction(ctx context.Context, pod, eviction client.Object) error {
	return r.SubResource("eviction").Create(ctx, pod, eviction)
}

// want Patch main of b on r.Client, in memory
// want Patch main of b on r.Client, in memory, bytes raw
func (r *reconciler) patches(ctx context.Context, b, base *v1.Backup, raw []byte) error {
	if err := r.Patch(ctx, b, client.MergeFrom(base)); err != nil {
		return err
	}
	return r.Patch(ctx, b, client.RawPatch(types.MergePatchType, raw))
}

// want Apply main of config on r.Client
// want Apply status of config on r.Client.Status()
func (r *reconciler) applies(ctx context.Context, config runtime.ApplyConfiguration) error {
	if err := r.Apply(ctx, config); err != nil {
		return err
	}
	return r.Status().Apply(ctx, config)
}

// want Update main of obj on r.Client, in memory
func (r *reconciler) untyped(ctx context.Context, obj client.Object) error {
	return r.Update(ctx, obj)
}

// want Update main of u on r.Client, in memory
func (r *reconciler) unstructured(ctx context.Context, u *unstructured.Unstructured) error {
	return r.Update(ctx, u)
}

// want Update main of obj on c, in memory
func save[T client.Object](ctx context.Context, c client.Client, obj T) error {
	return c.Update(ctx, obj)
}

// A call of the generic helper is no client call itself.
func (r *reconciler) callsSave(ctx context.Context, b *v1.Backup) error {
	return save(ctx, r.Client, b)
}

// want Update main of b on r.Client, in memory
func (r *reconciler) methodValue(ctx context.Context, b *v1.Backup) error {
	update := r.Update
	return update(ctx, b)
}

// want Update status of b on r.Client.Status(), in memory
func (r *reconciler) statusMethodValue(ctx context.Context, b *v1.Backup) error {
	update := r.Status().Update
	return update(ctx, b)
}

// want Update main of b on c, in memory
func methodExpression(ctx context.Context, c client.Client, b *v1.Backup) error {
	return client.Client.Update(c, ctx, b)
}

// want Update main of b on r.Client, in memory
// want Update status of b on r.Client.Status(), in memory
func (r *reconciler) closures(ctx context.Context, b *v1.Backup) {
	func() { _ = r.Update(ctx, b) }()
	defer func() { _ = r.Status().Update(ctx, b) }()
}

// want Update status of b on r.Client.Status(), in memory
func (r *reconciler) deferred(ctx context.Context, b *v1.Backup) {
	defer r.Status().Update(ctx, b)
}

// want Update main of b on mgr.GetClient(), in memory
func fromManager(ctx context.Context, mgr ctrl.Manager, b *v1.Backup) error {
	return mgr.GetClient().Update(ctx, b)
}

// want Update main of b on r.Client, in memory, mutate
// want Patch main|status of b on r.Client, in memory, mutate
func (r *reconciler) createOr(ctx context.Context, b *v1.Backup, mutate controllerutil.MutateFn) error {
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, b, mutate); err != nil {
		return err
	}
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, b, mutate)
	return err
}

// want Update main of b on client.WithFieldOwner(), in memory
// want Update status of b on client.NewNamespacedClient().Status(), in memory
func (r *reconciler) decorated(ctx context.Context, b *v1.Backup) error {
	if err := client.WithFieldOwner(r.Client, "me").Update(ctx, b); err != nil {
		return err
	}
	return client.NewNamespacedClient(r.Client, "ns").Status().Update(ctx, b)
}
