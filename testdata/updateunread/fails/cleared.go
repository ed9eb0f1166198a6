package fails

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// What CreateOrUpdate has read loses its version.
func replaced(ctx context.Context, c client.Client, desired *v1.Backup) error {
	actual := &v1.Backup{}
	actual.Name, actual.Namespace = desired.Name, desired.Namespace
	_, err := controllerutil.CreateOrUpdate(ctx, c, actual, func() error {
		actual.Spec = desired.Spec
		actual.SetResourceVersion("") // want `loss: what CreateOrUpdate has read loses its resourceVersion: updates of custom resources fail, others overwrite what was written meanwhile; leave it on \(updateunread/no-resource-version\)`
		return nil
	})
	return err
}

func replacedByField(ctx context.Context, c client.Client, actual, desired *corev1.ConfigMap) error {
	_, err := controllerutil.CreateOrUpdate(ctx, c, actual, func() error {
		actual.Data = desired.Data
		actual.ResourceVersion = "" // want `hygiene: what CreateOrUpdate has read loses its resourceVersion`
		return nil
	})
	return err
}

func replicated(ctx context.Context, c client.Client, actual, desired *unstructured.Unstructured) error {
	_, err := controllerutil.CreateOrUpdate(ctx, c, actual, func() error {
		actual.SetUnstructuredContent(desired.Object)
		actual.SetResourceVersion("") // want `hygiene: what CreateOrUpdate has read loses its resourceVersion`
		return nil
	})
	return err
}

// Traps: the version is put back.
func replacedAndKept(ctx context.Context, c client.Client, actual, desired *unstructured.Unstructured) error {
	_, err := controllerutil.CreateOrUpdate(ctx, c, actual, func() error {
		version := actual.GetResourceVersion()
		actual.SetUnstructuredContent(desired.Object)
		actual.SetResourceVersion("")
		actual.SetResourceVersion(version)
		return nil
	})
	return err
}

// It is taken off a copy.
func clearedCopy(ctx context.Context, c client.Client, actual, desired *v1.Backup) error {
	_, err := controllerutil.CreateOrUpdate(ctx, c, actual, func() error {
		template := desired.DeepCopy()
		template.SetResourceVersion("")
		actual.Spec = template.Spec
		return nil
	})
	return err
}
