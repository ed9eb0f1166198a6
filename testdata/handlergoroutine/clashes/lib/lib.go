// Package lib reads what its goroutines set. Nothing is reported here: nothing here is an entry
// point.
package lib

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// DeleteAll deletes pods all at once, and returns no error.
func DeleteAll(ctx context.Context, kube kubernetes.Interface, namespace string, names []string) error {
	var errs []error
	for _, name := range names {
		go func() {
			if err := kube.CoreV1().Pods(namespace).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
				errs = append(errs, err)
			}
		}()
	}
	return errors.Join(errs...)
}
