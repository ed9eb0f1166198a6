// Package events has functions in which something happens to API objects.
// Each says what, in the order of its instructions.
package events

import (
	"context"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	ctrlclient "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opvet/opvet/testdata/api/client"
	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/passes/summary/lib"
)

type reconciler struct {
	ctrlclient.Client
	backups client.BackupInterface
}

// want mutated b.Status.Phase
// want written b by Update main in memory
func (r *reconciler) plain(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b)
}

// want mutated b.Status.Phase via mark
// want written b by Update status in memory via save
func (r *reconciler) helpers(ctx context.Context, b *v1.Backup) error {
	mark(b)
	return r.save(ctx, b)
}

// want mutated b.Status.Phase
func mark(b *v1.Backup) { b.Status.Phase = v1.BackupFailed }

// want written b by Update status in memory
func (r *reconciler) save(ctx context.Context, b *v1.Backup) error { return r.Status().Update(ctx, b) }

// want copied b
// want mutated b.Spec.Paused
// want written b by Patch main in memory
func (r *reconciler) patch(ctx context.Context, b *v1.Backup) error {
	base := b.DeepCopy()
	b.Spec.Paused = true
	return r.Patch(ctx, b, ctrlclient.MergeFrom(base))
}

// want copied b
// want mutated copy.Status.Phase
// want written copy by Update main in memory
// want written b by Update main through a copy
func (r *reconciler) copyWritten(ctx context.Context, b *v1.Backup) error {
	sent := b.DeepCopy()
	sent.Status.Phase = v1.BackupRunning
	return r.Update(ctx, sent)
}

// want written b by Update status through a copy via saveValue
func (r *reconciler) valueWritten(ctx context.Context, b *v1.Backup) error {
	return r.saveValue(ctx, *b)
}

// want refreshed b
// want copied b
// want written b by Update status in memory
// want written b by Update status through a copy
func (r *reconciler) saveValue(ctx context.Context, b v1.Backup) error {
	return r.Status().Update(ctx, &b)
}

// want mutated b.Status empty
// want mutated b.Status.Targets empty
func blank(b *v1.Backup) {
	b.Status = v1.BackupStatus{}
	b.Status.Targets = map[string]string{}
}

// want refreshed b
// want mutated b.Status.Phase
// want written b by Update status in memory
func (r *reconciler) retried(ctx context.Context, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := r.Get(ctx, ctrlclient.ObjectKeyFromObject(b), b); err != nil {
			return err
		}
		b.Status.Phase = v1.BackupRunning
		return r.Status().Update(ctx, b)
	})
}

// What CreateOrUpdate writes, it writes after the literal.
//
// want refreshed b
// want mutated b.Spec.Paused
// want written b by Update main in memory
func (r *reconciler) createOrUpdate(ctx context.Context, b *v1.Backup) error {
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, b, func() error {
		b.Spec.Paused = true
		return nil
	})
	return err
}

// The deferred call happens at the end.
//
// want mutated b.Status.Phase
// want written b by Update status in memory via save
func (r *reconciler) deferred(ctx context.Context, b *v1.Backup) {
	defer r.save(ctx, b)
	b.Status.Phase = v1.BackupRunning
}

// want written b by Update status
func (r *reconciler) typed(ctx context.Context, b *v1.Backup) error {
	_, err := r.backups.UpdateStatus(ctx, b, metav1.UpdateOptions{})
	return err
}

// want written b by Patch main partly
func (r *reconciler) byName(ctx context.Context, b *v1.Backup, data []byte) error {
	_, err := r.backups.Patch(ctx, b.Name, types.MergePatchType, data, metav1.PatchOptions{})
	return err
}

// want written b by Patch main partly
// want written b by Patch main
func (r *reconciler) byNameMarshalled(ctx context.Context, b *v1.Backup) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	_, err = r.backups.Patch(ctx, b.Name, types.MergePatchType, data, metav1.PatchOptions{})
	return err
}

// want mutated s.backup.Status.Phase
// want written s.cluster by Update main in memory
func (s *scope) twoObjects(ctx context.Context) error {
	s.backup.Status.Phase = v1.BackupRunning
	return s.c.Update(ctx, s.cluster)
}

type scope struct {
	c       ctrlclient.Client
	backup  *v1.Backup
	cluster *v1.Cluster
}

