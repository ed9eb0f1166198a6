package read

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/nilmap/read/lib"
)

// A generic client of the module's own, here and in another package.
func byGeneric(ctx context.Context, backups lib.Resources[*v1.Backup], ns, name string) error {
	backup, err := backups.Get(ctx, ns, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	backup.Annotations["read"] = "true" // want `crash: this panics on the first Backup without annotations`
	_, err = backups.Update(ctx, backup, metav1.UpdateOptions{})
	return err
}

func byGenericElsewhere(ctx context.Context, live *lib.Live, key client.ObjectKey) (*v1.Backup, error) {
	backup, err := live.Backup(ctx, key)
	if err != nil {
		return nil, err
	}
	backup.Labels["read"] = "true" // want `crash: this panics on the first Backup without labels`
	return backup, nil
}

// Objects of any kind, from a dynamic client and from the caches of dynamic informers.
func anyKind(ctx context.Context, objects dynamic.ResourceInterface, name string) error {
	obj, err := objects.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	annotations := obj.GetAnnotations()
	annotations["read"] = "true" // want `crash: this panics on the first object without annotations`
	obj.SetAnnotations(annotations)
	_, err = objects.Update(ctx, obj, metav1.UpdateOptions{})
	return err
}

func fromCaches(lister cache.GenericLister) []runtime.Object {
	objs, err := lister.List(labels.Everything())
	if err != nil {
		return nil
	}
	return withCluster(objs, "one")
}

func withCluster(objs []runtime.Object, cluster string) []runtime.Object {
	var named []runtime.Object
	for i := range objs {
		obj := objs[i].(*unstructured.Unstructured).DeepCopy()
		annotations := obj.GetAnnotations()
		annotations["cluster"] = cluster // want `crash: this panics on the first object without annotations`
		obj.SetAnnotations(annotations)
		named = append(named, obj)
	}
	return named
}

// A helper changes a copy of what it is handed.
func copied(ctx context.Context, objects dynamic.ResourceInterface, name string) (*unstructured.Unstructured, error) {
	obj, err := objects.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return overwriting(obj), nil
}

func overwriting(obj *unstructured.Unstructured) *unstructured.Unstructured {
	changed := obj.DeepCopy()
	annotations := changed.GetAnnotations()
	if _, ok := annotations["conflict"]; !ok {
		annotations["conflict"] = "overwrite" // want `crash: this panics on the first object without annotations`
		changed.SetAnnotations(annotations)
	}
	return changed
}

// Traps: what a client of that shape keeps in memory is not what was sent.
func fromMemory(backups lib.Caches[*v1.Backup], ns, name string) (*v1.Backup, error) {
	backup, err := backups.Lookup(ns, name)
	if err != nil {
		return nil, err
	}
	backup.Annotations["read"] = "true"
	return backup, nil
}

// The map is made if there is none.
func anyKindSafely(ctx context.Context, objects dynamic.ResourceInterface, name string) error {
	obj, err := objects.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	annotations := obj.GetAnnotations()
	if annotations == nil {
		annotations = make(map[string]string)
	}
	annotations["read"] = "true"
	obj.SetAnnotations(annotations)
	_, err = objects.Update(ctx, obj, metav1.UpdateOptions{})
	return err
}

// It is set before, by the function or by who calls the helper.
func anyKindSet(ctx context.Context, objects dynamic.ResourceInterface, name string) error {
	obj, err := objects.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	obj.SetLabels(map[string]string{"app": name})
	found := obj.GetLabels()
	found["read"] = "true"
	obj.SetLabels(found)
	obj.SetAnnotations(map[string]string{"by": "me"})
	_, err = objects.Update(ctx, annotated(obj), metav1.UpdateOptions{})
	return err
}

func annotated(obj *unstructured.Unstructured) *unstructured.Unstructured {
	annotations := obj.GetAnnotations()
	annotations["read"] = "true"
	obj.SetAnnotations(annotations)
	return obj
}

// Objects that are put together have what the code gives them.
func put() *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"annotations": map[string]any{"a": "b"}}}}
	annotations := obj.GetAnnotations()
	annotations["read"] = "true"
	obj.SetAnnotations(annotations)
	return obj
}

// Whoever calls this knows what it hands over.
func Given(obj *unstructured.Unstructured) {
	annotations := obj.GetAnnotations()
	annotations["read"] = "true"
	obj.SetAnnotations(annotations)
}
