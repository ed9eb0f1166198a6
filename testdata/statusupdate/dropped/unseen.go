package dropped

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/dropped/words"
)

type unseen struct{ client.Client }

// The last finalizer comes off, in a package that is not looked into.
func (r *unseen) takesOff(ctx context.Context, b *v1.Backup) error {
	b.Status.Message = "cleaned up"
	b.Finalizers = words.Without(b.Finalizers, "opvet.example/backup")
	return r.Update(ctx, b)
}

func (r *unseen) takesOffBySetter(ctx context.Context, b *v1.Backup) error {
	b.Status.Message = "cleaned up"
	b.SetFinalizers(words.Without(b.GetFinalizers(), "opvet.example/backup"))
	return r.Update(ctx, b)
}

// Another one is put on.
func (r *unseen) changesForAnother(ctx context.Context, b *v1.Backup) error {
	b.Status.Message = "moved"
	b.Finalizers = words.Without(b.Finalizers, "opvet.example/old")
	b.Finalizers = append(b.Finalizers, "opvet.example/new")
	return r.Update(ctx, b) // want `status set on line \d+ is dropped.*\(statusupdate/dropped-by-update\)`
}

// It is a list of something else.
func (r *unseen) changesOthers(ctx context.Context, b, other *v1.Backup) error {
	b.Status.Message = "moved"
	other = other.DeepCopy()
	other.Finalizers = words.Without(other.Finalizers, "opvet.example/old")
	if err := r.Update(ctx, other); err != nil {
		return err
	}
	return r.Update(ctx, b) // want `status set on line \d+ is dropped.*\(statusupdate/dropped-by-update\)`
}
