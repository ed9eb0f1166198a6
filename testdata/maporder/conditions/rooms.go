package conditions

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// join adds what is new: what was there keeps its place.
func (r *reconciler) join(ctx context.Context, b *v1.Backup, wanted map[string]bool) error {
	known := make(map[string]bool)
	for _, volume := range b.Status.Volumes {
		known[volume.Name] = true
	}
	next := append([]v1.VolumeStatus(nil), b.Status.Volumes...)
	for name := range wanted {
		if _, ok := known[name]; ok {
			continue
		}
		next = append(next, v1.VolumeStatus{Name: name})
	}
	if equality.Semantic.DeepEqual(b.Status.Volumes, next) {
		return nil
	}
	b.Status.Volumes = next
	return r.Status().Update(ctx, b)
}

// leave begins with nothing, and leaves some out.
func (r *reconciler) leave(ctx context.Context, b *v1.Backup, wanted, excluded map[string]bool) error {
	var next []v1.VolumeStatus
	for name := range wanted {
		if _, ok := excluded[name]; ok {
			continue
		}
		next = append(next, v1.VolumeStatus{Name: name}) // want `^load: BackupStatus\.Volumes changes each time`
	}
	if equality.Semantic.DeepEqual(b.Status.Volumes, next) {
		return nil
	}
	b.Status.Volumes = next
	return r.Status().Update(ctx, b)
}
