// Package helpers has helpers of another package build its clients.
package helpers

import (
	"context"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/reconcileclient/helpers/lib"
)

type Reconciler struct {
	client.Client
	ctx  *lib.Context
	kube map[string]kubernetes.Interface
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := lib.Export(ctx, r.ctx, req.Name); err != nil { // want `QPS and Burst limit nothing: each Reconcile makes a client with a rate limiter of its own \(lib/lib\.go:\d+\); build it once, at start \(reconcileclient/client\)`
		return ctrl.Result{}, err
	}
	_, err := lib.NewClient(r.ctx.Config) // want `QPS and Burst limit nothing: each Reconcile makes a client with a rate limiter of its own \(lib/lib\.go:\d+\).*reconcileclient/client`
	if err != nil {
		return ctrl.Result{}, err
	}
	_, err = kubernetes.NewForConfig(lib.Own(r.ctx)) // want `QPS and Burst limit nothing: each Reconcile makes a client with a rate limiter of its own.*reconcileclient/client`
	if err != nil {
		return ctrl.Result{}, err
	}
	cluster := newCluster(r.ctx, req.Name)
	return ctrl.Result{}, cluster.sync(ctx)
}

// cluster is made for each request, of what is not.
type cluster struct {
	ctx  *lib.Context
	name string
}

func newCluster(ctx *lib.Context, name string) *cluster { return &cluster{ctx: ctx, name: name} }

func (c *cluster) sync(ctx context.Context) error {
	return lib.Export(ctx, c.ctx, c.name) // want `QPS and Burst limit nothing: each Reconcile makes a client with a rate limiter of its own \(lib/lib\.go:\d+\).*reconcileclient/client`
}

// In a field that holds a function.
type providers struct {
	build  func(*rest.Config) (kubernetes.Interface, error)
	config *rest.Config
}

func newProviders(config *rest.Config) *providers {
	return &providers{build: lib.NewClient, config: config}
}

func (p *providers) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	_, err := p.build(p.config) // want `QPS and Burst limit nothing: each Reconcile makes a client with a rate limiter of its own \(lib/lib\.go:\d+\).*reconcileclient/client`
	return ctrl.Result{}, err
}

// What follows is right.

type remotes struct {
	client.Client
	config *rest.Config
	kube   map[string]kubernetes.Interface
}

func (r *remotes) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	config, err := lib.Remote(ctx, r.Client, req.NamespacedName)
	if err != nil {
		return ctrl.Result{}, err
	}
	if _, err := lib.NewClient(config); err != nil {
		return ctrl.Result{}, err
	}
	if err := lib.Export(ctx, &lib.Context{Config: config}, req.Name); err != nil {
		return ctrl.Result{}, err
	}
	_ = lib.Shared(r.config)
	kept, err := lib.NewClient(r.config)
	if err != nil {
		return ctrl.Result{}, err
	}
	r.kube[req.Name] = kept
	return ctrl.Result{}, nil
}
