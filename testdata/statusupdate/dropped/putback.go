package dropped

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type putter struct{ client.Client }

// Right: the answer has taken the place of the status that was stored, which is put back.
func (r *putter) both(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	b.Status.Phase = v1.BackupCompleted
	status := b.Status.DeepCopy()
	if !equality.Semantic.DeepEqual(before.Status, b.Status) {
		if err := r.Status().Update(ctx, b); err != nil {
			return err
		}
	}
	b.Status = *status
	if !equality.Semantic.DeepEqual(before, b) {
		return r.Update(ctx, b)
	}
	return nil
}

// Nothing has stored this one.
func (r *putter) one(ctx context.Context, b *v1.Backup, status *v1.BackupStatus) error {
	b.Status = *status
	return r.Update(ctx, b) // want `^loss: status set on line 33 is dropped`
}

var _, _ = (*putter).both, (*putter).one
