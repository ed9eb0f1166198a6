// Package createorupdate uses older libraries.
package createorupdate

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

func noop(ctx context.Context, c client.Client, name string, data map[string]string) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
	_, err := controllerutil.CreateOrUpdate(ctx, c, config, func() error { return nil }) // want `the first version of the ConfigMap stays forever: .*createorupdate/noop-mutate`
	return err
}

func right(ctx context.Context, c client.Client, name string, data map[string]string) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := controllerutil.CreateOrUpdate(ctx, c, config, func() error {
		config.Data = data
		return nil
	})
	return err
}
