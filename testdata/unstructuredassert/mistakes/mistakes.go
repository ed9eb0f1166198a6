// Package mistakes asserts what unstructured objects need not have.
package mistakes

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func status(u *unstructured.Unstructured) bool {
	return u.Object["status"].(map[string]any)["ready"].(bool) // want `this panics on the first object without status: the assertion is unchecked; use unstructured\.NestedMap \(unstructuredassert/unchecked\)`
}

func read(ctx context.Context, c client.Client, key client.ObjectKey) (string, error) {
	u := new(unstructured.Unstructured)
	u.SetAPIVersion("example.com/v1")
	u.SetKind("Backup")
	if err := c.Get(ctx, key, u); err != nil {
		return "", err
	}
	spec, ok := u.Object["spec"].(map[string]interface{})
	if !ok {
		return "", nil
	}
	return spec["schedule"].(string), nil // want `hygiene: this panics on the first object without spec\.schedule: the assertion is unchecked.*unstructuredassert/unchecked`
}

func dynamicClient(ctx context.Context, c dynamic.ResourceInterface) error {
	list, err := c.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, item := range list.Items {
		_ = item.Object["metadata"].(map[string]any)["labels"].(map[string]any) // want `this panics on the first object without metadata\.labels: the assertion is unchecked.*unstructuredassert/unchecked`
	}
	for i := range list.Items {
		_ = list.Items[i].UnstructuredContent()["status"].(map[string]any) // want `this panics on the first object without status: the assertion is unchecked.*unstructuredassert/unchecked`
	}
	return nil
}

func elements(u *unstructured.Unstructured) []string {
	var names []string
	secrets, found, _ := unstructured.NestedSlice(u.Object, "secrets")
	if !found {
		return nil
	}
	for i := range secrets {
		names = append(names, secrets[i].(map[string]any)["name"].(string)) // want `this panics on the first object without secrets\[\]\.name: the assertion is unchecked.*unstructuredassert/unchecked`
	}
	return names
}

func leftOut(u *unstructured.Unstructured) []any {
	secrets, found, _ := unstructured.NestedSlice(u.Object, "secrets")
	if found {
		for i := 0; i < len(secrets); i++ {
			if secrets[i].(map[string]any)["name"].(string) == "old" { // want `this panics on the first object without secrets\[\]\.name: the assertion is unchecked.*unstructuredassert/unchecked`
				secrets = append(secrets[:i], secrets[i+1:]...)
			}
		}
	}
	return secrets
}

func noCopyResult(u *unstructured.Unstructured) map[string]any {
	status, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status")
	return status.(map[string]any) // want `this panics on the first object without status: the assertion is unchecked.*unstructuredassert/unchecked`
}

// handle is called by an informer.
func handle(informer cache.SharedIndexInformer, update func(int64)) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			u := obj.(*unstructured.Unstructured)
			update(u.Object["status"].(map[string]any)["observedGeneration"].(int64)) // want `this panics on the first object without status: the assertion is unchecked.*unstructuredassert/unchecked`
		},
	})
}

func watched(events watch.Interface, seen map[string]bool) {
	for event := range events.ResultChan() {
		u, ok := event.Object.(*unstructured.Unstructured)
		if !ok {
			continue
		}
		seen[u.Object["status"].(map[string]any)["phase"].(string)] = true // want `this panics on the first object without status: the assertion is unchecked.*unstructuredassert/unchecked`
	}
}

func otherBranch(u *unstructured.Unstructured) any {
	if _, found, _ := unstructured.NestedMap(u.Object, "status"); !found {
		return u.Object["status"].(map[string]any) // want `this panics on the first object without status: the assertion is unchecked.*unstructuredassert/unchecked`
	}
	return nil
}

func otherField(u *unstructured.Unstructured) string {
	if _, found, err := unstructured.NestedString(u.Object, "status", "phase"); !found || err != nil {
		return ""
	}
	return u.Object["status"].(map[string]any)["message"].(string) // want `this panics on the first object without status\.message: the assertion is unchecked.*unstructuredassert/unchecked`
}

// phase is given a part of the content.
func phase(status map[string]any) string {
	return status["phase"].(string) // want `this panics on the first object without status\.phase: the assertion is unchecked.*unstructuredassert/unchecked`
}

func passesOn(u *unstructured.Unstructured) string {
	status, found, _ := unstructured.NestedMap(u.Object, "status")
	if !found {
		return ""
	}
	return phase(status)
}

// Numbers.

func replicas(u *unstructured.Unstructured) int {
	spec, ok := u.Object["spec"].(map[string]any)
	if !ok {
		return 0
	}
	if n, ok := spec["replicas"].(int); ok { // want `spec\.replicas is never seen: numbers in its content are int64 or float64, not int; use unstructured\.NestedInt64 \(unstructuredassert/number\)`
		return n
	}
	return int(spec["min"].(int32)) // want `this panics on each object with spec\.min: numbers in its content are int64 or float64, not int32.*unstructuredassert/number`
}

func element(u *unstructured.Unstructured) (total int) {
	ports, _, _ := unstructured.NestedSlice(u.Object, "spec", "ports")
	for _, p := range ports {
		if n, ok := p.(int); ok { // want `spec\.ports\[\] is never seen: numbers in its content are int64 or float64, not int.*unstructuredassert/number`
			total += n
		}
	}
	return total
}

// The loop may have no round, or leave before it has set anything.
func setInLoops(u *unstructured.Unstructured, names []string) map[string]any {
	for _, name := range names {
		u.Object["status"] = map[string]any{"name": name}
	}
	return u.Object["status"].(map[string]any) // want `this panics on the first object without status.*unstructuredassert/unchecked`
}

func setAfterBreak(u *unstructured.Unstructured, stop func() bool) map[string]any {
	for _, name := range []string{"first", "second"} {
		if stop() {
			break
		}
		u.Object["status"] = map[string]any{"name": name}
	}
	return u.Object["status"].(map[string]any) // want `this panics on the first object without status.*unstructuredassert/unchecked`
}

// reference asserts fields of one map: who mends one mends all.
func reference(ctx context.Context, c dynamic.ResourceInterface) (kind, version string, err error) {
	u, err := c.Get(ctx, "template", metav1.GetOptions{})
	if err != nil {
		return "", "", err
	}
	target, found, err := unstructured.NestedMap(u.Object, "spec", "target")
	if err != nil || !found {
		return "", "", err
	}
	kind = target["kind"].(string) // want `hygiene: this panics on the first object without spec\.target\.kind`
	version = target["apiVersion"].(string)
	return kind, version, nil
}
