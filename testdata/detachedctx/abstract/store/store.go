// Package store says what others store; where, nobody who imports it can see.
package store

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Record is not an API object.
type Record struct{ Name string }

// Records may be kept anywhere, be it in memory.
type Records interface {
	Save(ctx context.Context, record *Record) error
	Find(ctx context.Context, name string) (*Record, error)
}

// Backups is a client of the project's own.
type Backups interface {
	Get(ctx context.Context, namespace, name string) (*v1.Backup, error)
}

// Generated is what generators make of a kind.
type Generated interface {
	Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error
}
