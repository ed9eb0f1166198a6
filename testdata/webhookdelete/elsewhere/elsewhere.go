// Package elsewhere has webhooks that validate with functions of another package.
package elsewhere

import (
	"context"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/webhookdelete/checks"
)

// +kubebuilder:webhook:path=/validate-backup,mutating=false,failurePolicy=fail,groups=example.com,resources=backups,verbs=create;update,versions=v1,name=backups.example.com

type handler struct {
	client  client.Client
	decoder admission.Decoder
}

func (h *handler) Handle(ctx context.Context, req admission.Request) admission.Response {
	errs := field.ErrorList{}
	backup, old := &v1.Backup{}, &v1.Backup{}
	switch req.Operation {
	case admissionv1.Create:
		if err := h.decoder.Decode(req, backup); err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		errs = append(errs, checks.Spec(ctx, h.client, backup.Spec)...)
	case admissionv1.Update:
		if err := h.decoder.Decode(req, backup); err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		if err := h.decoder.DecodeRaw(req.OldObject, old); err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		errs = append(errs, checks.Update(ctx, h.client, old, backup)...) // want `stuck: .*stays forever if the Secret is gone \(checks/checks\.go:\d+\): Handle does not let its finalizer go; return early`
	}
	if len(errs) > 0 {
		return admission.Denied(errs.ToAggregate().Error())
	}
	return admission.Allowed("")
}

// aliased answers by the variables of package webhook.
type aliased struct {
	client  client.Client
	decoder admission.Decoder
}

func (h *aliased) Handle(ctx context.Context, req webhook.AdmissionRequest) webhook.AdmissionResponse {
	backup := &v1.Backup{}
	if err := h.decoder.Decode(req, backup); err != nil {
		return webhook.Errored(http.StatusBadRequest, err)
	}
	if errs := checks.Spec(ctx, h.client, backup.Spec); len(errs) > 0 { // want `stuck: .*stays forever if the Secret is gone`
		return webhook.Denied("refused")
	}
	return webhook.Allowed("")
}

// lenient says what is wrong, and lets it pass.
type lenient struct {
	client  client.Client
	decoder admission.Decoder
}

func (h *lenient) Handle(ctx context.Context, req webhook.AdmissionRequest) webhook.AdmissionResponse {
	backup := &v1.Backup{}
	if err := h.decoder.Decode(req, backup); err != nil {
		return webhook.Errored(http.StatusBadRequest, err)
	}
	if errs := checks.Spec(ctx, h.client, backup.Spec); len(errs) > 0 {
		return webhook.Allowed(errs.ToAggregate().Error())
	}
	return webhook.Allowed("")
}

// validator has a checker of the other package.
type validator struct{ checker *checks.Checker }

func (v *validator) ValidateCreate(ctx context.Context, backup *v1.Backup) (admission.Warnings, error) {
	return nil, v.checker.Source(ctx, backup)
}

func (v *validator) ValidateUpdate(ctx context.Context, _, backup *v1.Backup) (admission.Warnings, error) {
	return nil, v.checker.Source(ctx, backup) // want `stuck: .*stays forever if the ConfigMap is gone \(checks/checks\.go:\d+\): ValidateUpdate does not let`
}

func (v *validator) ValidateDelete(context.Context, *v1.Backup) (admission.Warnings, error) {
	return nil, nil
}

// early returns before it looks at anything.
type early struct{ client client.Client }

func (e *early) ValidateCreate(ctx context.Context, backup *v1.Backup) (admission.Warnings, error) {
	return nil, checks.Spec(ctx, e.client, backup.Spec).ToAggregate()
}

func (e *early) ValidateUpdate(ctx context.Context, old, backup *v1.Backup) (admission.Warnings, error) {
	if backup.DeletionTimestamp != nil {
		return nil, nil
	}
	return nil, checks.Update(ctx, e.client, old, backup).ToAggregate()
}

func (e *early) ValidateDelete(context.Context, *v1.Backup) (admission.Warnings, error) {
	return nil, nil
}

// careful calls functions that let a deletion through.
type careful struct{ client client.Client }

func (c *careful) ValidateCreate(ctx context.Context, backup *v1.Backup) (admission.Warnings, error) {
	return nil, checks.Living(ctx, c.client, backup)
}

func (c *careful) ValidateUpdate(ctx context.Context, old, backup *v1.Backup) (admission.Warnings, error) {
	if err := checks.Living(ctx, c.client, backup); err != nil {
		return nil, err
	}
	if err := checks.Optional(ctx, c.client, backup); err != nil {
		return nil, err
	}
	if old.Spec.Source != backup.Spec.Source {
		if errs := checks.Spec(ctx, c.client, backup.Spec); len(errs) > 0 {
			return nil, errs.ToAggregate()
		}
	}
	return nil, checks.Names(ctx, c.client, backup)
}

func (c *careful) ValidateDelete(context.Context, *v1.Backup) (admission.Warnings, error) {
	return nil, nil
}

// finds can do without what it looks for.
type finds struct{ client client.Client }

func (f *finds) ValidateCreate(context.Context, *v1.Backup) (admission.Warnings, error) {
	return nil, nil
}

func (f *finds) ValidateUpdate(ctx context.Context, _, backup *v1.Backup) (admission.Warnings, error) {
	secret, err := checks.Find(ctx, f.client, backup.Spec.Source)
	if err != nil {
		return nil, err
	}
	if secret != nil && secret.Immutable != nil {
		return admission.Warnings{"immutable"}, nil
	}
	return nil, nil
}

func (f *finds) ValidateDelete(context.Context, *v1.Backup) (admission.Warnings, error) {
	return nil, nil
}
