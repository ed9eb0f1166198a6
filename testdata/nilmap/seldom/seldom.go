// Package seldom stores entries into maps that are seldom nil.
package seldom

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	duckv1 "knative.dev/pkg/apis/duck/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type reconciler struct{ client.Client }

// Kubernetes puts annotations on each node; of what kind partial metadata is, the
// type does not say.
func (r *reconciler) partial(ctx context.Context, key types.NamespacedName) error {
	node := &metav1.PartialObjectMetadata{}
	node.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Node"))
	if err := r.Get(ctx, key, node); err != nil {
		return err
	}
	base := node.DeepCopy()
	node.Annotations["capacity"] = "1"
	return r.Patch(ctx, node, client.MergeFrom(base))
}

// What is stored comes out of another map, which all callers leave empty.
func (r *reconciler) copied(ctx context.Context, key types.NamespacedName, desired *corev1.ConfigMap) error {
	current := &corev1.ConfigMap{}
	if err := r.Get(ctx, key, current); err != nil {
		return err
	}
	for k, v := range desired.Annotations {
		current.Annotations[k] = v
	}
	maps.Copy(current.Labels, desired.Labels)
	return r.Update(ctx, current)
}

// The ConfigMap is shipped with the entry that is changed here.
func (r *reconciler) policies(ctx context.Context, key types.NamespacedName, policy string) error {
	config := &corev1.ConfigMap{}
	if err := r.Get(ctx, key, config); err != nil {
		return err
	}
	config.Data["policy.csv"] = policy
	return r.Update(ctx, config)
}

// The webhook of another project fills in the annotations of its kind.
func (r *reconciler) ofOthers(ctx context.Context, key types.NamespacedName) error {
	service := &duckv1.KResource{}
	if err := r.Get(ctx, key, service); err != nil {
		return err
	}
	service.Annotations["promoted"] = "true"
	return r.Update(ctx, service)
}

// The same, with a helper that stores what it is given.
func (r *reconciler) copiedByHelper(ctx context.Context, key types.NamespacedName, desired *corev1.ConfigMap) error {
	current := &corev1.ConfigMap{}
	if err := r.Get(ctx, key, current); err != nil {
		return err
	}
	for k, v := range desired.Annotations {
		putAnnotation(current, k, v)
	}
	for k, v := range desired.Labels {
		func() { current.Labels[k] = v }()
	}
	return r.Update(ctx, current)
}

func putAnnotation(config *corev1.ConfigMap, key, value string) { config.Annotations[key] = value }

// Whoever made it, a node, a pod or a claim that is in use has annotations by then.
func (r *reconciler) inUse(ctx context.Context, key types.NamespacedName) error {
	var nodes corev1.NodeList
	if err := r.List(ctx, &nodes); err != nil {
		return err
	}
	for i := range nodes.Items {
		nodes.Items[i].Annotations["repaired"] = "true"
	}
	claim := &corev1.PersistentVolumeClaim{}
	if err := r.Get(ctx, key, claim); err != nil {
		return err
	}
	claim.Annotations["protected"] = "true"
	pod := &corev1.Pod{}
	if err := r.Get(ctx, key, pod); err != nil {
		return err
	}
	pod.Annotations["seen"] = "true"
	return r.Update(ctx, claim)
}
