package never

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

func (r *reconciler) returned(ctx context.Context, key client.ObjectKey) (*v1.Backup, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return nil, err
	}
	b.Status.Phase = v1.BackupRunning
	return b, nil
}

func (r *reconciler) statusReturned(ctx context.Context, key client.ObjectKey) (v1.BackupStatus, error) {
	var b v1.Backup
	if err := r.Get(ctx, key, &b); err != nil {
		return v1.BackupStatus{}, err
	}
	b.Status.Phase = v1.BackupRunning
	return b.Status, nil
}

func (r *reconciler) handedOn(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupRunning
	return r.store(ctx, b)
}

func (r *reconciler) store(ctx context.Context, b *v1.Backup) error {
	return helpers.UpdateStatus(ctx, r.Client, b)
}

func (r *reconciler) writtenOnOnePath(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	old := b.Status.Phase
	b.Status.Phase = v1.BackupRunning
	if old == v1.BackupRunning {
		return nil
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) writtenDeferred(ctx context.Context, key client.ObjectKey) (err error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	defer func() { err = r.Status().Update(ctx, b) }()
	b.Status.Phase = v1.BackupRunning
	return nil
}

func (r *reconciler) keptInAField(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupRunning
	r.last = b
	return nil
}

func (r *reconciler) sent(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupRunning
	r.updates <- b
	return nil
}

// The caller stores what this function sets.
func mark(b *v1.Backup) {
	b.Status.Phase = v1.BackupRunning
	b.SetCondition(helpers.Ready("Started"))
}

// A map is made so that the code below need not ask.
func (r *reconciler) emptyMap(ctx context.Context, key client.ObjectKey) (int, error) {
	var b v1.Backup
	if err := r.Get(ctx, key, &b); err != nil {
		return 0, err
	}
	if b.Status.Targets == nil {
		b.Status.Targets = map[string]string{}
	}
	return len(b.Status.Targets), nil
}

func (r *reconciler) printed(ctx context.Context, key client.ObjectKey, w io.Writer) error {
	var b v1.Backup
	if err := r.Get(ctx, key, &b); err != nil {
		return err
	}
	b.Status.Conditions = nil
	return json.NewEncoder(w).Encode(b)
}

func (r *reconciler) rendered(ctx context.Context, key client.ObjectKey) (string, error) {
	var b v1.Backup
	if err := r.Get(ctx, key, &b); err != nil {
		return "", err
	}
	b.Status.StartTime = nil
	return fmt.Sprintf("%+v", b.Status), nil
}

func (r *reconciler) sortedAndRead(ctx context.Context, key client.ObjectKey) (string, error) {
	var b v1.Backup
	if err := r.Get(ctx, key, &b); err != nil {
		return "", err
	}
	slices.SortFunc(b.Status.Volumes, func(x, y v1.VolumeStatus) int { return len(x.Name) - len(y.Name) })
	if len(b.Status.Volumes) == 0 {
		return "", nil
	}
	return b.Status.Volumes[0].Name, nil
}

func (r *reconciler) listReturned(ctx context.Context) (*v1.BackupList, error) {
	var list v1.BackupList
	if err := r.List(ctx, &list); err != nil {
		return nil, err
	}
	for i := range list.Items {
		list.Items[i].Status.Conditions = nil
	}
	return &list, nil
}

// What the decision below sees is a status with a default.
func (r *reconciler) defaultForADecision(ctx context.Context, key client.ObjectKey) (bool, error) {
	var b v1.Backup
	if err := r.Get(ctx, key, &b); err != nil {
		return false, err
	}
	if b.Status.Phase == "" {
		b.Status.Phase = v1.BackupPending
	}
	return b.Status.Phase == v1.BackupPending, nil
}

func (r *reconciler) capturedByACallback(ctx context.Context, key client.ObjectKey) (func() error, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return nil, err
	}
	b.Status.Phase = v1.BackupRunning
	return func() error { return r.Status().Update(ctx, b) }, nil
}

func (r *reconciler) collected(ctx context.Context, keys []client.ObjectKey) ([]*v1.Backup, error) {
	var backups []*v1.Backup
	for _, key := range keys {
		b := &v1.Backup{}
		if err := r.Get(ctx, key, b); err != nil {
			return nil, err
		}
		b.Status.Phase = v1.BackupRunning
		backups = append(backups, b)
	}
	return backups, nil
}

// The helper returns what it was given, or nothing.
func (r *reconciler) changedByAHelper(ctx context.Context, key client.ObjectKey) error {
	stored := &v1.Backup{}
	if err := r.Get(ctx, key, stored); err != nil {
		return err
	}
	b := stored.DeepCopy()
	b, err := r.running(ctx, b)
	if err != nil {
		return err
	}
	return r.Status().Patch(ctx, b, client.MergeFrom(stored))
}

func (r *reconciler) running(ctx context.Context, b *v1.Backup) (*v1.Backup, error) {
	var all v1.BackupList
	if err := r.List(ctx, &all); err != nil {
		return nil, err
	}
	b.Status.Message = fmt.Sprintf("one of %d", len(all.Items))
	return b, nil
}

// The copy is there for the helper to work with, which sends its status
// elsewhere.
func (r *reconciler) copyForAHelper(ctx context.Context, key client.ObjectKey, out io.Writer) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	return announce(out, b.DeepCopy())
}

func announce(out io.Writer, b *v1.Backup) error {
	if b.Status.Message == "" {
		b.Status.Message = "none"
	}
	text, err := json.Marshal(b.Status)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}

// differ compares two copies without what changes each time.
func differ(before, after *v1.Backup) bool {
	a, b := before.DeepCopy(), after.DeepCopy()
	a.Status.Phase = ""
	b.Status.Phase = ""
	return !reflect.DeepEqual(&a, &b)
}
