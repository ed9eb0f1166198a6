// Package given writes patches down and has others send them.
package given

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizerpatch/given/send"
)

type reconciler struct{ client.Client }

func (r *reconciler) constant(ctx context.Context, svc *corev1.Service) error {
	data := []byte(`{"metadata":{"finalizers":["example.opvet.dev/cleanup"]}}`)
	return send.Merge(ctx, r, svc, data) // want `loss: others' finalizers on Service are lost: .*\(finalizerpatch/raw-list\)`
}

func (r *reconciler) marshalled(ctx context.Context, svc *corev1.Service) error {
	data, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"finalizers": append(svc.GetFinalizers(), v1.Finalizer)},
	})
	if err != nil {
		return err
	}
	return r.send(ctx, svc, data) // want `loss: others' finalizers on Service are lost: .*\(finalizerpatch/raw-list\)`
}

func (r *reconciler) send(ctx context.Context, object client.Object, data []byte) error {
	return send.Merge(ctx, r.Client, object, data)
}

// It is locked.
func (r *reconciler) locked(ctx context.Context, svc *corev1.Service) error {
	data, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"finalizers": append(svc.GetFinalizers(), v1.Finalizer), "resourceVersion": svc.ResourceVersion},
	})
	if err != nil {
		return err
	}
	return send.Merge(ctx, r, svc, data)
}

// It says nothing about finalizers.
func (r *reconciler) labels(ctx context.Context, svc *corev1.Service) error {
	return send.Merge(ctx, r, svc, []byte(`{"metadata":{"labels":{"a":"b"}}}`))
}

// The status has no finalizers: the API server leaves them out.
func (r *reconciler) status(ctx context.Context, svc *corev1.Service) error {
	return send.Status(ctx, r, svc, []byte(`{"metadata":{"finalizers":["example.opvet.dev/cleanup"]}}`))
}

// A JSON patch is another language.
func (r *reconciler) add(ctx context.Context, svc *corev1.Service) error {
	return send.JSON(ctx, r, svc, []byte(`[{"op":"add","path":"/metadata/finalizers/-","value":"example.opvet.dev/cleanup"}]`))
}
