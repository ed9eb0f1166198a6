// Package updateunread uses older libraries.
package updateunread

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

func exists(ctx context.Context, c client.Client, name string) error {
	backup := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: name}}
	err := c.Create(ctx, backup)
	if apierrors.IsAlreadyExists(err) {
		return c.Update(ctx, backup) // want `this update always fails: a new Backup has no resourceVersion; .*updateunread/no-resource-version`
	}
	return err
}

func right(ctx context.Context, c client.Client, existing *v1.Backup) error {
	backup := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: existing.Name}}
	backup.ResourceVersion = existing.ResourceVersion
	return c.Update(ctx, backup)
}
