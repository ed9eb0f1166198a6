// Package right sets what is to be written in the function.
package right

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/createorupdate/lib"
)

type reconciler struct{ client.Client }

func (r *reconciler) inside(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config.Data = map[string]string{"source": backup.Spec.Source}
		return controllerutil.SetControllerReference(backup, config, r.Scheme())
	})
	return err
}

// What was wanted is kept in another object.
func (r *reconciler) copied(ctx context.Context, backup *v1.Backup) error {
	desired := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}}
	desired.Spec.Replicas = backup.Spec.Replicas
	existing := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, existing, func() error {
		existing.Spec = desired.Spec
		return nil
	})
	return err
}

// The status is written by its subresource, from a field that was set before.
func (r *reconciler) statusOf(ctx context.Context, backup *v1.Backup) error {
	child := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: backup.Name + "-child", Namespace: backup.Namespace}}
	child.Status.Phase = backup.Status.Phase
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, child, func() error {
		child.Spec = backup.Spec
		return nil
	}); err != nil {
		return err
	}
	return r.Status().Update(ctx, child)
}

// A copy is taken before it is overwritten.
func (r *reconciler) kept(ctx context.Context, backup *v1.Backup) error {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}}
	deployment.Spec.Replicas = backup.Spec.Replicas
	desired := deployment.DeepCopy()
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		desired.Spec.DeepCopyInto(&deployment.Spec)
		return nil
	})
	return err
}

// It is there, or it is made: nothing else is asked for.
func (r *reconciler) exists(ctx context.Context, name string) error {
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, func() error { return nil })
	return err
}

// What can never be changed is set at first.
func (r *reconciler) immutable(ctx context.Context, backup *v1.Backup) error {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}}
	job.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, job, func() error {
		return controllerutil.SetControllerReference(backup, job, r.Scheme())
	}); err != nil {
		return err
	}
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}, Spec: appsv1.StatefulSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": backup.Name}}, ServiceName: backup.Name,
	}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, set, func() error {
		set.Spec.Replicas = backup.Spec.Replicas
		return nil
	}); err != nil {
		return err
	}
	binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}, RoleRef: rbacv1.RoleRef{Kind: "Role", Name: backup.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, binding, func() error {
		binding.Subjects = []rbacv1.Subject{{Kind: "ServiceAccount", Name: backup.Name}}
		return nil
	})
	return err
}

// A helper sets it.
func (r *reconciler) helped(ctx context.Context, backup *v1.Backup) error {
	child := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}, Spec: v1.BackupSpec{Source: "default"}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, child, func() error {
		fill(child, backup)
		return nil
	})
	return err
}

func fill(child, backup *v1.Backup) { child.Spec = backup.Spec }

// The function comes from somewhere else.
func (r *reconciler) given(ctx context.Context, mutate controllerutil.MutateFn) error {
	child := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: v1.BackupSpec{Source: "default"}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, child, mutate)
	return err
}

// What is set after the call is another matter.
func (r *reconciler) after(ctx context.Context, backup *v1.Backup) error {
	child := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, child, func() error {
		child.Spec.Source = backup.Spec.Source
		return nil
	}); err != nil {
		return err
	}
	child.Spec.Paused = true
	return r.Update(ctx, child)
}

// It is there to create: later changes go another way.
func (r *reconciler) firstTime(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{}
	err := r.Get(ctx, client.ObjectKeyFromObject(backup), config)
	if apierrors.IsNotFound(err) {
		return r.first(ctx, backup)
	}
	if err != nil {
		return err
	}
	config.Data["source"] = backup.Spec.Source
	return r.Update(ctx, config)
}

func (r *reconciler) first(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	config.Data = map[string]string{"source": backup.Spec.Source}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		return controllerutil.SetControllerReference(backup, config, r.Scheme())
	})
	return err
}

// The literal has what the object is found by, and the function sets the labels again.
func (r *reconciler) literals(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: backup.Name, Namespace: backup.Namespace, Labels: map[string]string{"backup": backup.Name},
	}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config.Labels = map[string]string{"backup": backup.Name}
		config.Data = map[string]string{"source": backup.Spec.Source}
		return nil
	})
	return err
}

// What is set after the call is set for the next round.
func (r *reconciler) rounds(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	for range backup.Finalizers {
		_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
			config.Labels = backup.Labels
			return nil
		})
		if err != nil {
			return err
		}
		config.Data = map[string]string{"source": backup.Spec.Source}
	}
	return nil
}

