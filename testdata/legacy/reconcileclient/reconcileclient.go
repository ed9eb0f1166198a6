// Package reconcileclient builds clients for each request, with the last
// libraries before generics.
package reconcileclient

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

type Reconciler struct {
	client.Client
	Config *rest.Config
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	_, err := kubernetes.NewForConfig(r.Config) // want `QPS and Burst limit nothing: each Reconcile makes a client with a rate limiter of its own; build it once, at start \(reconcileclient/client\)`
	if err != nil {
		return ctrl.Result{}, err
	}
	_, err = apiutil.NewDynamicRESTMapper(r.Config) // want `each Reconcile asks the API server for all its resources: it makes a RESTMapper.*reconcileclient/client`
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.remote(ctx, req)
}

// Right: another cluster.
func (r *Reconciler) remote(ctx context.Context, req ctrl.Request) error {
	var secret corev1.Secret
	if err := r.Get(ctx, req.NamespacedName, &secret); err != nil {
		return err
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"])
	if err != nil {
		return err
	}
	_, err = client.New(config, client.Options{})
	return err
}

// The worker of an untyped queue.
type controller struct {
	queue  workqueue.RateLimitingInterface
	config *rest.Config
}

func (c *controller) worker() {
	for {
		key, quit := c.queue.Get()
		if quit {
			return
		}
		_, _ = kubernetes.NewForConfig(c.config) // want `QPS and Burst limit nothing: each workqueue worker worker makes a client with a rate limiter of its own.*reconcileclient/client`
		c.queue.Done(key)
	}
}

func newController() *controller { return &controller{} }
