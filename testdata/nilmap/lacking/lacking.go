// Package lacking stores entries into maps of objects that somebody has sent, or that are about to
// be created.
package lacking

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

// What is to be stored is what a user has sent.
type defaulter struct{}

func (defaulter) Default(_ context.Context, backup *v1.Backup) error {
	if backup.Annotations["checked"] == "" {
		backup.Annotations["checked"] = "no" // want `stuck: this panics on the first Backup without annotations: the map is nil then; make it before this entry is stored \(nilmap/metadata\)`
	}
	return nil
}

func setup(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &v1.Backup{}).WithDefaulter(defaulter{}).Complete()
}

// It has whatever type, the getter is asked, and a helper stores the entry.
type asserting struct{}

func (asserting) Default(_ context.Context, obj runtime.Object) error {
	backup, ok := obj.(*v1.Backup)
	if !ok {
		return errors.New("not a Backup")
	}
	annotations := backup.GetAnnotations()
	if annotations["checked"] == "" {
		annotations["checked"] = "no" // want `stuck: this panics on the first Backup without annotations`
	}
	backup.SetAnnotations(annotations)
	label(backup)
	return nil
}

func label(backup *v1.Backup) {
	backup.Labels["phase"] = "new" // want `stuck: this panics on the first Backup without labels`
}

// preview has its webhook in the old style.
type preview struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

func (p *preview) DeepCopyObject() runtime.Object {
	return &preview{p.TypeMeta, *p.ObjectMeta.DeepCopy()}
}

func (p *preview) Default() {
	p.setLabels()
}

func (p *preview) setLabels() {
	if _, ok := p.Labels["phase"]; !ok {
		p.Labels["phase"] = "new" // want `stuck: this panics on the first preview without labels`
	}
}

// The function that CreateOrUpdate calls is handed the object as it was made, if there is none.
func (r *reconciler) passwords(ctx context.Context, name string, fresh func() []byte) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Type: corev1.SecretTypeOpaque}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, secret, func() error {
		if _, ok := secret.Data["password"]; !ok {
			secret.Data["password"] = fresh() // want `crash: this panics on the first Secret without data: .*\(nilmap/data\)`
		}
		return nil
	})
	return err
}

func (r *reconciler) labelled(ctx context.Context, name string) error {
	config := &corev1.ConfigMap{}
	config.Name = name
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, config, func() error {
		config.Labels["app"] = name // want `crash: this panics on the first ConfigMap without labels`
		return nil
	})
	return err
}

// Traps: the webhook makes the map.
type careful struct{}

func (careful) Default(_ context.Context, backup *v1.Backup) error {
	if len(backup.Labels) < 1 {
		backup.Labels = make(map[string]string)
	}
	backup.Labels["phase"] = "new"
	metav1.SetMetaDataAnnotation(&backup.ObjectMeta, "checked", "no")
	backup.Annotations["by"] = "webhook"
	return nil
}

// What a user has set is there.
type changing struct{}

func (changing) Default(_ context.Context, backup *v1.Backup) error {
	if backup.Labels["phase"] == "old" {
		backup.Labels["phase"] = "new"
	}
	return nil
}

// All entries of another map, of which there may be none.
type copying struct{ more map[string]string }

func (c copying) Default(_ context.Context, backup *v1.Backup) error {
	for k, v := range c.more {
		backup.Labels[k] = v
	}
	return nil
}

// The object is created with the map.
func (r *reconciler) withLabels(ctx context.Context, name string) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config.Labels["more"] = "true"
		return nil
	})
	return err
}

// The caller, or a function that makes it, knows what it has.
func (r *reconciler) given(ctx context.Context, config *corev1.ConfigMap) error {
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config.Labels["more"] = "true"
		return nil
	})
	return err
}

func (r *reconciler) built(ctx context.Context, name string) error {
	config := build(name)
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config.Labels["more"] = "true"
		config.Data["more"] = "true"
		return nil
	})
	return err
}

func build(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metaOf(name), Data: map[string]string{"name": name}}
}

func metaOf(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}}
}

func (r *reconciler) metaBuilt(ctx context.Context, name string) error {
	config := &corev1.ConfigMap{ObjectMeta: metaOf(name)}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config.Labels["more"] = "true"
		return nil
	})
	return err
}

// What is there was made by somebody, with the map as a rule.
func (r *reconciler) readBefore(ctx context.Context, key types.NamespacedName) error {
	backup := &v1.Backup{}
	if err := r.Get(ctx, key, backup); err != nil {
		return err
	}
	backup.Annotations["seen"] = "true"
	secret := &corev1.Secret{}
	if err := r.Get(ctx, key, secret); err != nil {
		return err
	}
	secret.StringData["user"] = "admin"
	return r.Update(ctx, backup)
}
