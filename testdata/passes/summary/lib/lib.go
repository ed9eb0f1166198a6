// Package lib has helpers that package summary uses from another package.
package lib

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// want b: mutates Status.Phase
func SetPhase(b *v1.Backup, phase v1.BackupPhase) { b.Status.Phase = phase }

// want obj: Update main in memory
func Save(ctx context.Context, c client.Client, obj client.Object) error {
	return c.Update(ctx, obj)
}

// want obj: Update status in memory
func SaveStatus[T client.Object](ctx context.Context, c client.Client, obj T) error {
	return c.Status().Update(ctx, obj)
}

// want result 0: b
// want b: mutates ObjectMeta.Finalizers
func Finalized(b *v1.Backup) *v1.Backup {
	b.Finalizers = append(b.Finalizers, v1.Finalizer)
	return b
}

// want result 0: fresh Status.Phase
func Pending() *v1.Backup {
	b := &v1.Backup{}
	b.Status.Phase = v1.BackupPending
	return b
}

// Store writes the clusters' status, which nobody else does.
//
// want c: Update status in memory
func Store(ctx context.Context, w client.StatusClient, c *v1.Cluster) error {
	return w.Status().Update(ctx, c)
}

// Leave reads. That is worth telling, too.
func Leave(b *v1.Backup) string { return b.Name }

// want f: calls
func Run(f func() error) error { return f() }

var later []func()

// Later keeps f.
func Later(f func()) { later = append(later, f) }
