// Package field has shapes in which real operators are right and opvet was
// once wrong; each became a rule.
package field

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	exampleclient "github.com/opvet/opvet/testdata/api/client"
	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type controller struct {
	client  client.Client
	example exampleclient.Interface
}

// A helper that says whether it changed anything, and one write for each.
func (c *controller) oneWriteForEach(ctx context.Context, b *v1.Backup) error {
	if setMessage(b, "waiting") {
		return c.client.Status().Update(ctx, b)
	}
	if setRevision(b, "2") {
		return c.client.Update(ctx, b)
	}
	return nil
}

func setMessage(b *v1.Backup, message string) bool {
	if b.Status.Message == message {
		return false
	}
	b.Status.Message = message
	return true
}

func setRevision(b *v1.Backup, revision string) bool {
	if b.Annotations["revision"] == revision {
		return false
	}
	metav1.SetMetaDataAnnotation(&b.ObjectMeta, "revision", revision)
	return true
}

// scope keeps the object of one reconcile.
type scope struct {
	controller *controller
	backup     *v1.Backup
}

// storeRevision stores the annotation itself; what it sets afterwards is for
// this reconcile only.
func (s *scope) storeRevision(ctx context.Context) error {
	if !setRevision(s.backup, "3") {
		return nil
	}
	updated, err := s.controller.example.ExampleV1().Backups(s.backup.Namespace).Update(ctx, s.backup, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	s.backup = updated
	metav1.SetMetaDataAnnotation(&s.backup.ObjectMeta, "resolved", "true")
	return nil
}

func (s *scope) statusAfterTheRevision(ctx context.Context) error {
	if err := s.storeRevision(ctx); err != nil {
		return err
	}
	s.backup.Status.Phase = v1.BackupRunning
	_, err := s.controller.example.ExampleV1().Backups(s.backup.Namespace).UpdateStatus(ctx, s.backup, metav1.UpdateOptions{})
	return err
}

// The caller compares the status with what it was and stores it at the end.
func (c *controller) statusStoredAtTheEnd(ctx context.Context, b *v1.Backup) (err error) {
	existing := b.DeepCopy()
	s := &scope{controller: c, backup: b}
	defer func() {
		if err == nil && existing.Status.Phase != b.Status.Phase {
			_, err = c.example.ExampleV1().Backups(b.Namespace).UpdateStatus(ctx, b, metav1.UpdateOptions{})
		}
	}()
	if !b.DeletionTimestamp.IsZero() {
		return s.tearDown(ctx)
	}
	return nil
}

func (s *scope) tearDown(ctx context.Context) error {
	s.backup.Status.Phase = v1.BackupFailed
	return s.removeFinalizer(ctx, s.backup)
}

func (s *scope) removeFinalizer(ctx context.Context, b *v1.Backup) error {
	b.Finalizers = nil
	_, err := s.controller.example.ExampleV1().Backups(b.Namespace).Update(ctx, b, metav1.UpdateOptions{})
	return err
}

const failedPatch = `{"status":{"phase":"Failed"}}`

// The main endpoint is tried where there is no status endpoint.
func (c *controller) literalPatchWithFallback(ctx context.Context, namespace, name string) error {
	backups := c.example.ExampleV1().Backups(namespace)
	_, err := backups.Patch(ctx, name, types.MergePatchType, []byte(failedPatch), metav1.PatchOptions{}, "status")
	if apierrors.IsNotFound(err) {
		_, err = backups.Patch(ctx, name, types.MergePatchType, []byte(failedPatch), metav1.PatchOptions{})
	}
	return err
}

// A helper puts the copy back into the object.
func (c *controller) copyPutBackByAHelper(ctx context.Context, b *v1.Backup) error {
	status := b.Status.DeepCopy()
	status.Phase = v1.BackupRunning
	return c.storeStatus(ctx, b, status)
}

func (c *controller) storeStatus(ctx context.Context, b *v1.Backup, status *v1.BackupStatus) error {
	b.Status = *status
	return c.client.Status().Update(ctx, b)
}

// The status is sent as bytes, for the object of that name.
func (c *controller) statusSentAsBytes(ctx context.Context, name string) error {
	cached, err := c.example.ExampleV1().Backups("").Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	b := cached.DeepCopy()
	b.Status.Conditions = nil
	b.Status.Phase = v1.BackupRunning
	return c.patchStatus(ctx, b)
}

func (c *controller) patchStatus(ctx context.Context, b *v1.Backup) error {
	data, err := statusBytes(&b.Status)
	if err != nil {
		return err
	}
	_, err = c.example.ExampleV1().Backups(b.Namespace).Patch(ctx, b.Name, types.MergePatchType, data, metav1.PatchOptions{}, "status")
	return err
}

func statusBytes(status *v1.BackupStatus) ([]byte, error) {
	data, err := json.Marshal(status)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"status":%s}`, data), nil
}

// Labels go out in a patch of their own, the status in another.
func (c *controller) labelsSentAsBytes(ctx context.Context, b *v1.Backup) error {
	if b.Labels == nil {
		b.Labels = make(map[string]string)
	}
	b.Labels["ready"] = "true"
	data, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": b.Labels}})
	if err != nil {
		return err
	}
	if _, err := c.example.ExampleV1().Backups(b.Namespace).Patch(ctx, b.Name, types.MergePatchType, data, metav1.PatchOptions{}); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupCompleted
	_, err = c.example.ExampleV1().Backups(b.Namespace).UpdateStatus(ctx, b, metav1.UpdateOptions{})
	return err
}

// A label for this reconcile only: the status goes out from a copy that was
// taken with it, as a patch against an object that has it, too.
func (c *controller) labelInMemoryOnly(ctx context.Context, b *v1.Backup) error {
	if b.Labels["hash"] == "" {
		b.Labels = map[string]string{"hash": b.Spec.Source}
	}
	updated := b.DeepCopy()
	updated.Status.Targets = b.Labels
	return c.client.Status().Patch(ctx, updated, client.MergeFrom(b))
}
