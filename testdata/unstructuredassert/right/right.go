// Package right asserts what is there.
package right

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func guaranteed(u *unstructured.Unstructured) string {
	meta := u.Object["metadata"].(map[string]any)
	return u.Object["kind"].(string) + meta["name"].(string)
}

func checked(u *unstructured.Unstructured) string {
	status, ok := u.Object["status"].(map[string]any)
	if !ok {
		return ""
	}
	phase, _ := status["phase"].(string)
	return phase
}

func checkedBefore(u *unstructured.Unstructured) map[string]any {
	if _, ok := u.Object["status"].(map[string]any); !ok {
		return nil
	}
	return u.Object["status"].(map[string]any)
}

func nestedBefore(u *unstructured.Unstructured, v any) error {
	_, found, err := unstructured.NestedSlice(u.Object, "spec", "template", "http")
	if err != nil {
		return err
	}
	if !found {
		return nil
	}
	u.Object["spec"].(map[string]any)["template"].(map[string]any)["http"] = v
	return nil
}

func foundIsEnough(u *unstructured.Unstructured) map[string]any {
	if _, found, _ := unstructured.NestedString(u.Object, "status", "phase"); found {
		return u.Object["status"].(map[string]any)
	}
	return nil
}

func notNil(u *unstructured.Unstructured) []any {
	status, ok := u.Object["status"].(map[string]any)
	if !ok || status["conditions"] == nil {
		return nil
	}
	return status["conditions"].([]any)
}

func looked(u *unstructured.Unstructured) map[string]any {
	if status, ok := u.Object["status"]; ok {
		return status.(map[string]any)
	}
	return nil
}

func compared(u *unstructured.Unstructured) string {
	if u.Object["type"] == "Opaque" {
		return u.Object["type"].(string)
	}
	return ""
}

func typeSwitch(u *unstructured.Unstructured, path []string) (leaf string) {
	content := u.Object
	for i := range path {
		switch content[path[i]].(type) {
		case map[string]any:
			content = content[path[i]].(map[string]any)
		case string:
			return content[path[i]].(string)
		default:
			return ""
		}
	}
	return ""
}

func setBefore(u *unstructured.Unstructured) {
	u.Object["status"] = map[string]any{}
	u.Object["status"].(map[string]any)["phase"] = "Done"
}

func setNestedBefore(u *unstructured.Unstructured) map[string]any {
	_ = unstructured.SetNestedField(u.Object, "Done", "status", "phase")
	return u.Object["status"].(map[string]any)
}

func madeHere(name string) map[string]any {
	u := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"selector": map[string]any{"app": name}, "replicas": 3},
	}}
	spec := u.Object["spec"].(map[string]any)
	_ = spec["replicas"].(int)
	return spec["selector"].(map[string]any)
}

func template() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{}}}
}

func madeByHelper() map[string]any { return template().Object["status"].(map[string]any) }

// render is given what this package has made.
func render(u *unstructured.Unstructured) {
	u.Object["status"].(map[string]any)["phase"] = "Rendered"
}

func renderAll() { render(template()) }

// phaseOf is called where the status is known.
func phaseOf(u *unstructured.Unstructured) map[string]any {
	return u.Object["status"].(map[string]any)
}

func caller(u *unstructured.Unstructured) map[string]any {
	if _, found, _ := unstructured.NestedMap(u.Object, "status"); !found {
		return nil
	}
	return phaseOf(u)
}

func validate(u *unstructured.Unstructured) error {
	if u.Object["status"] == nil {
		return errors.New("no status")
	}
	return nil
}

func validated(u *unstructured.Unstructured) (map[string]any, error) {
	if err := validate(u); err != nil {
		return nil, err
	}
	return u.Object["status"].(map[string]any), nil
}

type typed struct{ Status struct{ Ready bool } }

func converted(u *unstructured.Unstructured) (map[string]any, error) {
	var t typed
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &t); err != nil {
		return nil, err
	}
	if !t.Status.Ready {
		return nil, nil
	}
	return u.Object["status"].(map[string]any), nil
}

func conditions(u *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		condition := c.(map[string]any)
		if condition["type"].(string) == "Ready" {
			return condition["status"].(string) == "True"
		}
	}
	return false
}

func containers(u *unstructured.Unstructured) (names []string) {
	list, _, _ := unstructured.NestedSlice(u.Object, "spec", "containers")
	for i := range list {
		names = append(names, list[i].(map[string]any)["name"].(string))
	}
	return names
}

