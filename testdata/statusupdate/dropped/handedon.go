package dropped

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// statuses takes statuses to somebody who writes them.
type statuses interface {
	Store(name string, status *v1.BackupStatus)
}

type publisher struct {
	client.Client
	statuses statuses
}

// The status goes another way, the Update is for the finalizer.
func (p *publisher) publish(ctx context.Context, b *v1.Backup) error {
	b.Status.Message = "accepted"
	p.statuses.Store(b.Name, &b.Status)
	controllerutil.AddFinalizer(b, "example.com/backup")
	return p.Update(ctx, b)
}
