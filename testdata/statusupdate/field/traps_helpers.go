package field

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// A helper stores what a callback makes of the status, from an object that it
// builds, and keeps the caller's in step.
func patchStatusWith(ctx context.Context, c client.Client, b *v1.Backup, change func(b *v1.Backup) bool) error {
	sent := &v1.Backup{TypeMeta: b.TypeMeta}
	sent.Name, sent.Namespace = b.Name, b.Namespace
	sent.Status = *b.Status.DeepCopy()
	if !change(sent) {
		return nil
	}
	if err := c.Status().Patch(ctx, sent, client.Apply, client.FieldOwner("backup")); err != nil {
		return err
	}
	sent.Status.DeepCopyInto(&b.Status)
	return nil
}

func (c *controller) rejected(ctx context.Context, b *v1.Backup) (bool, error) {
	if b.Spec.Source != "" {
		return false, nil
	}
	err := patchStatusWith(ctx, c.client, b, func(b *v1.Backup) bool {
		b.Status.Phase = v1.BackupFailed
		return true
	})
	return true, err
}

func (c *controller) specStoredAfterTheStatus(ctx context.Context, b *v1.Backup) error {
	if done, err := c.rejected(ctx, b); err != nil || done {
		b.Spec.Paused = true
		return c.client.Update(ctx, b)
	}
	return nil
}
