// Command confined keeps objects of its own namespace, and may read those of all.
package main

import (
	"context"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The patterns are about the lines below.
//
// want +4 `^hygiene: a stolen token can read backups in all namespaces, and the cache holds some \(confined/main\.go:66\); grant reading by namespace= .*rbac/cluster-wide`
//
// want +3 `^hygiene: a stolen token can read secrets in all namespaces, and the cache holds some .*rbac/cluster-wide`

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=secrets;namespaces,verbs=get;list;watch

// What is read past the cache, in a namespace that nobody knows, or by name.
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=services,resourceNames=front,verbs=get;list;watch
// +kubebuilder:rbac:groups="",namespace=system,resources=services,verbs=get;list;watch

// What is only written.
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=create
// +kubebuilder:rbac:groups=apps,namespace=system,resources=deployments,verbs=list;watch

// Reconciler reads from the cache, and writes.
type Reconciler struct {
	client.Client
	Live client.Reader
}

// Reconcile makes it so.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	for _, obj := range []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}, &corev1.Service{}, &appsv1.Deployment{}} {
		if err := r.Get(ctx, req.NamespacedName, obj); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := r.Get(ctx, client.ObjectKey{Name: req.Namespace}, &corev1.Namespace{}); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Live.Get(ctx, req.NamespacedName, &corev1.ConfigMap{}); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Create(ctx, &appsv1.Deployment{})
}

func main() {
	ns := os.Getenv("POD_NAMESPACE")
	if ns == "" {
		ns = "system"
	}
	home := os.Getenv("HOME_NAMESPACE")
	if home == "" {
		panic("HOME_NAMESPACE is not set")
	}
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{ns: {}, home: {}, "tenant-" + os.Getenv("TENANT"): {}}},
	})
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
