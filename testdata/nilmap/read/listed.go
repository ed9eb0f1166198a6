package read

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// The helper is handed a list of all that there are.
func (r *reconciler) listedBefore(ctx context.Context) error {
	var list corev1.ReplicationControllerList
	if err := r.List(ctx, &list); err != nil {
		return err
	}
	for i := range list.Items {
		markAllListed(&list, i)
	}
	return nil
}

func markAllListed(list *corev1.ReplicationControllerList, i int) {
	list.Items[i].Labels["read"] = "true" // want `this panics on the first ReplicationController without labels`
}
