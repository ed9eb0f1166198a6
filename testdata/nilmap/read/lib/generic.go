package lib

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Resources is a client for objects of one kind.
type Resources[T client.Object] interface {
	Get(ctx context.Context, namespace, name string, opts metav1.GetOptions) (T, error)
	Update(ctx context.Context, obj T, opts metav1.UpdateOptions) (T, error)
}

// Caches is what one keeps in memory.
type Caches[T client.Object] interface {
	Lookup(namespace, name string) (T, error)
}

// Live reads Backups for other packages.
type Live struct{ Backups Resources[*v1.Backup] }

// Backup is one as it was sent.
func (l *Live) Backup(ctx context.Context, key client.ObjectKey) (*v1.Backup, error) {
	return l.Backups.Get(ctx, key.Namespace, key.Name, metav1.GetOptions{})
}
