package traps

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The helper is handed a list that was read by labels.
func (r *reconciler) selectedBefore(ctx context.Context) error {
	var list corev1.ReplicationControllerList
	if err := r.List(ctx, &list, client.HasLabels{"app"}); err != nil {
		return err
	}
	for i := range list.Items {
		markSelected(&list, i)
	}
	return nil
}

func markSelected(list *corev1.ReplicationControllerList, i int) {
	list.Items[i].Labels["read"] = "true"
}
