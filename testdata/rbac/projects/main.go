// Command projects asks for OpenShift projects, of which it becomes the admin, and works in
// them.
package main

import (
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch
// +kubebuilder:rbac:groups=project.openshift.io,resources=projectrequests,verbs=create
// +kubebuilder:rbac:groups="",resources=services,verbs=get

// Reconciler has a project for each backup.
type Reconciler struct {
	client.Client
	Clients kubernetes.Interface
	Dynamic dynamic.Interface
}

// Reconcile makes the project and what belongs into it.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	request := &unstructured.Unstructured{}
	request.SetGroupVersionKind(schema.GroupVersionKind{Group: "project.openshift.io", Version: "v1", Kind: "ProjectRequest"})
	request.SetName(backup.Name)
	if err := r.Create(ctx, request); err != nil {
		return ctrl.Result{}, client.IgnoreAlreadyExists(err)
	}
	for _, step := range []func(context.Context, string) error{r.inside, r.typed, r.untyped, r.outside} {
		if err := step(ctx, backup.Name); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, nil
}

// The role of an admin may have all of this.
func (r *Reconciler) inside(ctx context.Context, project string) error {
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: project}}
	if err := r.Create(ctx, settings); err != nil { // want `^hygiene: r\.Create is forbidden outside of the projects that the program makes: no role grants create of configmaps; if it is for others, add a marker .*rbac/missing-resource`
		return err
	}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "store", Namespace: project}}
	return r.Delete(ctx, service) // want `^hygiene: r\.Delete is forbidden outside of .*: no role grants delete of services; if it is for others, add it to the marker .*rbac/missing-verb`
}

func (r *Reconciler) typed(ctx context.Context, project string) error {
	_, err := r.Clients.CoreV1().Pods(project).List(ctx, metav1.ListOptions{}) // want `^hygiene: List is forbidden outside of .*: no role grants list of pods; .*rbac/missing-resource`
	return err
}

func (r *Reconciler) untyped(ctx context.Context, project string) error {
	quotas := r.Dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "limitranges"})
	return quotas.Namespace(project).Delete(ctx, "limits", metav1.DeleteOptions{}) // want `^hygiene: Delete is forbidden outside of .*: no role grants delete of limitranges; .*rbac/missing-resource`
}

// All this is of the whole cluster.
func (r *Reconciler) outside(ctx context.Context, project string) error {
	if _, err := r.Clients.CoreV1().Secrets(metav1.NamespaceAll).List(ctx, metav1.ListOptions{}); err != nil { // want `^stuck: List is always forbidden: no role grants list of secrets; .*rbac/missing-resource`
		return err
	}
	if err := r.Clients.CoreV1().Nodes().Delete(ctx, project, metav1.DeleteOptions{}); err != nil { // want `^stuck: Delete is always forbidden: no role grants delete of nodes; .*rbac/missing-resource`
		return err
	}
	if err := r.List(ctx, &corev1.EndpointsList{}, client.InNamespace(project)); err != nil { // want `^stuck: r\.List waits for an informer that never syncs: no role grants list and watch of endpoints; .*rbac/missing-resource`
		return err
	}
	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: project}}
	return r.Create(ctx, volume) // want `^stuck: r\.Create is always forbidden: no role grants create of persistentvolumes; .*rbac/missing-resource`
}

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	if err != nil {
		os.Exit(1)
	}
	r := &Reconciler{mgr.GetClient(), kubernetes.NewForConfigOrDie(mgr.GetConfig()), dynamic.NewForConfigOrDie(mgr.GetConfig())}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r); err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}
