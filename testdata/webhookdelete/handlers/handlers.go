// Package handlers answers raw admission requests.
package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:webhook:path=/validate-backup,mutating=false,failurePolicy=fail,groups=example.com,resources=backups,verbs=create;update,versions=v1,name=backups.example.com

type base struct {
	client  client.Client
	decoder admission.Decoder
}

func (b *base) secret(ctx context.Context, backup *v1.Backup) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	if err := b.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: backup.Spec.Source}, secret); err != nil {
		return nil, fmt.Errorf("looking for the secret: %w", err)
	}
	return secret, nil
}

// The mistakes.

type denies struct{ base }

func (h *denies) Handle(ctx context.Context, req admission.Request) admission.Response {
	backup := &v1.Backup{}
	if err := h.decoder.Decode(req, backup); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if _, err := h.secret(ctx, backup); err != nil { // want `stuck: .*an object that is being deleted stays forever if the Secret is gone: Handle refuses the update that takes its finalizer off; return early`
		return admission.Denied(err.Error())
	}
	return admission.Allowed("")
}

type byOperation struct{ base }

func (h *byOperation) Handle(ctx context.Context, req admission.Request) admission.Response {
	var resp admission.Response
	switch req.Operation {
	case admissionv1.Create, admissionv1.Update:
		resp = h.inject(ctx, &req) // want `hygiene: .*stays forever if the Secret is gone: Handle refuses`
	default:
		resp = admission.Allowed("")
	}
	return resp
}

func (h *byOperation) inject(ctx context.Context, req *admission.Request) admission.Response {
	backup := &v1.Backup{}
	if err := h.decoder.Decode(*req, backup); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	secret, err := h.secret(ctx, backup)
	if err != nil {
		return admission.Errored(http.StatusForbidden, err)
	}
	return admission.Allowed(secret.Name)
}

type lists struct{ base }

func (h *lists) Handle(ctx context.Context, req admission.Request) admission.Response {
	backup := &v1.Backup{}
	if err := h.decoder.Decode(req, backup); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	switch req.Operation {
	case admissionv1.Update:
		if errs := h.validate(ctx, backup); len(errs) > 0 { // want `stuck: .*stays forever if the Secret is gone: Handle refuses`
			return admission.Errored(http.StatusUnprocessableEntity, errs.ToAggregate())
		}
	}
	return admission.ValidationResponse(true, "")
}

// Only one of the reads is left out while the object is being deleted.
func (h *lists) validate(ctx context.Context, backup *v1.Backup) field.ErrorList {
	var errs field.ErrorList
	if backup.DeletionTimestamp.IsZero() {
		config := &corev1.ConfigMap{}
		if err := h.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: "config"}, config); err != nil {
			errs = append(errs, field.NotFound(field.NewPath("spec"), "config"))
		}
	}
	secret := &corev1.Secret{}
	if err := h.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: backup.Spec.Source}, secret); err != nil {
		errs = append(errs, field.NotFound(field.NewPath("spec", "source"), backup.Spec.Source))
	}
	return errs
}

// What the handler reads with cannot write.
type reads struct {
	reader  client.Reader
	decoder admission.Decoder
}

func (h *reads) Handle(ctx context.Context, req admission.Request) admission.Response {
	obj := &unstructured.Unstructured{}
	if err := h.decoder.Decode(req, obj); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	secret := &corev1.Secret{}
	if err := h.reader.Get(ctx, client.ObjectKey{Namespace: req.Namespace, Name: obj.GetName()}, secret); err != nil { // want `hygiene: .*stays forever if the Secret is gone: Handle refuses`
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.Allowed("")
}

// Right.

// What another call says later is not about the Secret.
type logs struct{ base }

func (h *logs) Handle(ctx context.Context, req admission.Request) admission.Response {
	backup := &v1.Backup{}
	if err := h.decoder.Decode(req, backup); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	secret := &corev1.Secret{}
	if err := h.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: backup.Spec.Source}, secret); err != nil {
		fmt.Println("no secret:", err)
	}
	raw, err := json.Marshal(backup)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.PatchResponseFromRaw(req.Object.Raw, raw)
}

type ifChanged struct{ base }

func (h *ifChanged) Handle(ctx context.Context, req admission.Request) admission.Response {
	backup, old := &v1.Backup{}, &v1.Backup{}
	if err := h.decoder.Decode(req, backup); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if err := h.decoder.DecodeRaw(req.OldObject, old); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if backup.Spec.Source == old.Spec.Source {
		return admission.Allowed("")
	}
	if _, err := h.secret(ctx, backup); err != nil {
		return admission.Denied(err.Error())
	}
	return admission.Allowed("")
}

