// Package store keeps backups behind interfaces.
package store

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Store is implemented once.
type Store interface {
	Save(ctx context.Context, b *v1.Backup) error
	SaveStatus(ctx context.Context, b *v1.Backup) error
}

type store struct{ client.Client }

// New returns the store.
func New(c client.Client) Store { return &store{c} }

func (s *store) Save(ctx context.Context, b *v1.Backup) error { return s.Update(ctx, b) }

func (s *store) SaveStatus(ctx context.Context, b *v1.Backup) error { return s.Status().Update(ctx, b) }

// Saver is implemented twice, with one effect.
type Saver interface {
	Write(ctx context.Context, b *v1.Backup) error
}

type plain struct{ client.Client }

func (p *plain) Write(ctx context.Context, b *v1.Backup) error { return p.Update(ctx, b) }

type logged struct{ client.Client }

func (l *logged) Write(ctx context.Context, b *v1.Backup) error {
	if err := l.Update(ctx, b); err != nil {
		return fmt.Errorf("saving %s: %w", b.Name, err)
	}
	return nil
}

// Sink is implemented twice, and one of them stores the status as well.
type Sink interface {
	Put(ctx context.Context, b *v1.Backup) error
}

type whole struct{ client.Client }

func (w *whole) Put(ctx context.Context, b *v1.Backup) error {
	if err := w.Status().Update(ctx, b); err != nil {
		return err
	}
	return w.Update(ctx, b)
}

type half struct{ client.Client }

func (h *half) Put(ctx context.Context, b *v1.Backup) error { return h.Update(ctx, b) }

var (
	_ Saver = (*plain)(nil)
	_ Saver = (*logged)(nil)
	_ Sink  = (*whole)(nil)
	_ Sink  = (*half)(nil)
)
