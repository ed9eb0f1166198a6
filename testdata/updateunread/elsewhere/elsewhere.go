// Package elsewhere sends new objects as updates that another package has labelled.
package elsewhere

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/updateunread/elsewhere/labels"
)

func labelled(ctx context.Context, c client.Client, name string) error {
	wanted := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: name}}
	labels.Add(wanted, map[string]string{"of": name})
	if err := c.Create(ctx, wanted); err != nil {
		if !apierrors.IsAlreadyExists(err) {
			return err
		}
		found := &v1.Backup{}
		if err := c.Get(ctx, client.ObjectKey{Name: name}, found); err != nil {
			return err
		}
		if labels.Differ(wanted, found) {
			return c.Update(ctx, wanted) // want `this update always fails: a new Backup has no resourceVersion`
		}
	}
	return nil
}

// Right: the other package takes the version over, or may.

func takenOver(ctx context.Context, c client.Client, name string) error {
	wanted := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: name}}
	found := &v1.Backup{}
	if err := c.Get(ctx, client.ObjectKey{Name: name}, found); err != nil {
		return err
	}
	labels.TakeOver(found, wanted)
	return c.Update(ctx, wanted)
}

func merged(ctx context.Context, c client.Client, name string) error {
	wanted := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: name}}
	found := &v1.Backup{}
	if err := c.Get(ctx, client.ObjectKey{Name: name}, found); err != nil {
		return err
	}
	labels.Merge(found, wanted)
	return c.Update(ctx, wanted)
}