// The variables begin as literals that name nothing.
type ifSpecsDiffer struct{ base }

func (h *ifSpecsDiffer) Handle(ctx context.Context, req admission.Request) admission.Response {
	backup, old := v1.Backup{}, v1.Backup{}
	if err := h.decoder.DecodeRaw(req.OldObject, &old); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if err := h.decoder.DecodeRaw(req.Object, &backup); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if !reflect.DeepEqual(backup.Spec, old.Spec) {
		if _, err := h.secret(ctx, &backup); err != nil {
			return admission.Denied(err.Error())
		}
	}
	return admission.Allowed("")
}

// What is asked for creations only stands in a table: the one who reads it knows the
// operation.
var onCreate = make(map[string]admission.HandlerFunc)

func (b *base) register() { onCreate["Backup"] = b.created }

func (b *base) created(ctx context.Context, req admission.Request) admission.Response {
	backup := &v1.Backup{}
	if err := b.decoder.DecodeRaw(req.Object, backup); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if _, err := b.secret(ctx, backup); err != nil { // want `hygiene: .*stays forever if the Secret is gone: Handle refuses`
		return admission.Denied(err.Error())
	}
	return admission.Allowed("")
}

type onlyCreations struct{ base }

func (h *onlyCreations) Handle(ctx context.Context, req admission.Request) admission.Response {
	backup := &v1.Backup{}
	if err := h.decoder.Decode(req, backup); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if req.Operation != admissionv1.Create {
		return admission.Allowed("")
	}
	if _, err := h.secret(ctx, backup); err != nil {
		return admission.Denied(err.Error())
	}
	return admission.Allowed("")
}

type onlyDeletions struct{ base }

func (h *onlyDeletions) Handle(ctx context.Context, req admission.Request) admission.Response {
	backup := &v1.Backup{}
	if err := h.decoder.DecodeRaw(req.OldObject, backup); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	switch req.Operation {
	case admissionv1.Delete:
		if _, err := h.secret(ctx, backup); err != nil {
			return admission.Denied(err.Error())
		}
	}
	return admission.Allowed("")
}

type returnsEarly struct{ base }

func (h *returnsEarly) Handle(ctx context.Context, req admission.Request) admission.Response {
	backup := &v1.Backup{}
	if err := h.decoder.Decode(req, backup); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if !backup.GetDeletionTimestamp().IsZero() {
		return admission.Allowed("it is being deleted")
	}
	if _, err := h.secret(ctx, backup); err != nil {
		return admission.Denied(err.Error())
	}
	return admission.Allowed("")
}

type letsThrough struct{ base }

func (h *letsThrough) Handle(ctx context.Context, req admission.Request) admission.Response {
	backup := &v1.Backup{}
	if err := h.decoder.Decode(req, backup); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if _, err := h.secret(ctx, backup); apierrors.IsNotFound(err) {
		return admission.Allowed("").WithWarnings("there is no secret")
	}
	return admission.Allowed("")
}

type ofPods struct{ base }

func (h *ofPods) Handle(ctx context.Context, req admission.Request) admission.Response {
	pod := &corev1.Pod{}
	if err := h.decoder.Decode(req, pod); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if _, err := h.secret(ctx, &v1.Backup{}); err != nil {
		return admission.Denied(err.Error())
	}
	return admission.Allowed("")
}

// The timestamp is asked by nil, in a validator.
type validator struct{ base }

func (v *validator) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (v *validator) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	backup := obj.(*v1.Backup)
	if backup.DeletionTimestamp == nil {
		_, err := v.secret(ctx, backup)
		return nil, err
	}
	return nil, nil
}

func (v *validator) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

// What is done with the timestamp is not understood.
type askedElsewhere struct{ base }

func (h *askedElsewhere) Handle(ctx context.Context, req admission.Request) admission.Response {
	backup := &v1.Backup{}
	if err := h.decoder.Decode(req, backup); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if isGone(backup) {
		return admission.Allowed("")
	}
	if _, err := h.secret(ctx, backup); err != nil && h.isStrict(backup.DeletionTimestamp.String()) {
		return admission.Denied(err.Error())
	}
	return admission.Allowed("")
}

func (h *askedElsewhere) isStrict(when string) bool { return when == "" }

func isGone(backup *v1.Backup) bool { return backup.Spec.Paused }
