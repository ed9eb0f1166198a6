// Package unregistered has webhooks of which nothing tells what they are asked about.
package unregistered

import (
	"context"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:webhook:path=/validate-claim,mutating=false,failurePolicy=fail,groups=example.com,resources=claims,verbs=create;update,versions=v1,name=claims.example.com

// mirrors is for another kind than the markers are about.
type mirrors struct{ client client.Client }

func (d *mirrors) Default(ctx context.Context, obj runtime.Object) error {
	mirror := obj.(*v1.Mirror)
	return d.client.Get(ctx, client.ObjectKey{Namespace: mirror.Namespace, Name: "defaults"}, &corev1.ConfigMap{}) // want `hygiene: an object that is being deleted stays forever if the ConfigMap is gone`
}

// anything is not told which kind it is for.
type anything struct{ client client.Client }

func (h *anything) Handle(ctx context.Context, req admission.Request) admission.Response {
	if err := h.client.Get(ctx, client.ObjectKey{Namespace: req.Namespace, Name: "defaults"}, &corev1.ConfigMap{}); err != nil { // want `hygiene: an object that is being deleted stays forever if the ConfigMap is gone`
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.Allowed("")
}

// asking asks itself which operation it is, so it is asked about updates.
type asking struct {
	client  client.Client
	decoder admission.Decoder
}

func (h *asking) Handle(ctx context.Context, req admission.Request) admission.Response {
	mirror := &v1.Mirror{}
	if err := h.decoder.Decode(req, mirror); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	switch req.Operation {
	case admissionv1.Create, admissionv1.Update:
		if err := h.check(ctx, mirror); err != nil { // want `stuck: an object that is being deleted stays forever if the ConfigMap is gone`
			return admission.Denied(err.Error())
		}
	}
	return admission.Allowed("")
}

func (h *asking) check(ctx context.Context, mirror *v1.Mirror) error {
	return h.client.Get(ctx, client.ObjectKey{Namespace: mirror.Namespace, Name: "defaults"}, &corev1.ConfigMap{})
}

// askingForNew reads the other object for new ones only.
type askingForNew struct {
	client  client.Client
	decoder admission.Decoder
}

func (h *askingForNew) Handle(ctx context.Context, req admission.Request) admission.Response {
	mirror := &v1.Mirror{}
	if err := h.decoder.Decode(req, mirror); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	switch req.Operation {
	case admissionv1.Create:
		if err := h.client.Get(ctx, client.ObjectKey{Namespace: mirror.Namespace, Name: "defaults"}, &corev1.ConfigMap{}); err != nil {
			return admission.Denied(err.Error())
		}
	case admissionv1.Update:
		return admission.Allowed("nothing to check")
	}
	return admission.Allowed("")
}
