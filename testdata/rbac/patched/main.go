// Command patched patches what it has read, by CreateOrPatch.
package main

import (
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch
// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups/status,verbs=get;patch
// +kubebuilder:rbac:groups="",resources=nodes;namespaces,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=nodes/status;namespaces/status,verbs=patch

// Reconciler says how backups and nodes are.
type Reconciler struct{ client.Client }

// Reconcile sets what was seen.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backups v1.BackupList
	if err := r.List(ctx, &backups, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	for i := range backups.Items {
		backup := &backups.Items[i]
		// The rest is as it was, and not sent.
		if _, err := controllerutil.CreateOrPatch(ctx, r.Client, backup, func() error {
			if backup.Generation > 1 && backup.Name != "" {
				backup.Status.Phase = v1.BackupRunning
			}
			return nil
		}); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := r.label(ctx, req); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.hand(ctx, req)
}

// label changes more than the status.
func (r *Reconciler) label(ctx context.Context, req ctrl.Request) error {
	node := &corev1.Node{}
	node.Name = req.Name
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, node, func() error { // want `^hygiene: controllerutil\.CreateOrPatch is always forbidden: no role grants create and patch of nodes; .*rbac/missing-verb`
		node.Labels = map[string]string{"seen": "yes"}
		node.Status.Phase = corev1.NodeRunning
		return nil
	})
	return err
}

// hand lets another function change the object.
func (r *Reconciler) hand(ctx context.Context, req ctrl.Request) error {
	namespace := &corev1.Namespace{}
	namespace.Name = req.Namespace
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, namespace, func() error { // want `^hygiene: controllerutil\.CreateOrPatch is always forbidden: no role grants create and patch of namespaces; .*rbac/missing-verb`
		namespace.Status.Phase = corev1.NamespaceActive
		mark(namespace)
		return nil
	})
	return err
}

func mark(namespace *corev1.Namespace) { namespace.Annotations = map[string]string{"seen": "yes"} }

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
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
