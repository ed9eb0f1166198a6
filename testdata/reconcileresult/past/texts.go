package past

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const expiresAt = "example.com/expires-at"

// The text was read with the object.
func (r *reconciler) oldText(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var token corev1.Secret
	if err := r.Get(ctx, req.NamespacedName, &token); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	expires, err := time.Parse(time.RFC3339, token.Annotations[expiresAt])
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: time.Until(expires)}, nil // want `not looked at again`
}

// Another entry is set, and the time is read with what was built to be updated or made.
func (r *reconciler) otherText(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var token corev1.Secret
	if err := r.Get(ctx, req.NamespacedName, &token); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	token.Annotations["example.com/seen"] = "true"
	if err := r.Update(ctx, &token); err != nil {
		return ctrl.Result{}, err
	}
	expires, err := time.Parse(time.RFC3339, token.Annotations[expiresAt])
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: time.Until(expires)}, nil // want `not looked at again`
}

func (r *reconciler) upserted(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	token := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: req.Name, Namespace: req.Namespace}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, token, func() error { return nil }); err != nil {
		return ctrl.Result{}, err
	}
	expires, err := time.Parse(time.RFC3339, token.Annotations[expiresAt])
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: time.Until(expires)}, nil // want `not looked at again`
}

func (r *reconciler) loaded(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	token := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: req.Name, Namespace: req.Namespace}}
	if err := r.load(ctx, token); err != nil {
		return ctrl.Result{}, err
	}
	expires, err := time.Parse(time.RFC3339, token.Annotations[expiresAt])
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: time.Until(expires)}, nil // want `not looked at again`
}

func (r *reconciler) load(ctx context.Context, object client.Object) error {
	return r.Get(ctx, client.ObjectKeyFromObject(object), object)
}

// Right: the text is a fresh one, which was put there or made with the object just now.
func (r *reconciler) freshText(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var token corev1.Secret
	if err := r.Get(ctx, req.NamespacedName, &token); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	fresh := newToken(req)
	token.Annotations = fresh.Annotations
	token.Data = fresh.Data
	if err := r.Update(ctx, &token); err != nil {
		return ctrl.Result{}, err
	}
	expires, err := time.Parse(time.RFC3339, token.Annotations[expiresAt])
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: expires.Sub(time.Now()) - time.Minute}, nil
}

func (r *reconciler) textOfNew(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	token := newToken(req)
	if err := r.Create(ctx, token); err != nil {
		return ctrl.Result{}, err
	}
	expires, err := time.Parse(time.RFC3339, token.Annotations[expiresAt])
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: expires.Sub(time.Now()) - time.Minute}, nil
}

func newToken(req ctrl.Request) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Name:        req.Name,
		Namespace:   req.Namespace,
		Annotations: map[string]string{expiresAt: time.Now().Add(time.Hour).Format(time.RFC3339)},
	}}
}
