package calls

import (
	"context"
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
)

// Counting only counts what it finds, and makes a client each time.
type Counting struct {
	Config *rest.Config
	seen   map[string]int
}

func (c *Counting) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if n, found := c.seen[req.Name]; found {
		if n < 0 {
			return ctrl.Result{}, fmt.Errorf("%s is not wanted", req)
		}
		c.seen[req.Name] = n + 1
	}
	kube, err := kubernetes.NewForConfig(c.Config) // want `each Reconcile makes a client with a rate limiter of its own.*reconcileclient/client`
	if err != nil {
		return ctrl.Result{}, err
	}
	_ = kube
	return ctrl.Result{}, nil
}
