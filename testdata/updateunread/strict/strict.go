// Package strict overwrites what is there.
package strict

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ConfigMaps can be updated without a resourceVersion.
func replace(ctx context.Context, c client.Client, name string, data map[string]string) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
	return c.Update(ctx, config) // want `what others have written to the ConfigMap is lost: without a resourceVersion the update replaces all; read it first, or use CreateOrUpdate \(updateunread/no-resource-version\)`
}