// A password is made once; who sets it in the function changes it each time.
func (r *reconciler) credentials(ctx context.Context, backup *v1.Backup) error {
	data, err := newCredentials(backup)
	if err != nil {
		return err
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}, Data: data}
	_, err = controllerutil.CreateOrUpdate(ctx, r.Client, secret, func() error {
		return controllerutil.SetControllerReference(backup, secret, r.Scheme())
	})
	return err
}

func newCredentials(backup *v1.Backup) (map[string][]byte, error) {
	password := make([]byte, 24)
	if _, err := rand.Read(password); err != nil {
		return nil, err
	}
	return map[string][]byte{"username": []byte(backup.Name), "password": password}, nil
}

// The same over some functions more, one of another package.
func (r *reconciler) adminCredentials(ctx context.Context, backup *v1.Backup) error {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: backup.Name + "-admin", Namespace: backup.Namespace},
		Data:       adminData(),
		Type:       corev1.SecretTypeOpaque,
	}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, secret, func() error { return nil })
	return err
}

func adminData() map[string][]byte {
	password := []byte(encoded(10))
	return map[string][]byte{"user": []byte("admin"), "password": password}
}

func encoded(n int) string { return base64.URLEncoding.EncodeToString(token(n)) }

func token(n int) []byte { return lib.Token(n) }

// Somebody else makes the key, by what both are handed.
func (r *reconciler) session(ctx context.Context, backup *v1.Backup) error {
	return r.storeKey(ctx, backup, lib.Token(32))
}

func (r *reconciler) storeKey(ctx context.Context, backup *v1.Backup, key []byte) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: backup.Name + "-session"}}
	secret.Data = map[string][]byte{"key": key}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, secret, func() error {
		return controllerutil.SetControllerReference(backup, secret, r.Scheme())
	})
	return err
}

// The password stands deep in the object.
func (r *reconciler) inEnvironment(ctx context.Context, backup *v1.Backup) error {
	workload := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}}
	workload.Spec.Template.Spec.Containers = []corev1.Container{{
		Name: "main",
		Env:  []corev1.EnvVar{{Name: "USER", Value: "admin"}, {Name: "PASSWORD", Value: encoded(10)}},
	}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, workload, func() error {
		return controllerutil.SetControllerReference(backup, workload, r.Scheme())
	})
	return err
}

// When it was installed is known at the first time.
func (r *reconciler) installed(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}}
	config.Data = map[string]string{"installed": time.Now().Format(time.RFC3339)}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		return controllerutil.SetControllerReference(backup, config, r.Scheme())
	})
	return err
}

// A helper converts the elements of a list in place, which is used and not stored.
func (r *reconciler) convertedInPlace(ctx context.Context, backup *v1.Backup) error {
	workload := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}}
	if err := r.Get(ctx, client.ObjectKeyFromObject(workload), workload); err != nil {
		return err
	}
	convert(workload.Spec.Template.Spec.Containers)
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, workload, func() error {
		workload.Spec.Paused = backup.Spec.Paused
		return nil
	})
	return err
}

func convert(containers []corev1.Container) {
	for i := range containers {
		containers[i].Image = "registry.example.com/" + containers[i].Image
	}
}

// What is kept for good under a name of its own never changes.
func (r *reconciler) keep(ctx context.Context, backup *v1.Backup, name string, data map[string]string) error {
	forGood := true
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: backup.Namespace}, Data: data, Immutable: &forGood}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		return controllerutil.SetControllerReference(backup, config, r.Scheme())
	})
	return err
}

// Whoever calls it from another package may have looked whether there is one.
func (r *reconciler) Install(ctx context.Context, backup *v1.Backup, data map[string]string) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}, Data: data}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		return controllerutil.SetControllerReference(backup, config, r.Scheme())
	})
	return err
}

// So may whoever calls a function of which this one is a part.
func (r *reconciler) Provide(ctx context.Context, backup *v1.Backup, data map[string]string) error {
	return r.provide(ctx, backup, data)
}

func (r *reconciler) provide(ctx context.Context, backup *v1.Backup, data map[string]string) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}, Data: data}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		return controllerutil.SetControllerReference(backup, config, r.Scheme())
	})
	return err
}

// The function is made by a helper, which is handed what is to be set.
func (r *reconciler) byHelper(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	config.Data = map[string]string{"source": backup.Spec.Source}
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, config, setsData(config, config.Data))
	return err
}

func setsData(config *corev1.ConfigMap, data map[string]string) controllerutil.MutateFn {
	return func() error {
		config.Data = data
		return nil
	}
}
