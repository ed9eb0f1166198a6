// Command optioned has the options of its manager from another package, which may keep kinds out of the
// cache: to get them is enough.
package main

import (
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/rbac/optioned/settings"
)

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get

// Reconciler reads by the manager's client.
type Reconciler struct{ client.Client }

// Reconcile makes it so.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, r.Get(ctx, req.NamespacedName, &corev1.Secret{})
}

func main() {
	options := (&settings.Settings{Probes: ":8081"}).Options()
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
