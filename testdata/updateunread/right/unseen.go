package right

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/updateunread/right/lib"
)

// applyMergedElsewhere has another package take the version over.
func applyMergedElsewhere(ctx context.Context, resources dynamic.ResourceInterface, obj *unstructured.Unstructured) error {
	found, err := resources.Get(ctx, obj.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = resources.Create(ctx, obj, metav1.CreateOptions{})
		return err
	} else if err != nil {
		return err
	}
	if err := lib.Merge(found, obj); err != nil {
		return err
	}
	_, err = resources.Update(ctx, obj, metav1.UpdateOptions{})
	return err
}

// merger has several implementations, elsewhere.
type merger interface {
	Merge(found, wanted *v1.Backup)
}

func applyByInterface(ctx context.Context, c client.Client, key client.ObjectKey, m merger) error {
	wanted := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: key.Name}}
	found := &v1.Backup{}
	if err := c.Get(ctx, key, found); apierrors.IsNotFound(err) {
		return c.Create(ctx, wanted)
	} else if err != nil {
		return err
	}
	m.Merge(found, wanted)
	return c.Update(ctx, wanted)
}

// step is one of those that the merge goes through.
type step func(found, wanted *v1.Backup)

func applyByFuncs(ctx context.Context, c client.Client, key client.ObjectKey, steps []step) error {
	wanted := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: key.Name}}
	found := &v1.Backup{}
	if err := c.Get(ctx, key, found); apierrors.IsNotFound(err) {
		return c.Create(ctx, wanted)
	} else if err != nil {
		return err
	}
	through(steps, found, wanted)
	return c.Update(ctx, wanted)
}

func through(steps []step, found, wanted *v1.Backup) {
	for _, step := range steps {
		step(found, wanted)
	}
}

// applyManyCallsAway has the version taken over many calls away.
func applyManyCallsAway(ctx context.Context, resources dynamic.ResourceInterface, obj *unstructured.Unstructured) error {
	found, err := resources.Get(ctx, obj.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = resources.Create(ctx, obj, metav1.CreateOptions{})
		return err
	} else if err != nil {
		return err
	}
	if err := first(found, obj); err != nil {
		return err
	}
	_, err = resources.Update(ctx, obj, metav1.UpdateOptions{})
	return err
}

func first(found, obj *unstructured.Unstructured) error  { return second(found, obj) }
func second(found, obj *unstructured.Unstructured) error { return third(found, obj) }
func third(found, obj *unstructured.Unstructured) error  { return fourth(found, obj) }
func fourth(found, obj *unstructured.Unstructured) error {
	return unstructured.SetNestedField(obj.Object, found.GetResourceVersion(), "metadata", "resourceVersion")
}
