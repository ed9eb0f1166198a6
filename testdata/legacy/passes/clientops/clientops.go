// Package clientops has calls of the clients before generics: a status writer
// with the client's own options, and clientsets without a context.
package clientops

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	ctrlclient "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opvet/opvet/testdata/legacy/api/client"
	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

type reconciler struct {
	ctrlclient.Client
	status ctrlclient.StatusWriter
}

// want Update main of b on r.Client, in memory
// want Update status of b on r.Client.Status(), in memory
// want Update status of b on r.status, in memory
func (r *reconciler) updates(ctx context.Context, b *v1.Backup) {
	r.Update(ctx, b)
	r.Status().Update(ctx, b)
	r.status.Update(ctx, b)
}

// want Patch main of b on r.Client, in memory
// want Patch status of b on r.Client.Status(), in memory
func (r *reconciler) patches(ctx context.Context, b *v1.Backup, base ctrlclient.Patch) {
	r.Patch(ctx, b, base)
	r.Status().Patch(ctx, b, base)
}

// statusWriter has the methods of the status writer before v0.14: it takes
// the client's own options.
type statusWriter interface {
	Update(ctx context.Context, obj ctrlclient.Object, opts ...ctrlclient.UpdateOption) error
}

type statusClient interface{ Status() statusWriter }

// want Update status of b on c.Status(), in memory
func olderStatus(ctx context.Context, c statusClient, b *v1.Backup) error {
	return c.Status().Update(ctx, b)
}

// want Patch main|status of b on r.Client, in memory, mutate
func (r *reconciler) createOrPatch(ctx context.Context, b *v1.Backup) error {
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, b, func() error { return nil })
	return err
}

// want Create main of b on backups, result, kind Backup
// want Update main of b on backups, result, kind Backup
// want Update status of b on backups, result, kind Backup
// want Patch status of nil on backups, result, kind Backup, name name, bytes data
func withoutContext(backups client.BackupInterface, b *v1.Backup, name string, data []byte) {
	backups.Create(b)
	backups.Update(b)
	backups.UpdateStatus(b)
	backups.Patch(name, types.MergePatchType, data, "status")
}

// maker makes backups, and needs no API server for it.
type maker interface {
	Create(name string) (*v1.Backup, error)
	Update(b *v1.Backup, force bool) (*v1.Backup, error)
	UpdateStatus(b *v1.Backup) error
	Patch(b *v1.Backup, data []byte) (*v1.Backup, error)
}

func ownMaker(m maker, b *v1.Backup) {
	m.Create("name")
	m.Update(b, true)
	m.UpdateStatus(b)
	m.Patch(b, nil)
}
