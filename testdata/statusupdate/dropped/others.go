package dropped

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The status of a kind of others its own controller sets a moment later.
func (r *reconciler) createdWithStatusOfOthers(ctx context.Context, name string) error {
	workload := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name}}
	workload.Status.Replicas = 1
	return r.Create(ctx, workload) // want `^hygiene: status set .* is dropped: Create stores the Deployment without its status`
}
