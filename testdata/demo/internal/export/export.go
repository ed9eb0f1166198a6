// Package export tells the outside what the operator runs: the monitoring
// operator, and clusters that restore backups.
package export

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

// Archive has the kinds that backups are exported as.
var Archive = runtime.NewScheme()

func init() {
	_ = v1alpha1.AddToScheme(Archive)
	Archive.AddKnownTypes(schema.GroupVersion{Group: v1alpha1.GroupVersion.Group, Version: "v1beta1"}, &v1alpha1.CacheBackup{})
}

// Reconciler follows the endpoints of caches.
type Reconciler struct {
	client.Client
}

// Reconcile looks at the endpoints of a cache's service.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := discoveryv1.AddToScheme(r.Scheme()); err != nil {
		return ctrl.Result{}, fmt.Errorf("registering endpoint slices: %w", err)
	}
	var slices discoveryv1.EndpointSliceList
	if err := r.List(ctx, &slices, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, fmt.Errorf("listing the endpoints of %s: %w", req, err)
	}
	return ctrl.Result{}, nil
}

// SetupWithManager registers the reconciler.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("export").For(&corev1.Service{}).Complete(r)
}