// want mutated b.Status.Phase
// want copied b
// want copied copy
// want written copy by Update main in memory
// want written copy by Update main through a copy
// want written b by Update main through a copy
func (r *reconciler) copyOfCopy(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b.DeepCopy().DeepCopy())
}

// want handed off b
func inGoroutine(b *v1.Backup) { go mark(b) }

// Nothing happens to what is only read.
func reads(b *v1.Backup) string { return b.Name + string(b.Status.Phase) }

// locker runs functions under a lock.
type locker struct{ reconciler }

func (l *locker) locked(f func()) { f() }

// What a helper runs, happens where the helper is called.
//
// want mutated b.Status.Phase
// want written b by Update status in memory
func (l *locker) underLock(ctx context.Context, b *v1.Backup) (err error) {
	b.Status.Phase = v1.BackupRunning
	l.locked(func() { err = l.Status().Update(ctx, b) })
	return err
}

// want written b by Update main in memory
// want mutated b.Status.Phase
func (l *locker) underLockDeferred(ctx context.Context, b *v1.Backup) error {
	defer l.locked(func() { b.Status.Phase = v1.BackupRunning })
	return l.Update(ctx, b)
}

// want mutated b.Status.Phase
// want written b by Update main in memory
func (l *locker) helperElsewhere(ctx context.Context, b *v1.Backup) error {
	return lib.Run(func() error {
		b.Status.Phase = v1.BackupRunning
		return l.Update(ctx, b)
	})
}

func (l *locker) twice(f func()) { l.locked(f) }

// Two helpers deep.
//
// want written b by Update main in memory
func (l *locker) deep(ctx context.Context, b *v1.Backup) {
	l.twice(func() { _ = l.Update(ctx, b) })
}

// A helper around one of the ecosystem.
func onConflict(f func() error) error { return retry.RetryOnConflict(retry.DefaultRetry, f) }

// want refreshed b
// want mutated b.Status.Phase
// want written b by Update status in memory
func (l *locker) ownRetry(ctx context.Context, b *v1.Backup) error {
	return onConflict(func() error {
		if err := l.Get(ctx, ctrlclient.ObjectKeyFromObject(b), b); err != nil {
			return err
		}
		b.Status.Phase = v1.BackupRunning
		return l.Status().Update(ctx, b)
	})
}

// What a helper keeps is out of sight.
//
// want handed off b
// want in a literal: mutated b.Status.Phase
func (l *locker) later(b *v1.Backup) {
	lib.Later(func() { b.Status.Phase = v1.BackupRunning })
}

// What one of two literals does is out of sight.
//
// want handed off b
// want handed off b
// want in a literal: mutated b.Status.Phase
// want in a literal: mutated b.Status.Message
func oneOfTwo(b *v1.Backup, failed bool) {
	mark := func() { b.Status.Phase = v1.BackupRunning }
	if failed {
		mark = func() { b.Status.Message = "failed" }
	}
	mark()
}

// A helper's own callback is its caller's.
//
// want written b by Update main in memory
// want handed off b
func createOr(ctx context.Context, c ctrlclient.Client, b *v1.Backup, mutate controllerutil.MutateFn) error {
	_, err := controllerutil.CreateOrUpdate(ctx, c, b, mutate)
	return err
}

// want mutated b.Spec.Paused
// want written b by Update main in memory via createOr
// want handed off b via createOr
func callsCreateOr(ctx context.Context, c ctrlclient.Client, b *v1.Backup) error {
	return createOr(ctx, c, b, func() error {
		b.Spec.Paused = true
		return nil
	})
}

// want refreshed b
// want written b by Update status in memory
func (r *reconciler) change(ctx context.Context, b *v1.Backup, mutate func()) error {
	if err := r.Get(ctx, ctrlclient.ObjectKeyFromObject(b), b); err != nil {
		return err
	}
	mutate()
	return r.Status().Update(ctx, b)
}

// What a helper writes, it writes after the literal.
//
// want refreshed b via change
// want mutated b.Status.Phase
// want written b by Update status in memory via change
func (r *reconciler) changed(ctx context.Context, b *v1.Backup) error {
	return r.change(ctx, b, func() { b.Status.Phase = v1.BackupRunning })
}
