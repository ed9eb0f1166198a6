// Package transform has functions that change objects before they enter a
// cache.
package transform

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Right.

func factory(c kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(c, 0, informers.WithTransform(trim))
}

func trim(obj any) (any, error) {
	if m, err := meta.Accessor(obj); err == nil {
		m.SetManagedFields(nil)
	}
	if pod, ok := obj.(*corev1.Pod); ok {
		strip(pod)
	}
	return obj, nil
}

func strip(pod *corev1.Pod) {
	pod.Spec = corev1.PodSpec{}
	delete(pod.Annotations, "a")
}

func set(informer cache.SharedIndexInformer) error {
	return informer.SetTransform(func(obj any) (any, error) {
		obj.(*corev1.Pod).Status = corev1.PodStatus{}
		return obj, nil
	})
}

func made(namespace string) cache.TransformFunc {
	return func(obj any) (any, error) {
		pod := obj.(*corev1.Pod)
		if pod.Namespace != namespace {
			strip(pod)
		}
		return pod, nil
	}
}

func options() ctrlcache.Options {
	return ctrlcache.Options{
		DefaultTransform: trim,
		ByObject:         map[client.Object]ctrlcache.ByObject{&corev1.Pod{}: {Transform: made("a")}},
	}
}
