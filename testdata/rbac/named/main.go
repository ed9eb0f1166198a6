// Command named may read some objects by their names, and lists none of them; and a rule of its has a
// version where only the group belongs.
package main

import (
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=roles,resourceNames=worker,verbs=get
// +kubebuilder:rbac:groups="",resources=configmaps,resourceNames=settings,verbs=get
// want +1 `never uses ingresses`
// +kubebuilder:rbac:groups=networking.k8s.io/v1,resources=ingresses,verbs=get;list;watch

// Reconciler reads from the cache, and past it.
type Reconciler struct {
	client.Client
	Live client.Reader
}

// Reconcile makes it so.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	worker := client.ObjectKey{Namespace: req.Namespace, Name: "worker"}
	if err := r.Get(ctx, worker, &rbacv1.Role{}); err != nil { // want `^stuck: r\.Get waits for an informer that never syncs: no role grants list and watch of roles; read it with mgr\.GetAPIReader\(\), as resourceNames allow`
		return ctrl.Result{}, err
	}
	if err := r.Get(ctx, req.NamespacedName, &networkingv1.Ingress{}); err != nil { // want `no role grants list and watch of ingresses(\.networking\.k8s\.io)?; take the version off the marker's group`
		return ctrl.Result{}, err
	}
	settings := client.ObjectKey{Namespace: req.Namespace, Name: "settings"}
	return ctrl.Result{}, r.Live.Get(ctx, settings, &corev1.ConfigMap{})
}

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	if err != nil {
		os.Exit(1)
	}
	r := &Reconciler{mgr.GetClient(), mgr.GetAPIReader()}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r); err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}
