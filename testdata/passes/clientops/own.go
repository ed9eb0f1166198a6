package clientops

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// updater is a user's interface with a method of client.Client.
type updater interface {
	Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error
}

// want Update main of b on u, in memory
func ownInterface(ctx context.Context, u updater, b *v1.Backup) error {
	return u.Update(ctx, b)
}

// wrapper is a thin wrapper around a client.
type wrapper struct{ inner client.Client }

// want Update main of obj on w.inner, in memory
func (w wrapper) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	return w.inner.Update(ctx, obj, opts...)
}

// want Update main of b on w, in memory
func callsWrapper(ctx context.Context, w wrapper, b *v1.Backup) error {
	return w.Update(ctx, b)
}

// backupWriter takes one kind, without options.
type backupWriter interface {
	Create(ctx context.Context, b *v1.Backup) error
	Update(ctx context.Context, b *v1.Backup) error
}

// want Create main of b on w, in memory
// want Update main of b on w, in memory
func oneKind(ctx context.Context, w backupWriter, b *v1.Backup) error {
	if err := w.Create(ctx, b); err != nil {
		return err
	}
	return w.Update(ctx, b)
}

// access has a status writer of its own making.
type access interface{ Status() backupWriter }

// want Update status of b on a.Status(), in memory
func ownStatus(ctx context.Context, a access, b *v1.Backup) error {
	return a.Status().Update(ctx, b)
}

// helper is a patch helper in cluster-api's style: it remembers the original
// and sends what has changed to either endpoint.
type helper struct{}

type option interface{ ApplyToHelper() }

func (*helper) Patch(ctx context.Context, obj client.Object, opts ...option) error { return nil }

// want Patch main|status of b on h, in memory
func patchHelper(ctx context.Context, h *helper, b *v1.Backup) error {
	return h.Patch(ctx, b)
}

// want Patch main|status of b on h, in memory
func deferredPatchHelper(ctx context.Context, h *helper, b *v1.Backup) (reterr error) {
	defer func() {
		if err := h.Patch(ctx, b); err != nil && reterr == nil {
			reterr = err
		}
	}()
	return nil
}

// business has methods named like a client's. None of them is one.
type business struct{}

func (*business) Update(ctx context.Context, name string) error                      { return nil }
func (*business) Create(ctx context.Context, b *v1.Backup) (string, error)           { return "", nil }
func (*business) Patch(ctx context.Context, b *v1.Backup, by int) error              { return nil }
func (*business) Get(ctx context.Context, name string) (*v1.Backup, error)           { return nil, nil }
func (*business) Delete(ctx context.Context, b *v1.Backup) error                     { return nil }
func (*business) UpdateStatus(b *v1.Backup, phase string)                            {}
func (*business) UpdateBackup(ctx context.Context, b *v1.Backup) error               { return nil }
func (*business) Apply(ctx context.Context, b *v1.Backup) error                      { return nil }
func (*business) List(ctx context.Context, list *v1.BackupList, prefix string) error { return nil }
func (*business) PatchStatus(ctx context.Context, b *v1.Backup, phase v1.BackupPhase) bool {
	return false
}

func businessUpdate(ctx context.Context, s *business) error { return s.Update(ctx, "name") }

func businessCreate(ctx context.Context, s *business, b *v1.Backup) (string, error) {
	return s.Create(ctx, b)
}

func businessPatch(ctx context.Context, s *business, b *v1.Backup) error {
	return s.Patch(ctx, b, 1)
}

func businessGet(ctx context.Context, s *business) (*v1.Backup, error) { return s.Get(ctx, "name") }

func businessDelete(ctx context.Context, s *business, b *v1.Backup) error { return s.Delete(ctx, b) }

func businessStatus(ctx context.Context, s *business, b *v1.Backup) bool {
	s.UpdateStatus(b, "Ready")
	return s.PatchStatus(ctx, b, v1.BackupFailed)
}

func businessNames(ctx context.Context, s *business, b *v1.Backup, list *v1.BackupList) error {
	if err := s.UpdateBackup(ctx, b); err != nil {
		return err
	}
	if err := s.List(ctx, list, "prefix"); err != nil {
		return err
	}
	return s.Apply(ctx, b)
}

// queue updates objects of its own sort.
type queue struct{}

type item struct{ name string }

func (queue) Update(ctx context.Context, i *item) error                      { return nil }
func (queue) Create(ctx context.Context, i *item) (*item, error)             { return i, nil }
func (queue) Get(ctx context.Context, key types.NamespacedName) (item, bool) { return item{}, false }

func ownSort(ctx context.Context, q queue, i *item) error {
	if _, err := q.Create(ctx, i); err != nil {
		return err
	}
	if _, ok := q.Get(ctx, types.NamespacedName{}); ok {
		return nil
	}
	return q.Update(ctx, i)
}

// withoutContext has the names, and objects, but no API server behind it.
type withoutContext interface {
	Update(obj client.Object) error
	Create(pod *corev1.Pod) error
}

func noContext(w withoutContext, pod *corev1.Pod) error {
	if err := w.Create(pod); err != nil {
		return err
	}
	return w.Update(pod)
}

// ternary takes a strategy where a client takes options.
type ternary interface {
	Update(ctx context.Context, b *v1.Backup, strategy string) error
}

func strategies(ctx context.Context, t ternary, b *v1.Backup) error {
	return t.Update(ctx, b, "eager")
}

func Update(ctx context.Context, b *v1.Backup) error { return nil }

// Functions without a receiver are told by their summaries.
func plainFunction(ctx context.Context, b *v1.Backup) error { return Update(ctx, b) }

// A function value of which nothing is known is no client.
func functionValue(ctx context.Context, update func(context.Context, client.Object) error, b *v1.Backup) error {
	return update(ctx, b)
}

func CreateOrUpdate(ctx context.Context, c client.Client, b *v1.Backup, mutate func() error) error {
	return mutate()
}

// A namesake of controllerutil's function is told by its summary.
func namesake(ctx context.Context, c client.Client, b *v1.Backup) error {
	return CreateOrUpdate(ctx, c, b, func() error { return nil })
}
