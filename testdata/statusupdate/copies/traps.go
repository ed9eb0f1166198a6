package copies

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

func (r *reconciler) goesBack(ctx context.Context, b *v1.Backup) error {
	status := b.Status.DeepCopy()
	status.Phase = v1.BackupRunning
	if reflect.DeepEqual(*status, b.Status) {
		return nil
	}
	b.Status = *status
	return r.Status().Update(ctx, b)
}

func (r *reconciler) goesBackInTheDeferredCall(ctx context.Context, b *v1.Backup) (err error) {
	status := b.Status.DeepCopy()
	defer func() {
		b.Status = *status
		err = r.Status().Update(ctx, b)
	}()
	return r.sync(ctx, b, status)
}

func (r *reconciler) goesBackAsACopy(ctx context.Context, b *v1.Backup) error {
	status := b.Status
	status.Phase = v1.BackupRunning
	status.DeepCopyInto(&b.Status)
	return r.Status().Update(ctx, b)
}

func (r *reconciler) goesIntoTheLatest(ctx context.Context, b *v1.Backup) error {
	status := b.Status.DeepCopy()
	status.Phase = v1.BackupRunning
	latest := &v1.Backup{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), latest); err != nil {
		return err
	}
	latest.Status = *status
	return r.Status().Update(ctx, latest)
}

func (r *reconciler) handedToTheWriter(ctx context.Context, b *v1.Backup) error {
	status := b.Status.DeepCopy()
	status.Phase = v1.BackupCompleted
	return helpers.StoreStatus(ctx, r.Client, client.ObjectKeyFromObject(b), *status)
}

func (r *reconciler) handedToTheMethodThatWrites(ctx context.Context, b *v1.Backup) error {
	status := b.Status.DeepCopy()
	status.Phase = v1.BackupCompleted
	return r.writeStatus(ctx, b, status)
}

func (r *reconciler) writeStatus(ctx context.Context, b *v1.Backup, status *v1.BackupStatus) error {
	if reflect.DeepEqual(b.Status, *status) {
		return nil
	}
	b.Status = *status
	return r.Status().Update(ctx, b)
}

func (r *reconciler) keptForComparison(ctx context.Context, b *v1.Backup) error {
	old := b.Status.DeepCopy()
	b.Status.Phase = v1.BackupRunning
	if reflect.DeepEqual(*old, b.Status) {
		return nil
	}
	return r.Status().Update(ctx, b)
}

// Fields that change every time are blanked on copies, only to compare.
func (r *reconciler) normalisedForComparison(ctx context.Context, b *v1.Backup, wanted v1.BackupStatus) error {
	have, want := b.Status.DeepCopy(), wanted.DeepCopy()
	have.StartTime, want.StartTime = nil, nil
	have.Message, want.Message = "", ""
	if reflect.DeepEqual(have, want) {
		return nil
	}
	b.Status = wanted
	return r.Status().Update(ctx, b)
}

func (r *reconciler) computedAndReturned(b *v1.Backup) v1.BackupStatus {
	status := b.Status.DeepCopy()
	status.Phase = v1.BackupRunning
	return *status
}

func (r *reconciler) returnedCopyGoesBack(ctx context.Context, b *v1.Backup) error {
	b.Status = r.computedAndReturned(b)
	return r.Status().Update(ctx, b)
}

func (r *reconciler) theCopyIsWritten(ctx context.Context, b *v1.Backup) error {
	updated := b.DeepCopy()
	updated.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, updated)
}

func (r *reconciler) theCopyIsThePatchBase(ctx context.Context, b *v1.Backup) error {
	base := b.DeepCopy()
	b.Status.Phase = v1.BackupRunning
	return r.Status().Patch(ctx, b, client.MergeFrom(base))
}

// The base of the patch is changed, so that the patch sets the field again.
func (r *reconciler) theBaseIsBlanked(ctx context.Context, b *v1.Backup) error {
	base := b.DeepCopy()
	base.Status.Phase = ""
	return r.Status().Patch(ctx, b, client.MergeFrom(base))
}

