package right

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The object itself is overwritten, not the variable.
func (r *reconciler) overwritten(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		*config = *configOf(backup)
		return nil
	})
	return err
}

func (r *reconciler) overwrittenInVariable(ctx context.Context, backup *v1.Backup) error {
	var config corev1.ConfigMap
	config.Name, config.Namespace = backup.Name, backup.Namespace
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, &config, func() error {
		config = *configOf(backup)
		return nil
	})
	return err
}

func configOf(backup *v1.Backup) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace},
		Data:       map[string]string{"source": backup.Spec.Source},
	}
}

// A builder hands back the object that it fills, which is the one in the variable.
type builder struct{ config *corev1.ConfigMap }

func newBuilder(name, namespace string) *builder {
	return &builder{&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}}}
}

func (b *builder) withData(data map[string]string) *builder { b.config.Data = data; return b }
func (b *builder) build() *corev1.ConfigMap                 { return b.config }

func (r *reconciler) built(ctx context.Context, backup *v1.Backup) error {
	b := newBuilder(backup.Name, backup.Namespace)
	config := b.build()
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config = b.withData(map[string]string{"source": backup.Spec.Source}).build()
		return nil
	})
	return err
}

// It is changed before another object comes into the variable, for who goes on with that.
func (r *reconciler) changedBefore(ctx context.Context, backup *v1.Backup) (*corev1.ConfigMap, error) {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config.Data = map[string]string{"source": backup.Spec.Source}
		config = config.DeepCopy()
		return nil
	})
	return config, err
}

// Another variable still has it.
func (r *reconciler) copiedBack(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	stored := config
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config = configOf(backup)
		config.DeepCopyInto(stored)
		return nil
	})
	return err
}

// The same object is put there again.
func (r *reconciler) theSame(ctx context.Context, backup *v1.Backup) error {
	wanted := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	config := wanted
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config = wanted
		config.Data = map[string]string{"source": backup.Spec.Source}
		return nil
	})
	return err
}

// What a helper makes besides is another matter; it does not make this one.
func (r *reconciler) besides(ctx context.Context, backup *v1.Backup) error {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		if err := r.remember(deployment, backup); err != nil {
			return err
		}
		deployment.Spec.Replicas = backup.Spec.Replicas
		return nil
	})
	return err
}

func (r *reconciler) remember(_ *appsv1.Deployment, backup *v1.Backup) error {
	last := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}}
	return controllerutil.SetControllerReference(backup, last, r.Scheme())
}

// The helper returns what it makes, which is copied.
func (r *reconciler) merged(ctx context.Context, backup *v1.Backup) error {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		deployment.Spec = wantedFor(deployment, backup).Spec
		return nil
	})
	return err
}

func wantedFor(_ *appsv1.Deployment, backup *v1.Backup) *appsv1.Deployment {
	return &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: backup.Spec.Replicas}}
}

// The helper stores what it makes itself.
func (r *reconciler) marked(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		if err := r.marker(ctx, config, backup); err != nil {
			return err
		}
		return controllerutil.SetControllerReference(backup, config, r.Scheme())
	})
	return err
}

func (r *reconciler) marker(ctx context.Context, _ *corev1.ConfigMap, backup *v1.Backup) error {
	return r.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name + "-marker", Namespace: backup.Namespace}})
}

// A literal, or a helper that gets the variable's address, changes it before.
func (r *reconciler) changedByLiteral(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		set := func() { config.Data = map[string]string{"source": backup.Spec.Source} }
		set()
		config = configOf(backup)
		return nil
	})
	return err
}

func (r *reconciler) changedByAddress(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		fillIn(&config, backup)
		config = configOf(backup)
		return nil
	})
	return err
}

func fillIn(config **corev1.ConfigMap, backup *v1.Backup) {
	(*config).Data = map[string]string{"source": backup.Spec.Source}
}

// A struct still has it.
type plan struct{ target *corev1.ConfigMap }

func (r *reconciler) copiedIntoPlan(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	p := &plan{target: config}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config = configOf(backup)
		config.DeepCopyInto(p.target)
		return nil
	})
	return err
}

// The new one is written afterwards.
func (r *reconciler) writtenAfterwards(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config = configOf(backup)
		return nil
	}); err != nil {
		return err
	}
	return r.Update(ctx, config)
}

// The method's receiver is what goes unused, not the object.
type filler struct {
	fill func(*corev1.ConfigMap, *v1.Backup) error
}

type stage struct{}

func (s *stage) fillIn(config *corev1.ConfigMap, backup *v1.Backup) error {
	wanted := configOf(backup)
	config.Labels = wanted.Data
	return nil
}

func (r *reconciler) byMethodValue(ctx context.Context, s *stage, backup *v1.Backup) error {
	f := &filler{fill: s.fillIn}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error { return f.fill(config, backup) })
	return err
}
