// Command role sets up other controllers with another role, which no manifest of the project gives it.
package main

import (
	"context"
	"flag"
	"os"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch

type always struct{ client.Client }

func (r *always) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, client.IgnoreNotFound(r.Get(ctx, req.NamespacedName, &v1.Backup{}))
}

func (r *always) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}).Complete(r) // want `no role grants list and watch of secrets`
}

type onDemand struct{ client.Client }

func (r *onDemand) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	service := &corev1.Service{}
	if err := r.Get(ctx, req.NamespacedName, service); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{}, r.Update(ctx, service)
}

func (r *onDemand) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Service{}).Complete(r)
}

type asWell struct{ onDemand }

func (r *asWell) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Node{}).Complete(r)
}

func main() {
	var role string
	var nodes bool
	flag.StringVar(&role, "role-of-this-one", "controller", "what it does")
	flag.BoolVar(&nodes, "nodes-when-asked", false, "see to nodes")
	flag.Parse()
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	if err != nil {
		os.Exit(1)
	}
	if role == "controller" {
		if err := (&always{mgr.GetClient()}).SetupWithManager(mgr); err != nil {
			os.Exit(1)
		}
	}
	if role == "cache" {
		if err := (&onDemand{mgr.GetClient()}).SetupWithManager(mgr); err != nil {
			os.Exit(1)
		}
	}
	if nodes {
		if err := (&asWell{onDemand{mgr.GetClient()}}).SetupWithManager(mgr); err != nil {
			os.Exit(1)
		}
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}
