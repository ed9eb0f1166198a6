// Package lost sets what CreateOrUpdate overwrites.
package lost

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/createorupdate/lib"
)

type reconciler struct{ client.Client }

// The function does nothing.
func (r *reconciler) noop(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace},
		Data:       map[string]string{"source": backup.Spec.Source},
	}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error { return nil }) // want `the first version of the ConfigMap stays forever: the Get of CreateOrUpdate overwrites what was set before; set it in the function \(createorupdate/noop-mutate\)`
	return err
}

// A constructor sets all.
func (r *reconciler) constructed(ctx context.Context, backup *v1.Backup) error {
	deployment := newDeployment(backup)
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error { // want `changes of spec never reach the Deployment: the Get of CreateOrUpdate overwrites what was set before; set it in the function \(createorupdate/set-outside\)`
		return controllerutil.SetControllerReference(backup, deployment, r.Scheme())
	})
	return err
}

func newDeployment(backup *v1.Backup) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace},
		Spec:       appsv1.DeploymentSpec{Replicas: backup.Spec.Replicas},
	}
}

// One field is set inside, another one outside.
func (r *reconciler) half(ctx context.Context, backup *v1.Backup) error {
	child := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: backup.Name + "-child", Namespace: backup.Namespace}}
	child.Spec.Paused = backup.Spec.Paused
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, child, func() error { // want `changes of spec.paused never reach the Backup: the Get of CreateOrPatch overwrites`
		child.Spec.Source = backup.Spec.Source
		return nil
	})
	return err
}

// A wrapper is handed the object.
func (r *reconciler) wrapped(ctx context.Context, backup *v1.Backup) error {
	return r.ensure(ctx, backup, newDeployment(backup))
}

func (r *reconciler) ensure(ctx context.Context, owner *v1.Backup, obj client.Object) error {
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, obj, func() error { // want `changes of spec never reach the Deployment`
		return controllerutil.SetControllerReference(owner, obj, r.Scheme())
	})
	return err
}

// Labels alone seldom change.
func (r *reconciler) labels(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}}
	config.Labels = backup.Labels
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error { // want `changes of metadata.labels never reach the ConfigMap`
		config.Data = map[string]string{"source": backup.Spec.Source}
		return nil
	})
	return err
}

// The labels stand in the literal.
func (r *reconciler) literal(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: backup.Name, Namespace: backup.Namespace, Labels: map[string]string{"backup": backup.Name},
	}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error { // want `changes of metadata\.labels never reach the ConfigMap`
		config.Data = map[string]string{"source": backup.Spec.Source}
		return nil
	})
	return err
}

// One object for each item.
func (r *reconciler) each(ctx context.Context, backup *v1.Backup) error {
	for _, name := range backup.Finalizers {
		config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"source": backup.Spec.Source}}
		_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error { // want `changes of data never reach the ConfigMap`
			config.Labels = backup.Labels
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reconciler) values(ctx context.Context, values map[string]string) error {
	for name, value := range values {
		child := v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.BackupSpec{Source: value}}
		_, err := controllerutil.CreateOrUpdate(ctx, r.Client, &child, func() error { // want `the first version of the Backup stays forever`
			return nil
		})
		if err != nil {
			return err
		}
		fmt.Println("created", child.Name)
	}
	return nil
}

// What is written out here only another version of the program changes.
func (r *reconciler) constants(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}, Data: map[string]string{"mode": "fast"}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error { // want `^hygiene: changes of data never reach the ConfigMap`
		return controllerutil.SetControllerReference(backup, config, r.Scheme())
	})
	return err
}

// Annotations of another object seldom change.
func (r *reconciler) ofAnother(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace},
		Data:       backup.Annotations,
	}
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, config, nil) // want `^hygiene: the first version of the ConfigMap stays forever`
	return err
}

// Another object of the function has something random in it.
func (r *reconciler) besideRandom(ctx context.Context, backup *v1.Backup) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, secret, func() error {
		if secret.Data == nil {
			secret.Data = map[string][]byte{"token": lib.Token(8)}
		}
		return nil
	})
	if err != nil {
		return err
	}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}, Data: map[string]string{"secret": secret.Name, "source": backup.Spec.Source}}
	_, err = controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error { return nil }) // want `the first version of the ConfigMap stays forever`
	return err
}

// When the program was started is no part of this.
type stamped struct {
	reconciler
	started time.Time
	mode    string
}

func runStamped(ctx context.Context, c client.Client, backup *v1.Backup) error {
	r := &stamped{reconciler: reconciler{c}, started: time.Now(), mode: backup.Spec.Source}
	return r.ensureMode(ctx, backup)
}

func (r *stamped) ensureMode(ctx context.Context, backup *v1.Backup) error {
	fmt.Println("running for", time.Since(r.started))
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}, Data: map[string]string{"mode": r.mode}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error { return nil }) // want `the first version of the ConfigMap stays forever`
	return err
}

// Reconcile calls this one in each round.
func (r *reconciler) Install(ctx context.Context, backup *v1.Backup, data map[string]string) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}, Data: data}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error { // want `loss: .*\(createorupdate/set-outside\)`
		return controllerutil.SetControllerReference(backup, config, r.Scheme())
	})
	return err
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{}, r.Install(ctx, backup, map[string]string{"source": backup.Spec.Source})
}
