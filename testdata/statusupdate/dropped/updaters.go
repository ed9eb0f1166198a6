package dropped

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// statusUpdater writes the status, which its name alone says: who is behind it is in another package.
type statusUpdater interface {
	Update(ctx context.Context, b *v1.Backup) error
}

type attested struct{ stored statusUpdater }

func (a *attested) attest(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = "Attested"
	return a.stored.Update(ctx, b)
}

// backupStore writes all that a client writes, and has another method for the status.
type backupStore interface {
	Update(ctx context.Context, b *v1.Backup) error
	UpdateStatus(ctx context.Context, b *v1.Backup) error
}

func finish(ctx context.Context, stored backupStore, b *v1.Backup) error {
	b.Status.Phase = "Done"
	return stored.Update(ctx, b) // want `status set on line 30 is dropped: Update writes only spec and metadata of the Backup`
}

// updater has the signature of the client's method, options included.
type updater interface {
	Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error
}

func start(ctx context.Context, stored updater, b *v1.Backup) error {
	b.Status.Phase = "Running"
	return stored.Update(ctx, b) // want `status set on line 40 is dropped: Update writes only spec and metadata of the Backup`
}
