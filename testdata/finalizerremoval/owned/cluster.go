package owned

import (
	"context"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// A cluster-scoped owner may have what has no namespace: that goes with it, and only strict, which
// does not ask for scopes, says otherwise.

func (r *reconciler) ensureBinding(ctx context.Context, cluster *v1.Cluster) error {
	controllerutil.AddFinalizer(cluster, v1.Finalizer)
	if err := r.Update(ctx, cluster); err != nil {
		return err
	}
	return r.Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{
		Name:   cluster.Name,
		Labels: map[string]string{"cluster": cluster.Name},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: v1.GroupVersion.String(), Kind: "Cluster", Name: cluster.Name, UID: cluster.UID,
		}},
	}})
}

func (r *reconciler) finalizeCluster(ctx context.Context, cluster *v1.Cluster) error {
	if cluster.DeletionTimestamp.IsZero() {
		return r.ensureBinding(ctx, cluster)
	}
	r.deleteBindings(ctx, cluster)
	controllerutil.RemoveFinalizer(cluster, v1.Finalizer)
	return r.Update(ctx, cluster)
}

func (r *reconciler) deleteBindings(ctx context.Context, cluster *v1.Cluster) {
	var bindings rbacv1.ClusterRoleBindingList
	if err := r.List(ctx, &bindings, client.MatchingLabels{"cluster": cluster.Name}); err == nil {
		for _, binding := range bindings.Items {
			_ = r.Delete(ctx, &binding) // want `leak: Delete.s error is swallowed`
		}
	}
}
