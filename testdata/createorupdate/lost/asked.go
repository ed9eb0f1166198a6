package lost

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Questions that do not say that the object is missing.

type proxy struct {
	client.Client
	backup  *v1.Backup
	service *corev1.Service // as it was found
	config  *corev1.ConfigMap
	done    bool
	secret  bool
}

func newProxy(ctx context.Context, c client.Client, backup *v1.Backup) (*proxy, error) {
	p := &proxy{Client: c, backup: backup}
	service := &corev1.Service{}
	err := c.Get(ctx, client.ObjectKeyFromObject(backup), service)
	if err == nil {
		p.service = service
	}
	return p, client.IgnoreNotFound(err)
}

func (p *proxy) present() bool { return p.service != nil }

// It is another kind that is missing.
func (p *proxy) another(ctx context.Context) error {
	if p.present() {
		return nil
	}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: p.backup.Name}}
	config.Data = map[string]string{"source": p.backup.Spec.Source}
	_, err := controllerutil.CreateOrUpdate(ctx, p.Client, config, func() error { // want `^loss: changes of data never reach the ConfigMap`
		return controllerutil.SetControllerReference(p.backup, config, p.Scheme())
	})
	return err
}

// It is there.
func (p *proxy) again(ctx context.Context) error {
	if !p.present() {
		return nil
	}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: p.backup.Name}}
	service.Spec.ExternalName = p.backup.Spec.Source
	_, err := controllerutil.CreateOrUpdate(ctx, p.Client, service, func() error { // want `changes of spec.externalName never reach the Service`
		return controllerutil.SetControllerReference(p.backup, service, p.Scheme())
	})
	return err
}

// One caller asks, the other one does not.
func (p *proxy) ifMissing(ctx context.Context) error {
	if p.present() {
		return nil
	}
	return p.expose(ctx)
}

func (p *proxy) always(ctx context.Context) error { return p.expose(ctx) }

func (p *proxy) expose(ctx context.Context) error {
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: p.backup.Name}}
	service.Spec.ExternalName = p.backup.Spec.Source
	_, err := controllerutil.CreateOrUpdate(ctx, p.Client, service, func() error { // want `changes of spec.externalName never reach the Service`
		return controllerutil.SetControllerReference(p.backup, service, p.Scheme())
	})
	return err
}

// This process has not made it yet, and one before may have.
func (p *proxy) onceInAProcess(ctx context.Context) error {
	if p.config != nil || p.done {
		return nil
	}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: p.backup.Name}}
	config.Data = map[string]string{"source": p.backup.Spec.Source}
	_, err := controllerutil.CreateOrUpdate(ctx, p.Client, config, func() error { // want `changes of data never reach the ConfigMap`
		return controllerutil.SetControllerReference(p.backup, config, p.Scheme())
	})
	if err == nil {
		p.config, p.done = config, true
	}
	return err
}

// The flag says what is ready, not what is there.
func (p *proxy) isReady(ctx context.Context) (bool, error) {
	secret := &corev1.Secret{}
	if err := p.Get(ctx, client.ObjectKeyFromObject(p.backup), secret); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	if len(secret.Data) == 0 {
		return false, nil
	}
	return true, nil
}

func (p *proxy) unlessReady(ctx context.Context) error {
	ready, err := p.isReady(ctx)
	if err != nil || ready {
		return err
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: p.backup.Name}, StringData: p.backup.Annotations}
	_, err = controllerutil.CreateOrUpdate(ctx, p.Client, secret, func() error { // want `changes of stringData never reach the Secret`
		return controllerutil.SetControllerReference(p.backup, secret, p.Scheme())
	})
	return err
}

// The field is also true where nobody has looked, and false where it was found to be empty.
func (p *proxy) look(ctx context.Context) error {
	secret := &corev1.Secret{}
	err := p.Get(ctx, client.ObjectKeyFromObject(p.backup), secret)
	if err == nil {
		p.secret = len(secret.Data) > 0
	}
	if !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}

func (p *proxy) unlessFull(ctx context.Context) error {
	if p.secret {
		return nil
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: p.backup.Name}, StringData: p.backup.Annotations}
	_, err := controllerutil.CreateOrUpdate(ctx, p.Client, secret, func() error { // want `changes of stringData never reach the Secret`
		return controllerutil.SetControllerReference(p.backup, secret, p.Scheme())
	})
	return err
}
