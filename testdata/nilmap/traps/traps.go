// Package traps stores entries into maps that are not nil.
package traps

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

func (r *reconciler) get(ctx context.Context, key types.NamespacedName) (*v1.Backup, error) {
	backup := &v1.Backup{}
	return backup, r.Get(ctx, key, backup)
}

func (r *reconciler) made(ctx context.Context, key types.NamespacedName) error {
	backup := &v1.Backup{}
	if err := r.Get(ctx, key, backup); err != nil {
		return err
	}
	if backup.Annotations == nil {
		backup.Annotations = make(map[string]string)
	}
	backup.Annotations["a"] = "b"
	if len(backup.Labels) == 0 {
		backup.Labels = map[string]string{}
	}
	backup.Labels["a"] = "b"
	return r.Update(ctx, backup)
}

// None is fewer than one.
func (r *reconciler) madeFewerThanOne(ctx context.Context, key types.NamespacedName) error {
	backup := &v1.Backup{}
	if err := r.Get(ctx, key, backup); err != nil {
		return err
	}
	if backup.Annotations == nil {
		backup.Annotations = make(map[string]string)
	}
	backup.Annotations["a"] = "b"
	if len(backup.Labels) < 1 {
		backup.Labels = map[string]string{}
	}
	backup.Labels["a"] = "b"
	return r.Update(ctx, backup)
}

func (r *reconciler) makes(ctx context.Context, key types.NamespacedName) error {
	backup := &v1.Backup{}
	if err := r.Get(ctx, key, backup); err != nil {
		return err
	}
	ensure(backup)
	backup.Annotations["a"] = "b"
	metav1.SetMetaDataLabel(&backup.ObjectMeta, "a", "b")
	backup.Labels["c"] = "d"
	return r.Update(ctx, backup)
}

func ensure(backup *v1.Backup) {
	if backup.Annotations == nil {
		backup.Annotations = map[string]string{}
	}
}

func (r *reconciler) getter(ctx context.Context, key types.NamespacedName) error {
	backup, err := r.get(ctx, key)
	if err != nil {
		return err
	}
	annotations := backup.GetAnnotations()
	if annotations == nil {
		annotations = make(map[string]string)
	}
	annotations["a"] = "b"
	backup.SetAnnotations(annotations)
	labels := map[string]string{}
	for k, v := range backup.GetLabels() {
		labels[k] = v
	}
	labels["a"] = "b"
	backup.SetLabels(labels)
	return r.Update(ctx, backup)
}

// An entry that is there proves the map.
func (r *reconciler) there(ctx context.Context, key types.NamespacedName) error {
	backup := &v1.Backup{}
	if err := r.Get(ctx, key, backup); err != nil {
		return err
	}
	if backup.Annotations["state"] == "old" {
		backup.Annotations["state"] = "new"
	}
	if _, ok := backup.Labels["a"]; ok {
		backup.Labels["b"] = "c"
	}
	value, ok := backup.Labels["x"]
	if !ok || value == "" {
		return fmt.Errorf("no label")
	}
	backup.Labels["y"] = value
	return r.Update(ctx, backup)
}

func (r *reconciler) each(ctx context.Context, key types.NamespacedName) error {
	backup := &v1.Backup{}
	if err := r.Get(ctx, key, backup); err != nil {
		return err
	}
	for k, v := range backup.Labels {
		backup.Labels[k] = v + "!"
	}
	if metav1.HasAnnotation(backup.ObjectMeta, "state") {
		backup.Annotations["state"] = "new"
	}
	if isPaused(backup) {
		backup.Annotations["paused"] = "no"
	}
	return r.Update(ctx, backup)
}

func isPaused(backup *v1.Backup) bool { return backup.Annotations["paused"] == "yes" }

// Replaced as a whole.
func (r *reconciler) replaced(ctx context.Context, key types.NamespacedName, desired *v1.Backup) error {
	backup := &v1.Backup{}
	if err := r.Get(ctx, key, backup); err != nil {
		return err
	}
	backup.Labels = desired.Labels
	backup.Labels["a"] = "b"
	backup.ObjectMeta = desired.ObjectMeta
	backup.Annotations["a"] = "b"
	return r.Update(ctx, backup)
}

// What the code makes itself it knows.
func fresh(name string) *corev1.ConfigMap {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}, Data: map[string]string{}}
	config.Labels["a"] = "b"
	config.Data["a"] = "b"
	return config
}

// Made in the function that CreateOrUpdate runs.
func (r *reconciler) upsert(ctx context.Context, name string) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, secret, func() error {
		secret.Data = map[string][]byte{}
		secret.Data["a"] = []byte("b")
		return nil
	})
	return err
}

// Kubernetes gives each node labels, and a template needs those of its selector.
func (r *reconciler) always(ctx context.Context, key types.NamespacedName) error {
	node := &corev1.Node{}
	if err := r.Get(ctx, key, node); err != nil {
		return err
	}
	node.Labels["a"] = "b"
	set := &appsv1.StatefulSet{}
	if err := r.Get(ctx, key, set); err != nil {
		return err
	}
	set.Spec.Template.Labels["a"] = "b"
	return r.Update(ctx, set)
}

// The caller has looked.
func (r *reconciler) looked(ctx context.Context, key types.NamespacedName) error {
	backup := &v1.Backup{}
	if err := r.Get(ctx, key, backup); err != nil {
		return err
	}
	if backup.Annotations != nil {
		set(backup)
	}
	return nil
}

func set(backup *v1.Backup) { backup.Annotations["a"] = "b" }

// Reads and deletes need no map.
func (r *reconciler) reads(ctx context.Context, key types.NamespacedName) (string, error) {
	backup := &v1.Backup{}
	err := r.Get(ctx, key, backup)
	delete(backup.Annotations, "a")
	return backup.Labels["a"], err
}

func (r *reconciler) resume(ctx context.Context) error {
	var list v1.BackupList
	if err := r.List(ctx, &list); err != nil {
		return err
	}
	for _, backup := range list.Items {
		if backup.Annotations == nil {
			backup = *ensured(&backup)
		}
		backup.Annotations["resumed"] = "true"
		if err := r.Update(ctx, &backup); err != nil {
			return err
		}
	}
	return nil
}

func ensured(backup *v1.Backup) *v1.Backup {
	ensure(backup)
	return backup
}

// The entry is stored only where the map is made: the phase decides both.
func (r *reconciler) phased(ctx context.Context, key types.NamespacedName) error {
	backup := &v1.Backup{}
	if err := r.Get(ctx, key, backup); err != nil {
		return err
	}
	if backup.Status.Phase == v1.BackupRunning {
		backup.Annotations = map[string]string{}
	}
	backup.Spec.Paused = false
	switch backup.Status.Phase {
	case v1.BackupCompleted:
		return nil
	case v1.BackupRunning:
		backup.Annotations["running"] = "true"
	}
	return r.Update(ctx, backup)
}
