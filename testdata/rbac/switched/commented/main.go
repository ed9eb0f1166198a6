// Command commented elects a leader with a flag that its deployment has in comments only.
package main

import (
	"context"
	"flag"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, client.IgnoreNotFound(r.Get(ctx, req.NamespacedName, &v1.Backup{}))
}

func main() {
	mgr, err := newManager(flag.CommandLine, os.Args[1:])
	if err != nil {
		os.Exit(1)
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(&reconciler{mgr.GetClient()}); err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}

func newManager(flags *flag.FlagSet, args []string) (manager.Manager, error) {
	options := ctrl.Options{LeaderElectionID: "commented"}
	options = parse(flags, args, options)
	return ctrl.NewManager(ctrl.GetConfigOrDie(), options)
}

func parse(flags *flag.FlagSet, args []string, options ctrl.Options) ctrl.Options {
	var address string
	var elects bool
	flags.StringVar(&address, "metrics", ":8080", "where metrics are served")
	flags.BoolVar(&elects, "elects-when-told", false, "elect a leader")
	_ = flags.Parse(args)
	options.Metrics = server.Options{BindAddress: address}
	options.LeaderElection = elects
	return options
}
