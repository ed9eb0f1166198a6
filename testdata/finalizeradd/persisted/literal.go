package persisted

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// onCopyInLiteral has the variable changed by a literal.
func (r *reconciler) onCopyInLiteral(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	var marked *v1.Backup
	if !controllerutil.ContainsFinalizer(b, v1.Finalizer) {
		marked = b.DeepCopy()
		mark := func() { controllerutil.AddFinalizer(marked, v1.Finalizer) } // want `while-deleting`
		mark()
	}
	if marked != nil {
		return r.Update(ctx, marked)
	}
	return nil
}

// otherWayRound stores it if there is nothing to store.
func (r *reconciler) otherWayRound(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	var marked *v1.Backup
	if !controllerutil.ContainsFinalizer(b, v1.Finalizer) {
		marked = b.DeepCopy()
		mark := func() { controllerutil.AddFinalizer(marked, v1.Finalizer) } // want `\(finalizeradd/not-persisted\)`
		mark()
	}
	if marked == nil {
		return r.Update(ctx, b)
	}
	return nil
}
