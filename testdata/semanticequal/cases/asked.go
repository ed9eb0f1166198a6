package cases

import (
	"context"
	"encoding/json"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The write asks once more, and rightly.
func (r *reconciler) asksAgain(ctx context.Context, found *appsv1.Deployment, status *appsv1.DeploymentStatus) error {
	if reflect.DeepEqual(found.Status, status) { // want `hygiene: this is never equal.*semanticequal/other-type`
		return nil
	}
	updated := found.DeepCopy()
	updated.Status = *status
	if !reflect.DeepEqual(updated.Status, found.Status) {
		return r.Status().Update(ctx, updated)
	}
	return nil
}

// The write asks once more, as wrongly.
func (r *reconciler) asksAgainWrongly(ctx context.Context, found *appsv1.Deployment, status *appsv1.DeploymentStatus) error {
	if reflect.DeepEqual(found.Status, status) { // want `load: this is never equal.*semanticequal/other-type`
		return nil
	}
	updated := found.DeepCopy()
	updated.Status = *status
	if !reflect.DeepEqual(found.Status, &updated.Status) {
		return r.Status().Update(ctx, updated)
	}
	return nil
}

// The write asks about another object.
func (r *reconciler) asksElsewhere(ctx context.Context, found, other, third *appsv1.Deployment, status *appsv1.DeploymentStatus) error {
	if reflect.DeepEqual(found.Status, status) { // want `load: this is never equal.*semanticequal/other-type`
		return nil
	}
	found.Status = *status
	if !reflect.DeepEqual(other.Spec, third.Spec) {
		return r.Status().Update(ctx, found)
	}
	return nil
}

// What differs is gathered, and nothing is sent if that is nothing.
func (r *reconciler) gathers(ctx context.Context, found *appsv1.Deployment) error {
	before := found.Spec.DeepCopy()
	r.prepare(found)
	if !reflect.DeepEqual(before, found.Spec) { // want `hygiene: this is never equal.*semanticequal/other-type`
		changes := make(map[string]any)
		if before.Paused != found.Spec.Paused {
			changes["paused"] = found.Spec.Paused
		}
		if len(changes) > 0 {
			data, err := json.Marshal(map[string]any{"spec": changes})
			if err != nil {
				return err
			}
			return r.Patch(ctx, found, client.RawPatch(types.MergePatchType, data))
		}
	}
	return nil
}

// What goes wrong is gathered, and all is sent if that is nothing.
func (r *reconciler) gathersFailures(ctx context.Context, found *appsv1.Deployment) error {
	before := found.Spec.DeepCopy()
	r.prepare(found)
	if !reflect.DeepEqual(before, found.Spec) { // want `load: this is never equal.*semanticequal/other-type`
		wrong := make([]string, 0)
		if found.Spec.Replicas == nil {
			wrong = append(wrong, "replicas")
		}
		if len(wrong) == 0 {
			return r.Update(ctx, found)
		}
	}
	return nil
}

func (r *reconciler) prepare(found *appsv1.Deployment) {
	found.Spec.Paused = found.Labels["paused"] == "true"
}
