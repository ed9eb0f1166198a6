// Package patch is a patch helper like cluster-api's: it remembers an object
// and later sends whatever has changed to whichever endpoint it belongs.
package patch

import (
	"context"
	"errors"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Helper stores the changes made to one object.
type Helper struct {
	client client.Client
	before client.Object
}

// NewHelper remembers obj as it is now.
func NewHelper(obj client.Object, c client.Client) (*Helper, error) {
	before, ok := obj.DeepCopyObject().(client.Object)
	if !ok {
		return nil, errors.New("not an object")
	}
	return &Helper{client: c, before: before}, nil
}

// Patch stores what has changed since NewHelper, the status too.
func (h *Helper) Patch(ctx context.Context, obj client.Object) error {
	base, err := runtime.DefaultUnstructuredConverter.ToUnstructured(h.before)
	if err != nil {
		return err
	}
	after, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return err
	}
	statusChanged := !reflect.DeepEqual(base["status"], after["status"])
	delete(base, "status")
	delete(after, "status")
	if !reflect.DeepEqual(base, after) {
		sent := obj.DeepCopyObject().(client.Object)
		if err := h.client.Patch(ctx, sent, client.MergeFrom(h.before)); err != nil {
			return err
		}
	}
	if !statusChanged {
		return nil
	}
	return h.client.Status().Patch(ctx, obj, client.MergeFrom(h.before))
}
