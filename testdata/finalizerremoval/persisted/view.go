package persisted

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Right: users are not to see the finalizer, which stays.
type views struct{ client.Client }

func (s *views) get(ctx context.Context, key client.ObjectKey) (metav1.ObjectMeta, error) {
	var b v1.Backup
	if err := s.Get(ctx, key, &b); err != nil {
		return metav1.ObjectMeta{}, err
	}
	return visible(ctx, &b), nil
}

func visible(_ context.Context, b *v1.Backup) metav1.ObjectMeta {
	b.Finalizers = slices.DeleteFunc(b.Finalizers, func(f string) bool { return f == v1.Finalizer })
	return b.ObjectMeta
}

var _ = (*views).get
