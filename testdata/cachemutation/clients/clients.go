// Package clients has objects that controller-runtime's client read.
package clients

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type reconciler struct{ client.Client }

// Mistakes.

func (r *reconciler) uncopied(ctx context.Context) error {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	for i := range pods.Items {
		pods.Items[i].Labels["a"] = "b" // want `^crash: crash if the map is read meanwhile: .* is shared with the informer cache by a copy by value \(r\.List without a copy, line \d+\).*cachemutation/uncopied-read`
	}
	return nil
}

func (r *reconciler) uncopiedByOptions(ctx context.Context) error {
	pods := &corev1.PodList{}
	if err := r.List(ctx, pods, client.InNamespace("a"), &client.ListOptions{UnsafeDisableDeepCopy: new(true)}); err != nil {
		return err
	}
	for _, pod := range pods.Items {
		pod.Spec.Containers[0].Image = "a" // want `cachemutation/uncopied-read`
	}
	return nil
}

// Right.

func (r *reconciler) copied(ctx context.Context, key client.ObjectKey) error {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return err
	}
	pod.Labels["a"] = "b"
	var pods corev1.PodList
	if err := r.List(ctx, &pods); err != nil {
		return err
	}
	for i := range pods.Items {
		pods.Items[i].Labels["a"] = "b"
	}
	return r.Update(ctx, &pod)
}

func (r *reconciler) ownPart(ctx context.Context) error {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	for i := range pods.Items {
		pods.Items[i].Status.Phase = ""
		pods.Items[i].Labels = nil
	}
	return r.List(ctx, &pods)
}

func (r *reconciler) readAgain(ctx context.Context) error {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	if err := r.List(ctx, &pods); err != nil {
		return err
	}
	pods.Items[0].Labels["a"] = "b"
	return nil
}
