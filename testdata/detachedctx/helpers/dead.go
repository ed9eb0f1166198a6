package helpers

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/detachedctx/helpers/status"
)

// plugin is called by code that knows no contexts.
type plugin struct{ client.Client }

// Execute has none to hand on.
func (p *plugin) Execute(backup *v1.Backup) error {
	return p.reference(context.TODO(), backup)
}

// Its context is never cancelled, so that it does not matter who gets it.
func (p *plugin) reference(ctx context.Context, backup *v1.Backup) error {
	if err := p.Get(ctx, client.ObjectKeyFromObject(backup), backup); err != nil {
		return err
	}
	if err := p.Get(context.Background(), client.ObjectKeyFromObject(backup), backup); err != nil {
		return err
	}
	if err := status.Touch(p.Client, backup); err != nil {
		return err
	}
	return p.class(ctx, backup)
}

func (p *plugin) class(ctx context.Context, backup *v1.Backup) error {
	return p.lookUp(backup)
}

func (p *plugin) lookUp(backup *v1.Backup) error {
	return p.List(context.TODO(), &v1.BackupList{})
}

// Restore has none, either, but sets a limit.
func (p *plugin) Restore(backup *v1.Backup) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return p.restore(ctx, backup)
}

func (p *plugin) restore(ctx context.Context, backup *v1.Backup) error {
	if err := p.Get(ctx, client.ObjectKeyFromObject(backup), backup); err != nil {
		return err
	}
	return p.Update(context.TODO(), backup) // want `hygiene: Update .*; pass ctx \(detachedctx/ctx-ignored\)`
}

// Remove has one, and does not hand it on.
func (p *plugin) Remove(ctx context.Context, backup *v1.Backup) error {
	return p.remove(context.TODO(), backup) // want `hygiene: remove → Get .*; pass ctx \(detachedctx/ctx-ignored\)`
}

func (p *plugin) remove(ctx context.Context, backup *v1.Backup) error {
	if err := p.Get(ctx, client.ObjectKeyFromObject(backup), backup); err != nil {
		return err
	}
	return p.Delete(context.TODO(), backup) // want `hygiene: Delete .*; pass ctx \(detachedctx/ctx-ignored\)`
}

// Archive is handed one by one of its callers.
func (p *plugin) Archive(ctx context.Context, backup *v1.Backup) error {
	return p.archive(ctx, backup)
}

func (p *plugin) ArchiveAll(backup *v1.Backup) error {
	return p.archive(context.Background(), backup)
}

func (p *plugin) archive(ctx context.Context, backup *v1.Backup) error {
	if err := p.Get(ctx, client.ObjectKeyFromObject(backup), backup); err != nil {
		return err
	}
	return p.Update(context.TODO(), backup) // want `hygiene: Update .*; pass ctx \(detachedctx/ctx-ignored\)`
}

// announcer tells about what happens in the log and, if it is to, in the status.
type announcer struct {
	client.Client
	backup *v1.Backup
	stored bool
}

func (a announcer) Info(format string, args ...any) {
	if a.stored {
		a.store()
	}
}

func (a announcer) store() { _ = a.Status().Update(context.Background(), a.backup) }

func (a announcer) mark() { a.Info("P") }

func announced(ctx context.Context, a announcer, announcer *status.Announcer, backup *v1.Backup) error {
	a.Info("saving %s", backup.Name)
	a.mark()
	announcer.Info("saving %s", backup.Name)
	announcer.Mark()
	return announcer.Save(ctx, backup)
}
