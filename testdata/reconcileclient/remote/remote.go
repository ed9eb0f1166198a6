// Package remote has a reconciler that talks to others through interfaces and
// packages of their own.
package remote

import (
	"context"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/reconcileclient/remote/api"
	"github.com/opvet/opvet/testdata/reconcileclient/remote/impl"
)

// notifier is what the reconciler asks for; impl.Notifier has it.
type notifier interface {
	Notify(ctx context.Context, text string) error
}

type Reconciler struct {
	api      api.Client
	notifier notifier
	plain    *http.Client
}

func newReconciler(service *corev1.Service, secret *corev1.Secret) *Reconciler {
	return &Reconciler{api: api.New(service), notifier: impl.New(secret), plain: &http.Client{}}
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if _, err := r.api.Version(ctx); err != nil { // want `stuck: Reconcile waits forever if the server does not respond: c\.http\.Do has no timeout \(api/api\.go:\d+\); set http\.Client\.Timeout \(reconcileclient/no-timeout\)`
		return ctrl.Result{}, err
	}
	// To give the one client a timeout mends this, too.
	if err := r.api.Drop(ctx, req.Name); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.notifier.Notify(ctx, req.Name); err != nil { // want `stuck: .*n\.client\.Do has no timeout \(impl/impl\.go:\d+\).*no-timeout`
		return ctrl.Result{}, err
	}
	if err := api.Ping("http://c"); err != nil { // want `stuck: .*http\.Get has no timeout \(api/api\.go:\d+\).*no-timeout`
		return ctrl.Result{}, err
	}
	if err := api.Fetch("http://e"); err != nil { // want `stuck: .*http\.Get has no timeout \(api/api\.go:\d+\).*no-timeout`
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.request(ctx)
}

// request hands its request to a function that sends all of them.
func (r *Reconciler) request(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://d", nil)
	if err != nil {
		return err
	}
	return r.send(req)
}

func (r *Reconciler) send(req *http.Request) error {
	_, err := r.plain.Do(req) // want `stuck: .*r\.plain\.Do has no timeout.*no-timeout`
	return err
}

// Limited is right: all that it calls ends.
type Limited struct {
	api      api.Client
	notifier notifier
	plain    *http.Client
}

func newLimited(service *corev1.Service) *Limited {
	return &Limited{api: api.New(service), plain: &http.Client{}}
}

func (l *Limited) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := l.api.Delete(ctx, req.Name); err != nil {
		return ctrl.Result{}, err
	}
	if err := l.api.Limited(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if err := api.Again(func() error { return l.api.Limited(ctx) }); err != nil { // others hand it requests without a timeout
		return ctrl.Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if _, err := l.api.Version(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if err := l.notifier.Notify(ctx, req.Name); err != nil {
		return ctrl.Result{}, err
	}
	out, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://d", nil)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, l.forward(out)
}

func (l *Limited) forward(req *http.Request) error {
	_, err := l.plain.Do(req)
	return err
}

// Plain reads with a client of controller-runtime: that impl has another one says nothing.
type Plain struct{ client.Reader }

func (p *Plain) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, client.IgnoreNotFound(p.Get(ctx, req.NamespacedName, &corev1.Pod{}))
}
