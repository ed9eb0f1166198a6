// Package owned has a controller that runs again for each change of what it owns.
package owned

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.configure(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, errors.Join(r.expose(ctx, b), r.created(ctx, b))
}

// What is put together is only created: the helper reads what is there into the same variable.
func (r *reconciler) created(ctx context.Context, b *v1.Backup) error {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: b.Name + "-once", Namespace: b.Namespace}, Data: map[string]string{"names": joined(b.Labels)}}
	if err := controllerutil.SetControllerReference(b, cm, r.Scheme()); err != nil {
		return err
	}
	return r.ensure(ctx, cm, func() error { return controllerutil.SetControllerReference(b, cm, r.Scheme()) })
}

func joined(labels map[string]string) string {
	var text strings.Builder
	for name := range labels {
		text.WriteString(name) // want `^hygiene: ConfigMap\.Data changes each time`
	}
	return text.String()
}

func (r *reconciler) ensure(ctx context.Context, obj client.Object, update func() error) error {
	if err := r.Get(ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
		if client.IgnoreNotFound(err) != nil {
			return err
		}
		return r.Create(ctx, obj)
	}
	if err := update(); err != nil {
		return err
	}
	return r.Update(ctx, obj)
}

// The ConfigMap is written each time, and each other text of it starts the next round.
func (r *reconciler) configure(ctx context.Context, b *v1.Backup) error {
	data := map[string]string{"loggers.conf": render(b.Labels)}
	cm := &corev1.ConfigMap{}
	err := r.Get(ctx, client.ObjectKeyFromObject(b), cm)
	if apierrors.IsNotFound(err) {
		cm = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: b.Namespace}, Data: data}
		if err := controllerutil.SetControllerReference(b, cm, r.Scheme()); err != nil {
			return err
		}
		return r.Create(ctx, cm)
	}
	if err != nil {
		return err
	}
	cm.Data = data
	return r.Update(ctx, cm)
}

func render(loggers map[string]string) string {
	var text strings.Builder
	for name, level := range loggers {
		fmt.Fprintf(&text, "%s=%s\n", name, level) // want `^load: ConfigMap\.Data changes each time`
	}
	return text.String()
}

// The Service has another owner, or none: it starts nothing.
func (r *reconciler) expose(ctx context.Context, b *v1.Backup) error {
	svc := &corev1.Service{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), svc); err != nil {
		return err
	}
	svc.Spec.Ports = nil
	for name := range b.Annotations {
		svc.Spec.Ports = append(svc.Spec.Ports, corev1.ServicePort{Name: name}) // want `^hygiene: ServiceSpec\.Ports changes each time`
	}
	return r.Update(ctx, svc)
}

func (r *reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.ConfigMap{}).Owns(&corev1.Service{}).Complete(r)
}
