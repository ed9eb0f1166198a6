// Package options builds a cache that hands out its own objects of one kind.
package options

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func options() cache.Options {
	return cache.Options{ByObject: map[client.Object]cache.ByObject{
		&corev1.Pod{}:    {UnsafeDisableDeepCopy: new(true)},
		&corev1.Secret{}: {},
	}}
}

type reconciler struct{ client.Client }

// Mistakes.

func (r *reconciler) pod(ctx context.Context, key client.ObjectKey) error {
	pod := &corev1.Pod{}
	if err := r.Get(ctx, key, pod); err != nil {
		return err
	}
	pod.Labels["a"] = "b" // want `^crash: crash if the map is read meanwhile: pod\.Labels\["a"\] is shared with the informer cache by a copy by value \(r\.Get without a copy, line \d+\).*cachemutation/uncopied-read`
	return r.Update(ctx, pod)
}

func (r *reconciler) pods(ctx context.Context) error {
	var pods corev1.PodList
	if err := r.List(ctx, &pods); err != nil {
		return err
	}
	for i := range pods.Items {
		pods.Items[i].Spec.Containers[0].Image = "a" // want `cachemutation/uncopied-read`
	}
	return nil
}

// Right.

func (r *reconciler) secret(ctx context.Context, key client.ObjectKey) error {
	var secret corev1.Secret
	if err := r.Get(ctx, key, &secret); err != nil {
		return err
	}
	secret.Labels["a"] = "b"
	return r.Update(ctx, &secret)
}

func (r *reconciler) copiedPod(ctx context.Context, key client.ObjectKey) error {
	var pod corev1.Pod
	if err := r.Get(ctx, key, &pod); err != nil {
		return err
	}
	pod.Status.Message = "own"
	changed := pod.DeepCopy()
	changed.Labels["a"] = "b"
	return r.Update(ctx, changed)
}
