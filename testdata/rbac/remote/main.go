// Command remote works in other clusters, too: what it may do there is not in its
// markers.
package main

import (
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch

// Reconciler copies to another cluster.
type Reconciler struct{ client.Client }

// Reconcile reads the address of the other cluster from a Secret.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var secret corev1.Secret
	if err := r.Get(ctx, req.NamespacedName, &secret); err != nil { // want `^stuck: r\.Get waits for an informer that never syncs: no role grants list and watch of secrets; .*rbac/missing-resource`
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"])
	if err != nil {
		return ctrl.Result{}, err
	}
	other, err := client.New(config, client.Options{})
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := other.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: req.Name}}); err != nil {
		return ctrl.Result{}, err
	}
	_, err = kubernetes.NewForConfigOrDie(config).CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	return ctrl.Result{}, err
}

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	if err != nil {
		os.Exit(1)
	}
	err = ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(&Reconciler{mgr.GetClient()})
	if err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}
