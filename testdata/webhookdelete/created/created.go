// Package created has a webhook that is asked when objects are created only.
package created

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:webhook:path=/mutate-backup,mutating=true,failurePolicy=fail,groups=example.com,resources=backups,verbs=create,versions=v1,name=backups.example.com

type defaulter struct{ client client.Client }

func (d *defaulter) Default(ctx context.Context, obj runtime.Object) error {
	backup := obj.(*v1.Backup)
	return d.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: "defaults"}, &corev1.ConfigMap{})
}
