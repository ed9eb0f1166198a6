package right

import (
	"context"
	"errors"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// proxy keeps what was found when it was made: nil if there was none.
type proxy struct {
	client.Client
	backup  *v1.Backup
	service *corev1.Service
}

func newProxy(ctx context.Context, c client.Client, backup *v1.Backup) (*proxy, error) {
	found := &corev1.Service{}
	if err := c.Get(ctx, client.ObjectKeyFromObject(backup), found); err != nil {
		if !apierrors.IsNotFound(err) {
			return nil, err
		}
		found = nil
	}
	return &proxy{Client: c, backup: backup, service: found}, nil
}

func (p *proxy) present() bool { return p.service != nil }

// It returns early if there is one.
func (p *proxy) Make(ctx context.Context) error {
	if p.present() {
		return errors.New("there is one")
	}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: p.backup.Name, Namespace: p.backup.Namespace}}
	service.Spec.ExternalName = p.backup.Spec.Source
	_, err := controllerutil.CreateOrUpdate(ctx, p.Client, service, func() error {
		return controllerutil.SetControllerReference(p.backup, service, p.Scheme())
	})
	return err
}

// runner is asked by its caller, and sets the field in the branch of the Get.
type runner struct {
	client.Client
	backup     *v1.Backup
	deployment *appsv1.Deployment
	hasConfig  bool
}

func (r *runner) look(ctx context.Context) error {
	deployment := &appsv1.Deployment{}
	err := r.Get(ctx, client.ObjectKeyFromObject(r.backup), deployment)
	if err == nil {
		r.deployment = deployment
	} else if !apierrors.IsNotFound(err) {
		return err
	}
	config := &corev1.ConfigMap{}
	err = r.Get(ctx, client.ObjectKeyFromObject(r.backup), config)
	if err == nil {
		r.hasConfig = true
	}
	return client.IgnoreNotFound(err)
}

func (r *runner) started() bool { return r.deployment != nil }

func (r *runner) run(ctx context.Context, ready bool) error {
	if ready && !r.started() {
		if err := r.start(ctx); err != nil {
			return err
		}
	}
	if r.hasConfig {
		return nil
	}
	return r.configure(ctx)
}

func (r *runner) start(ctx context.Context) error {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: r.backup.Name}}
	deployment.Spec.Replicas = r.backup.Spec.Replicas
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		return controllerutil.SetControllerReference(r.backup, deployment, r.Scheme())
	})
	return err
}

func (r *runner) configure(ctx context.Context) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: r.backup.Name}}
	config.Data = map[string]string{"source": r.backup.Spec.Source}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		return controllerutil.SetControllerReference(r.backup, config, r.Scheme())
	})
	return err
}

// A function asks, and says what it was told.
func (r *reconciler) hasSecret(ctx context.Context, backup *v1.Backup) (bool, error) {
	if err := r.Get(ctx, client.ObjectKeyFromObject(backup), &corev1.Secret{}); err != nil {
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return false, err
	}
	return true, nil
}

func (r *reconciler) secretOnce(ctx context.Context, backup *v1.Backup) error {
	there, err := r.hasSecret(ctx, backup)
	if err != nil || there {
		return err
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: backup.Name}, StringData: backup.Annotations}
	_, err = controllerutil.CreateOrUpdate(ctx, r.Client, secret, func() error {
		return controllerutil.SetControllerReference(backup, secret, r.Scheme())
	})
	return err
}
