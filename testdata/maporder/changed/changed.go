// Package changed puts together what is compared only where something has changed already: the
// object is written anyhow then, and otherwise not at all.
package changed

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

// store writes a status that is another one.
func (r *reconciler) store(ctx context.Context, b *v1.Backup, status v1.BackupStatus) error {
	if equality.Semantic.DeepEqual(b.Status, status) {
		return nil
	}
	b.Status = status
	return r.Status().Update(ctx, b)
}

// Nothing is done for a spec that was worked on.
func (r *reconciler) sameSpec(ctx context.Context, b, last *v1.Backup) error {
	if equality.Semantic.DeepEqual(b.Spec, last.Spec) {
		return nil
	}
	return r.work(ctx, b)
}

func (r *reconciler) work(ctx context.Context, b *v1.Backup) error {
	status := v1.BackupStatus{}
	for name := range b.Labels {
		status.Volumes = append(status.Volumes, v1.VolumeStatus{Name: name}) // want `^hygiene: BackupStatus\.Volumes changes each time`
	}
	return r.store(ctx, b, status)
}

// A condition tells which generation was worked on.
func (r *reconciler) sameGeneration(ctx context.Context, b *v1.Backup) error {
	for _, condition := range b.Status.Conditions {
		if condition.Type == "Checked" && condition.ObservedGeneration == b.Generation {
			return nil
		}
	}
	status := v1.BackupStatus{}
	for name := range b.Labels {
		status.Volumes = append(status.Volumes, v1.VolumeStatus{Name: name}) // want `^hygiene: BackupStatus\.Volumes changes each time`
	}
	return r.store(ctx, b, status)
}

// All that is asked for is the same, and none has been added.
func (r *reconciler) sameParts(ctx context.Context, b *v1.Backup, phase v1.BackupPhase, found map[string]bool) error {
	known := make(map[string]bool)
	for _, volume := range b.Status.Volumes {
		known[volume.Name] = true
	}
	added := false
	for name := range found {
		if !known[name] {
			known[name] = true
			added = true
		}
	}
	if b.Status.StartTime != nil && b.Status.Phase == phase && !added {
		return nil
	}
	status := v1.BackupStatus{Phase: phase}
	for name := range known {
		status.Volumes = append(status.Volumes, v1.VolumeStatus{Name: name}) // want `^hygiene: BackupStatus\.Volumes changes each time`
	}
	return r.store(ctx, b, status)
}

// A flag is set where one of them differs.
func (r *reconciler) noted(ctx context.Context, b *v1.Backup, done map[string]bool) error {
	byName := make(map[string]v1.VolumeStatus)
	for _, volume := range b.Status.Volumes {
		byName[volume.Name] = volume
	}
	changed := false
	for name, is := range done {
		volume := byName[name]
		if volume.Done != is || volume.Name != name {
			byName[name] = v1.VolumeStatus{Name: name, Done: is}
			changed = true
		}
	}
	if !changed {
		return nil
	}
	status := v1.BackupStatus{}
	for _, volume := range byName {
		status.Volumes = append(status.Volumes, volume) // want `^hygiene: BackupStatus\.Volumes changes each time`
	}
	return r.store(ctx, b, status)
}

// The mistakes: what is told there is not whether anything has changed.

// A flag that is set where one is found.
func (r *reconciler) found(ctx context.Context, b *v1.Backup, volumes map[string]bool, wanted string) error {
	found := false
	for name := range volumes {
		if name == wanted {
			found = true
		}
	}
	if !found {
		return nil
	}
	status := v1.BackupStatus{}
	for name := range volumes {
		status.Volumes = append(status.Volumes, v1.VolumeStatus{Name: name}) // want `^load: BackupStatus\.Volumes changes each time`
	}
	return r.store(ctx, b, status)
}

// Another namespace, or a certain phase.
func (r *reconciler) elsewhere(ctx context.Context, b *v1.Backup, namespace string, volumes map[string]bool) error {
	if b.Namespace == namespace || b.Status.Phase == v1.BackupPending {
		return nil
	}
	status := v1.BackupStatus{}
	for name := range volumes {
		status.Volumes = append(status.Volumes, v1.VolumeStatus{Name: name}) // want `^load: BackupStatus\.Volumes changes each time`
	}
	return r.store(ctx, b, status)
}

// What is done on a change lies beside it.
func (r *reconciler) logged(ctx context.Context, b, last *v1.Backup, log func(string)) error {
	if !equality.Semantic.DeepEqual(b.Spec, last.Spec) {
		log("changed")
	}
	if b.Status.ObservedGeneration == b.Generation {
		log("seen")
	}
	status := v1.BackupStatus{}
	for name := range b.Labels {
		status.Volumes = append(status.Volumes, v1.VolumeStatus{Name: name}) // want `^load: BackupStatus\.Volumes changes each time`
	}
	return r.store(ctx, b, status)
}