func (r *reconciler) theCopyTakesThePlace(ctx context.Context, b *v1.Backup) error {
	b = b.DeepCopy()
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b)
}

func (r *reconciler) elementsByIndex(ctx context.Context, b *v1.Backup) error {
	for i := range b.Status.Volumes {
		volume := &b.Status.Volumes[i]
		volume.Done = true
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) elementsCollected(ctx context.Context, b *v1.Backup) error {
	var volumes []v1.VolumeStatus
	for _, volume := range b.Status.Volumes {
		volume.Done = true
		volumes = append(volumes, volume)
	}
	b.Status.Volumes = volumes
	return r.Status().Update(ctx, b)
}

func (r *reconciler) elementPutBack(ctx context.Context, b *v1.Backup) error {
	for i, volume := range b.Status.Volumes {
		volume.Done = true
		b.Status.Volumes[i] = volume
	}
	return r.Status().Update(ctx, b)
}

// A copied map, or a slice with the same elements, is the object's own.
func (r *reconciler) mapShared(ctx context.Context, b *v1.Backup) error {
	targets := b.Status.Targets
	targets["bucket"] = "reachable"
	return r.Status().Update(ctx, b)
}

func (r *reconciler) elementsShared(ctx context.Context, b *v1.Backup) error {
	volumes := b.Status.Volumes
	for i := range volumes {
		volumes[i].Done = true
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) pointerFromAFinder(ctx context.Context, b *v1.Backup) error {
	condition := meta.FindStatusCondition(b.Status.Conditions, "Ready")
	if condition == nil {
		return nil
	}
	condition.Status = metav1.ConditionFalse
	return r.Status().Update(ctx, b)
}

func (r *reconciler) sliceGoesBack(ctx context.Context, b *v1.Backup) error {
	conditions := b.Status.Conditions
	meta.SetStatusCondition(&conditions, helpers.Ready("Done"))
	b.Status.Conditions = conditions
	return r.Status().Update(ctx, b)
}

func (r *reconciler) sliceGoesBackThroughTheSetter(ctx context.Context, b *v1.Backup) error {
	conditions := b.GetConditions()
	meta.SetStatusCondition(&conditions, helpers.Ready("Done"))
	b.SetConditions(conditions)
	return r.Status().Update(ctx, b)
}

// The copy ends in the status of another object.
func (r *reconciler) summarised(ctx context.Context, b *v1.Backup, c *v1.Cluster) error {
	status := b.Status.DeepCopy()
	status.Message = "seen by " + c.Name
	c.Status.Nodes = append(c.Status.Nodes, status.Message)
	return r.Status().Update(ctx, c)
}

// The copy is there to take the address of what goes into a patch.
func (r *reconciler) sentByItself(ctx context.Context, b *v1.Backup) error {
	next := b.DeepCopy()
	next.Status.Message = "running"
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"message": next.Status.Message}})
	if err != nil {
		return err
	}
	return r.Status().Patch(ctx, b, client.RawPatch(types.MergePatchType, patch))
}

// The original is written where it fails, before there is a copy; and the helper gives
// the copy back.
func (r *reconciler) changedByABuilder(ctx context.Context, b *v1.Backup, broken bool) error {
	if broken {
		return r.Status().Update(ctx, b)
	}
	wanted := b.DeepCopy()
	wanted, err := running(wanted)
	if err != nil {
		return err
	}
	return r.Status().Update(ctx, wanted)
}

func running(b *v1.Backup) (*v1.Backup, error) {
	if b.Name == "" {
		return b, errors.New("no name")
	}
	b.Status.Phase = v1.BackupRunning
	return b, nil
}

// What is thrown away here was never meant for the original.
func (r *reconciler) triedOut(ctx context.Context, b *v1.Backup, broken bool) (int, error) {
	if broken {
		return 0, r.Status().Update(ctx, b)
	}
	tried := b.DeepCopy()
	tried.Status.Phase = v1.BackupRunning
	return len(tried.Status.Phase), nil
}
