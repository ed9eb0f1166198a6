// Package unstructuredassert is of the time before generics.
package unstructuredassert

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func unchecked(ctx context.Context, c dynamic.ResourceInterface) (string, error) {
	u, err := c.Get(ctx, "a", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	status := u.Object["status"].(map[string]interface{}) // want `this panics on the first object without status: the assertion is unchecked; use unstructured\.NestedMap \(unstructuredassert/unchecked\)`
	return status["phase"].(string), nil                  // of the same object: a related place of the finding above
}

func number(u *unstructured.Unstructured) (int, bool) {
	n, ok := u.UnstructuredContent()["count"].(int) // want `count is never seen: numbers in its content are int64 or float64, not int; use unstructured\.NestedInt64 \(unstructuredassert/number\)`
	return n, ok
}

func right(u *unstructured.Unstructured) string {
	phase, found, err := unstructured.NestedString(u.Object, "status", "phase")
	if err != nil || !found {
		return ""
	}
	return phase + u.Object["status"].(map[string]interface{})["phase"].(string)
}

type reconciler struct{ client.Client }

// Reconcile ends the process: before v0.19, controller-runtime recovered only if it was told to.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	u := new(unstructured.Unstructured)
	if err := r.Get(ctx, req.NamespacedName, u); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	_ = u.Object["status"].(map[string]interface{}) // want `^crash: this panics on the first object without status`
	return ctrl.Result{}, nil
}
