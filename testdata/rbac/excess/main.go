// Command excess has markers that grant too much, and some that grant nothing.
package main

import (
	"context"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The patterns are about the lines below.
//
// want +7 `^hygiene: a stolen token can do more than the program: the marker grants \*, and list, watch and delete would do .*rbac/wildcard`
//
// want +6 `^hygiene: a stolen token can do more than the program, which never uses cronjobs; remove it from the marker .*rbac/unused`
//
// want +5 `^hygiene: a stolen token can do more than the program, which never uses ingresses; remove it from the marker .*rbac/unused`

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch;update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=*
// +kubebuilder:rbac:groups=batch,resources=cronjobs,verbs=get;list;watch
// +kubebuilder:rbac:groups=networking.k8s.io,resources=ingresses,verbs=get
// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups/finalizers,verbs=update
// +kubebuilder:rbac:groups=policy,resources=podsecuritypolicies,verbs=use
// +kubebuilder:rbac:urls=/metrics,verbs=get

// want +6 `^hygiene: the marker grants nothing on persistentvolumerclaims, which Kubernetes does not have in the group; it has persistentvolumeclaims .*rbac/misspelling`
//
// want +4 `^hygiene: the marker grants nothing on replicasets, which Kubernetes does not have in the group; it has replicasets\.apps .*rbac/misspelling`
//
// want +3 `^hygiene: the marker grants nothing on service, which Kubernetes does not have in the group; it has services .*rbac/misspelling`

// +kubebuilder:rbac:groups="",resources=persistentvolumerclaims;replicasets,verbs=*
// +kubebuilder:rbac:groups=core,resources=service/proxy,verbs=use
// +kubebuilder:rbac:groups="";apps,resources=statefulsets;pods,verbs=use
// +kubebuilder:rbac:groups=custom.metrics.k8s.io,resources=pod,verbs=use
// +kubebuilder:rbac:groups="",resources=external,verbs=use

// Reconciler has markers in its documentation.
// want +1 `^loss: this marker grants nothing: controller-gen v0\.23 skips what is in the documentation of Reconciler; put an empty line after it .*rbac/inert-marker`
// +kubebuilder:rbac:groups="",resources=secrets,verbs=create
type Reconciler struct {
	// want +1 `^hygiene: this marker grants nothing: controller-gen v0\.23 skips what is in the documentation of a field; .*rbac/inert-marker`
	// +kubebuilder:rbac:groups="",resources=nodes,verbs=get
	client.Client
}

// +kubebuilder:rbac:groups="",resources=services,verbs=create

// Reconcile makes it so. What follows is granted elsewhere, too, and it needs neither nodes nor pods.
// want +1 `^hygiene: this marker grants nothing: controller-gen v0\.23 skips what is in the documentation of Reconcile; .*rbac/inert-marker`
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	// want +1 `^hygiene: 2 markers, from this one on, grant nothing: controller-gen v0\.23 skips what is in the body of Reconcile; put an empty line after them .*rbac/inert-marker`
	// +kubebuilder:rbac:groups="",resources=pods,verbs=get
	// +kubebuilder:rbac:groups="",resources=pods/log,verbs=get

	var backup v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	// The marker for Secrets is reported, and so this is not.
	if err := r.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: req.Name}}); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Create(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: req.Name}}); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Update(ctx, &backup); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Delete(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: req.Name}})
}

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	if err != nil {
		os.Exit(1)
	}
	err = ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&appsv1.Deployment{}).Complete(&Reconciler{mgr.GetClient()})
	if err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}