func anyNumber(v any) int64 {
	switch n := v.(type) {
	case int:
		return int64(n)
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return 0
}

func defensive(u *unstructured.Unstructured) int64 {
	spec, _ := u.Object["spec"].(map[string]any)
	switch n := spec["replicas"].(type) {
	case int:
		return int64(n)
	case int64:
		return n
	}
	return anyNumber(spec["min"])
}

// A map of something else.
func settings(values map[string]any) string { return values["endpoint"].(string) }

func nilIsRead(u *unstructured.Unstructured) any {
	spec, _, _ := unstructured.NestedMap(u.Object, "spec")
	return spec["paused"]
}

func rangesOverNothing(u *unstructured.Unstructured) (n int) {
	rules, _, _ := unstructured.NestedSlice(u.Object, "spec", "rules")
	for range rules {
		n++
	}
	return n
}

func mapWasMade(u *unstructured.Unstructured) {
	labels, _, _ := unstructured.NestedMap(u.Object, "spec", "labels")
	if labels == nil {
		labels = make(map[string]any)
	}
	labels["a"] = "b"
}

func lengthIsKnown(u *unstructured.Unstructured) any {
	rules, _, _ := unstructured.NestedSlice(u.Object, "spec", "rules")
	if len(rules) == 0 {
		return nil
	}
	return rules[0]
}

func ownCopy(lister cache.GenericLister) error {
	obj, err := lister.Get("a")
	if err != nil {
		return err
	}
	u := obj.(*unstructured.Unstructured).DeepCopy()
	spec, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec")
	if m, ok := spec.(map[string]any); ok {
		m["paused"] = true
	}
	return nil
}

func ownObject(ctx context.Context, c client.Client, u *unstructured.Unstructured) error {
	if err := c.Get(ctx, client.ObjectKeyFromObject(u), u); err != nil {
		return err
	}
	list, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "list")
	if l, ok := list.([]any); ok && len(l) > 0 {
		l[0].(map[string]any)["image"] = "new"
	}
	return c.Update(ctx, u)
}

func spec(u *unstructured.Unstructured) map[string]any { return u.Object["spec"].(map[string]any) }

// References have names.
func reference(u *unstructured.Unstructured) string {
	ref, found, err := unstructured.NestedMap(u.Object, "spec", "provider", "routerRef")
	if err != nil || !found {
		return ""
	}
	return ref["name"].(string)
}

// A function has set it; a literal runs after the check.
func setByHelper(u *unstructured.Unstructured) map[string]any {
	setStatus(u)
	return u.Object["status"].(map[string]any)
}

func setStatus(u *unstructured.Unstructured) { u.Object["status"] = map[string]any{} }

func checkedAround(u *unstructured.Unstructured) map[string]any {
	if _, ok := u.Object["status"].(map[string]any); !ok {
		return nil
	}
	status := func() map[string]any { return u.Object["status"].(map[string]any) }
	return status()
}

// A literal that a generic function runs has set it.
func setBehindGeneric(u *unstructured.Unstructured) map[string]any {
	with(u, func(u *unstructured.Unstructured) { u.Object["status"] = map[string]any{} })
	return u.Object["status"].(map[string]any)
}

func with[T any](x T, f func(T)) { f(x) }

// So does one that a literal hands on.
func setBehindGenerics(u *unstructured.Unstructured) map[string]any {
	with(u, func(u *unstructured.Unstructured) {
		with(u, func(u *unstructured.Unstructured) { u.Object["status"] = map[string]any{} })
	})
	return u.Object["status"].(map[string]any)
}

// A loop with one round for sure has set it.
func setInLoop(u *unstructured.Unstructured, names []string) map[string]any {
	for _, field := range []string{"status"} {
		u.Object["status"] = map[string]any{"field": field, "names": len(names)}
	}
	return u.Object["status"].(map[string]any)
}

// What asserts is a literal as well.
func setBehindGenericForLiteral(u *unstructured.Unstructured) map[string]any {
	with(u, func(u *unstructured.Unstructured) {
		with(u, func(u *unstructured.Unstructured) { u.Object["status"] = map[string]any{} })
	})
	return from(func() map[string]any { return u.Object["status"].(map[string]any) })
}

func from[T any](f func() T) T { return f() }
