// Package filled has defaults that depend on another object.
package filled

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:webhook:path=/mutate-backup,mutating=true,failurePolicy=fail,groups=example.com,resources=backups,verbs=create;update,versions=v1,name=defaults.backups.example.com

// defaulter looks the class up where none is stored yet, and stores it.
type defaulter struct{ client client.Client }

func (d *defaulter) Default(ctx context.Context, obj runtime.Object) error {
	backup := obj.(*v1.Backup)
	if backup.Spec.Source == "" {
		defaults := &corev1.ConfigMap{}
		if err := d.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: "defaults"}, defaults); err != nil {
			return err
		}
		backup.Spec.Source = defaults.Data["source"]
	}
	return nil
}

// optional looks something up where none is stored, each time.
type optional struct{ client client.Client }

func (d *optional) Default(ctx context.Context, obj runtime.Object) error {
	backup := obj.(*v1.Backup)
	if backup.Spec.Source == "" {
		defaults := &corev1.ConfigMap{}
		if err := d.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: "defaults"}, defaults); err != nil { // want `stuck: .*Default refuses`
			return err
		}
		backup.Spec.Paused = defaults.Data["paused"] == "true"
	}
	return nil
}
