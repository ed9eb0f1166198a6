// Package sleep has pauses that listen to nothing, in controllers of the time
// before generics.
package sleep

import (
	"context"
	"errors"
	"net/http"
	"time"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

var errNotReady = errors.New("not ready")

// Reconciler sleeps in its reconcile.
type Reconciler struct{ client.Client }

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, err
	}
	time.Sleep(10 * time.Second) // want `Reconcile sleeps for 10s and holds a worker; return and requeue with RequeueAfter`
	return ctrl.Result{}, r.settle(ctx, &backup)
}

func (r *Reconciler) settle(ctx context.Context, backup *v1.Backup) error {
	for i := 0; i < 30; i++ {
		if err := r.Get(ctx, client.ObjectKeyFromObject(backup), backup); err == nil {
			return nil
		}
		<-time.After(5 * time.Second) // want `stuck: settle \(from Reconcile\) sleeps for up to 2m30s in a loop and holds a worker`
	}
	return errNotReady
}

// controller takes keys off a queue.
type controller struct {
	queue workqueue.RateLimitingInterface
}

func (c *controller) next() bool {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	time.Sleep(2 * time.Second) // want `workqueue worker next sleeps for 2s and holds a worker`
	return true
}

// validator is an admission webhook.
type validator struct{}

func (v *validator) Handle(ctx context.Context, req admission.Request) admission.Response {
	time.Sleep(2 * time.Second) // want `Handle sleeps for 2s while the API server gives up on the request`
	return admission.Allowed("")
}

// serve lets its clients wait.
func serve(w http.ResponseWriter, r *http.Request) {
	time.Sleep(2 * time.Second) // want `serve sleeps for 2s and ignores r\.Context\(\): requests pile up`
}

// listens waits for both: not a finding.
func listens(ctx context.Context) error {
	select {
	case <-time.After(10 * time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// shortRounds checks its context between short sleeps: not a finding.
func shortRounds(ctx context.Context, done func() bool) error {
	for !done() {
		if err := ctx.Err(); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
	return nil
}

// grace comes after the end of the context: not a finding.
func grace(ctx context.Context) {
	<-ctx.Done()
	time.Sleep(10 * time.Second)
}
