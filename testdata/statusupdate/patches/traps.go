package patches

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

func (r *reconciler) copiedBefore(ctx context.Context, b *v1.Backup) error {
	base := b.DeepCopy()
	b.Status.Phase = v1.BackupRunning
	return r.Status().Patch(ctx, b, client.MergeFrom(base))
}

// withBase is given the state from before.
func (r *reconciler) withBase(ctx context.Context, b, base *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Status().Patch(ctx, b, client.MergeFrom(base))
}

// changedByCallback changes in between what is not seen here.
func (r *reconciler) changedByCallback(ctx context.Context, b *v1.Backup, change func()) error {
	base := b.DeepCopy()
	change()
	return r.Status().Patch(ctx, b, client.MergeFrom(base))
}

func (r *reconciler) changedByHelper(ctx context.Context, b *v1.Backup) error {
	base := b.DeepCopy()
	running(b)
	return r.Status().Patch(ctx, b, client.MergeFrom(base))
}

func running(b *v1.Backup) { b.Status.Phase = v1.BackupRunning }

// throughPointer changes the status by an address that was taken before.
func (r *reconciler) throughPointer(ctx context.Context, b *v1.Backup) error {
	status := &b.Status
	base := b.DeepCopy()
	status.Phase = v1.BackupRunning
	return r.Status().Patch(ctx, b, client.MergeFrom(base))
}

// storedInBetween has stored the first change.
func (r *reconciler) storedInBetween(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	if err := r.Status().Update(ctx, b); err != nil {
		return err
	}
	return r.setReady(ctx, b)
}

// storedAfterwards stores the phase with the original base.
func (r *reconciler) storedAfterwards(ctx context.Context, b *v1.Backup) error {
	original := b.DeepCopy()
	b.Status.Phase = v1.BackupRunning
	if err := r.setReady(ctx, b); err != nil {
		return err
	}
	return r.Status().Patch(ctx, b, client.MergeFrom(original))
}

// sameField is in the patch with what the helper changes: lists are sent whole.
func (r *reconciler) sameField(ctx context.Context, b *v1.Backup) error {
	meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{Type: "Seen", Status: metav1.ConditionTrue})
	return r.setReady(ctx, b)
}

// storedByCaller leaves the rest to who called it.
func (r *reconciler) storedByCaller(ctx context.Context, key client.ObjectKey) error {
	var b v1.Backup
	if err := r.Get(ctx, key, &b); err != nil {
		return err
	}
	if err := r.step(ctx, &b); err != nil {
		return err
	}
	return r.Status().Update(ctx, &b)
}

func (r *reconciler) step(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.setReady(ctx, b)
}

// returned is stored by who gets it.
func (r *reconciler) returned(ctx context.Context, key client.ObjectKey) (*v1.Backup, error) {
	b := new(v1.Backup)
	if err := r.Get(ctx, key, b); err != nil {
		return nil, err
	}
	b.Status.Phase = v1.BackupRunning
	return b, r.setReady(ctx, b)
}

// keptMeanwhile saves the status over the read.
func (r *reconciler) keptMeanwhile(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	status := b.Status
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
		return err
	}
	b.Status = status
	return r.Status().Update(ctx, b)
}

// setAgain sets after the read what counts.
func (r *reconciler) setAgain(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupCompleted
	return r.Status().Update(ctx, b)
}

// onConflict reads again after the write has failed.
func (r *reconciler) onConflict(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	if err := r.Status().Update(ctx, b); err != nil {
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
			return err
		}
		b.Status.Phase = v1.BackupRunning
		return r.Status().Update(ctx, b)
	}
	return nil
}

// retried is conflictretry's business.
func (r *reconciler) retried(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
			return err
		}
		return r.Status().Update(ctx, b)
	})
}

// readOnly has nothing to store.
func (r *reconciler) nothingSet(ctx context.Context, key client.ObjectKey) error {
	var b v1.Backup
	if err := r.Get(ctx, key, &b); err != nil {
		return err
	}
	return r.Status().Patch(ctx, &b, client.MergeFrom(b.DeepCopy()))
}

// conditionOnly sets what the helper sends with its own.
func (r *reconciler) conditionOnly(ctx context.Context, b *v1.Backup) error {
	b.SetCondition(helpers.Ready("Seen"))
	return helpers.PatchReady(ctx, r.Client, b, "Done")
}

// setFinished sets it in between.
func (c *config) setFinished(ctx context.Context) error {
	patch := client.MergeFrom(c.object.DeepCopyObject().(client.Object))
	c.object.SetPhase(v1.BackupCompleted)
	return c.client.Status().Patch(ctx, c.object, patch)
}

// registered is changed by who has it.
func (c *config) registered(ctx context.Context, registry interface{ Add(obj any) }, update func() error) error {
	registry.Add(c.object)
	patch := client.MergeFrom(c.object.DeepCopyObject().(client.Object))
	if err := update(); err != nil {
		return err
	}
	return c.client.Status().Patch(ctx, c.object, patch)
}

// sentByHelper has nothing to store, and neither has the helper.
func (r *reconciler) sentByHelper(ctx context.Context, key client.ObjectKey) error {
	var b v1.Backup
	if err := r.Get(ctx, key, &b); err != nil {
		return err
	}
	return r.send(ctx, &b)
}

func (r *reconciler) send(ctx context.Context, b *v1.Backup) error {
	return r.Status().Patch(ctx, b, client.MergeFrom(b.DeepCopy()))
}

// byAccessor changes the status where a function points to it.
func (r *reconciler) byAccessor(ctx context.Context, b *v1.Backup) error {
	base := b.DeepCopy()
	statusOf(b).Phase = v1.BackupRunning
	return r.Status().Patch(ctx, b, client.MergeFrom(base))
}

func statusOf(b *v1.Backup) *v1.BackupStatus { return &b.Status }

// byWorkers has goroutines change what is patched, and waits for them.
func (r *reconciler) byWorkers(b *v1.Backup, names []string) {
	b.Status.Phase = v1.BackupRunning
	if err := r.Status().Update(context.Background(), b); err != nil {
		return
	}
	go func() {
		var all sync.WaitGroup
		var mu sync.Mutex
		patch := client.MergeFrom(b.DeepCopy())
		for range names {
			all.Add(1)
			go func() {
				defer all.Done()
				mu.Lock()
				defer mu.Unlock()
				b.Status.Phase = v1.BackupCompleted
			}()
			all.Wait()
			_ = r.Status().Patch(context.Background(), b, patch)
		}
	}()
}

// byGroup does so in the function itself.
func (r *reconciler) byGroup(ctx context.Context, b *v1.Backup) error {
	var group errgroup.Group
	base := b.DeepCopy()
	group.Go(func() error {
		b.Status.Phase = v1.BackupCompleted
		return nil
	})
	if err := group.Wait(); err != nil {
		return err
	}
	return r.Status().Patch(ctx, b, client.MergeFrom(base))
}

// byWorkersWithArgument hands them the object.
func (r *reconciler) byWorkersWithArgument(ctx context.Context, b *v1.Backup) {
	go func() {
		var all sync.WaitGroup
		patch := client.MergeFrom(b.DeepCopy())
		all.Add(1)
		go func(b *v1.Backup) {
			defer all.Done()
			b.Status.Phase = v1.BackupCompleted
		}(b)
		all.Wait()
		_ = r.Status().Patch(ctx, b, patch)
	}()
}
