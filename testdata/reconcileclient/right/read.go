package right

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Readers read credentials by helpers.
type Readers struct{ client.Client }

// Reconcile makes a client for each object: each has its own credentials.
func (r *Readers) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	secret := newSecret()
	if err := r.read(ctx, req, secret); err != nil {
		return ctrl.Result{}, err
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"])
	if err != nil {
		return ctrl.Result{}, err
	}
	if _, err := kubernetes.NewForConfig(config); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.captured(ctx, req)
}

func newSecret() *corev1.Secret { return &corev1.Secret{} }

func (r *Readers) read(ctx context.Context, req ctrl.Request, into client.Object) error {
	return r.Get(ctx, req.NamespacedName, into)
}

// The literal reads what it has captured.
func (r *Readers) captured(ctx context.Context, req ctrl.Request) error {
	var secret corev1.Secret
	read := func() error { return r.Get(ctx, req.NamespacedName, &secret) }
	if err := read(); err != nil {
		return err
	}
	_, err := kubernetes.NewForConfig(&rest.Config{Host: string(secret.Data["host"])})
	return err
}
