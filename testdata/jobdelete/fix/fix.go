// Package fix has the fixes.
package fix

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var replicas = ptr.To(1)

func cancel(ctx context.Context, c client.Client, job *batchv1.Job) error {
	return c.Delete(ctx, job) // want `the pods of the deleted Job stay`
}

func typed(ctx context.Context, c kubernetes.Interface, ns, name string) error {
	return c.BatchV1().Jobs(ns).Delete(ctx, name, metav1.DeleteOptions{}) // want `the pods of the deleted Job stay`
}
