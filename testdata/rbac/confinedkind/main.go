// Command confinedkind keeps the Secrets of one namespace, and other kinds of all.
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

// want +3 `^hygiene: a stolen token can read secrets in all namespaces, and the cache holds some .*rbac/cluster-wide`

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=secrets;configmaps;services;pods,verbs=get;list;watch;update

// Reconciler reads from the cache, and writes.
type Reconciler struct{ client.Client }

// Reconcile makes it so.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	for _, obj := range []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}, &corev1.Service{}, &corev1.Pod{}} {
		if err := r.Get(ctx, req.NamespacedName, obj); err != nil {
			return ctrl.Result{}, err
		}
		if err := r.Update(ctx, obj); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, nil
}

func main() {
	byObject := map[client.Object]cache.ByObject{
		&corev1.Secret{}:    {Namespaces: map[string]cache.Config{"system": {}}},
		&corev1.ConfigMap{}: {Namespaces: map[string]cache.Config{"system": {}, cache.AllNamespaces: {}}},
		&corev1.Service{}:   {Namespaces: map[string]cache.Config{os.Getenv("WATCH_NAMESPACE"): {}}},
	}
	if os.Getenv("PODS") != "" {
		byObject[&corev1.Pod{}] = cache.ByObject{Namespaces: map[string]cache.Config{"system": {}}}
	}
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{Cache: cache.Options{ByObject: byObject}})
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
