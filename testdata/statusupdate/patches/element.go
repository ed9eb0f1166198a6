package patches

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// What is changed afterwards through a pointer to an element is in the patch.
func (r *reconciler) element(ctx context.Context, b *v1.Backup, name string) error {
	volume := volumeOf(b.Status.Volumes, name)
	if volume == nil {
		return nil
	}
	base := b.DeepCopy()
	r.check(ctx, volume)
	return r.Status().Patch(ctx, b, client.MergeFrom(base))
}

// A name is none.
func (r *reconciler) elementsName(ctx context.Context, b *v1.Backup, name string) error {
	b.Status.Message = nameOf(b.Status.Volumes, name)
	base := b.DeepCopy()
	return r.Status().Patch(ctx, b, client.MergeFrom(base)) // want `not-in-patch`
}

func (r *reconciler) check(_ context.Context, volume *v1.VolumeStatus) { volume.Name += "-checked" }

func volumeOf(volumes []v1.VolumeStatus, name string) *v1.VolumeStatus {
	for i := range volumes {
		if volumes[i].Name == name {
			return &volumes[i]
		}
	}
	return nil
}

func nameOf(volumes []v1.VolumeStatus, name string) string {
	if volume := volumeOf(volumes, name); volume != nil {
		return volume.Name
	}
	return ""
}
