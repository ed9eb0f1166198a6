// Command listed keeps objects of a namespace, and of those in a list, which may be all.
package main

import (
	"context"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch

// Reconciler reads from the cache.
type Reconciler struct{ client.Client }

// Reconcile makes it so.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, r.Get(ctx, req.NamespacedName, &corev1.Secret{})
}

func main() {
	listed := map[string]cache.Config{"system": {}}
	for ns := range strings.SplitSeq(os.Getenv("WATCH_NAMESPACES"), ",") {
		listed[ns] = cache.Config{}
	}
	start(ctrl.Options{Cache: cache.Options{DefaultNamespaces: listed}})
}

func start(options ctrl.Options) {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), options)
	if err != nil {
		os.Exit(1)
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(&Reconciler{mgr.GetClient()}); err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}
