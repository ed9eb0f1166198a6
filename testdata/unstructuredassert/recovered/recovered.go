// Package recovered has assertions that panic where somebody recovers it, and where nobody does.
package recovered

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

type reconciler struct{ client.Client }

// Reconcile fails for the object, again and again: controller-runtime recovers.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	u := new(unstructured.Unstructured)
	if err := r.Get(ctx, req.NamespacedName, u); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	_ = u.Object["status"].(map[string]any) // want `^stuck: this panics on the first object without status`
	helped(u)
	both(u)
	go started(u)
	return ctrl.Result{}, nil
}

// helped runs in Reconcile only.
func helped(u *unstructured.Unstructured) {
	_ = u.Object["data"].(map[string]any) // want `^stuck: this panics on the first object without data`
}

// both runs in an informer's handler as well, where nobody recovers.
func both(u *unstructured.Unstructured) {
	_ = u.Object["status"].(map[string]any) // want `^crash: this panics on the first object without status`
}

// started runs in a goroutine of its own, where nobody recovers.
func started(u *unstructured.Unstructured) {
	_ = u.Object["data"].(map[string]any) // want `^crash: this panics on the first object without data`
}

// Register hands the informer a handler, which is run in a goroutine of the informer's.
func Register(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			u, ok := obj.(*unstructured.Unstructured)
			if !ok {
				return
			}
			both(u)
			_ = u.Object["status"].(map[string]any) // want `^crash: this panics on the first object without status`
		},
	})
	return err
}

// Exported is called by who knows whom.
func Exported(u *unstructured.Unstructured) {
	_ = u.Object["status"].(map[string]any) // want `^crash: this panics on the first object without status`
}

type validator struct{ client.Client }

// Handle answers a request over HTTP; the server goes on without that answer.
func (v *validator) Handle(ctx context.Context, req admission.Request) admission.Response {
	u := new(unstructured.Unstructured)
	if err := v.Get(ctx, client.ObjectKey{Name: req.Name}, u); err != nil {
		return admission.Errored(500, err)
	}
	_ = u.Object["status"].(map[string]any) // want `^stuck: this panics on the first object without status`
	return admission.Allowed("")
}
