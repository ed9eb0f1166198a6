// Command namespaced watches all namespaces, and may do so in one of them.
package main

import (
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch
// +kubebuilder:rbac:groups="",namespace=system,resources=configmaps;secrets,verbs=get;list;watch;create

// Reconciler reads from the cache, and writes.
type Reconciler struct {
	client.Client
	Live client.Reader
}

// Reconcile makes it so.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Get(ctx, req.NamespacedName, &corev1.ConfigMap{}); err != nil { // want `^stuck: r\.Get waits for an informer that never syncs: no ClusterRole grants list and watch of configmaps; .*rbac/missing-resource`
		return ctrl.Result{}, err
	}
	// The namespace of what is written, or read without the cache, is not known.
	if err := r.Live.Get(ctx, req.NamespacedName, &corev1.Secret{}); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Create(ctx, &corev1.ConfigMap{})
}

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		// Only the Secrets are limited.
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{&corev1.Secret{}: {Namespaces: map[string]cache.Config{"system": {}}}}},
	})
	if err != nil {
		os.Exit(1)
	}
	r := &Reconciler{mgr.GetClient(), mgr.GetAPIReader()}
	err = ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}).Complete(r)
	if err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}
