package field

import (
	"context"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
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

// changed makes a copy, lets the callback change it, and sends the difference.
func (c *controller) changed(ctx context.Context, b *v1.Backup, change func(b *v1.Backup)) (*v1.Backup, error) {
	before, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	updated := b.DeepCopy()
	change(updated)
	after, err := json.Marshal(updated)
	if err != nil {
		return nil, err
	}
	patch, err := strategicpatch.CreateTwoWayMergePatch(before, after, v1.Backup{})
	if err != nil {
		return nil, err
	}
	if err := c.client.Status().Patch(ctx, b, client.RawPatch(types.MergePatchType, patch)); err != nil {
		return nil, err
	}
	return b, nil
}

func (c *controller) deleting(ctx context.Context, b *v1.Backup) error {
	_, err := c.changed(ctx, b, func(b *v1.Backup) {
		b.Status.Phase = v1.BackupFailed
	})
	return err
}

// plan is what one reconcile does with its object; its caller writes the status
// at the end, and most steps change nothing else.
type plan struct {
	client client.Client
	backup *v1.Backup
}

func (p *plan) run(ctx context.Context) error {
	if err := p.fail(ctx); err != nil {
		return err
	}
	return p.client.Status().Update(ctx, p.backup)
}

func (p *plan) fail(ctx context.Context) error {
	p.backup.Status.Phase = v1.BackupFailed
	return p.note(ctx)
}

func (p *plan) note(ctx context.Context) error {
	if p.backup.Spec.Paused || p.backup.Annotations["failed"] != "" {
		return nil
	}
	metav1.SetMetaDataAnnotation(&p.backup.ObjectMeta, "failed", "true")
	return p.client.Update(ctx, p.backup)
}
