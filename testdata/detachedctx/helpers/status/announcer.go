package status

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Announcer tells about what happens in the log and, if it is to, in the status.
type Announcer struct {
	client.Client
	backup *v1.Backup
	stored bool
}

// Info is a logger's method.
func (a *Announcer) Info(format string, args ...any) {
	if a.stored {
		a.store()
	}
}

// Mark calls one.
func (a *Announcer) Mark() { a.Info("P") }

func (a *Announcer) store() { _ = a.Status().Update(context.Background(), a.backup) }

// Save takes a context.
func (a *Announcer) Save(ctx context.Context, backup *v1.Backup) error {
	return a.Update(ctx, backup)
}
