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

// trimmer has its transform function as a method.
type trimmer struct{ keep string }

func (t *trimmer) trim(obj any) (any, error) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return obj, nil
	}
	for key := range pod.Annotations {
		if key != t.keep {
			delete(pod.Annotations, key)
		}
	}
	pod.ManagedFields = nil
	return pod, nil
}

func (t *trimmer) set(factory informers.SharedInformerFactory) error {
	return factory.Core().V1().Pods().Informer().SetTransform(t.trim)
}

// chained runs several over one object.
func chained(all ...cache.TransformFunc) cache.TransformFunc {
	return func(obj any) (any, error) {
		for _, transform := range all {
			var err error
			if obj, err = transform(obj); err != nil {
				return nil, err
			}
		}
		return obj, nil
	}
}

func chainedOptions(t *trimmer) ctrlcache.Options {
	return ctrlcache.Options{DefaultTransform: chained(trim, t.trim, ctrlcache.TransformStripManagedFields())}
}
