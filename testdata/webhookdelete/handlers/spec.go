package handlers

import (
	"context"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/webhookdelete/checks"
)

// The new object is checked by a function of another package.
type ofSpec struct{ base }

func (h *ofSpec) Handle(ctx context.Context, req admission.Request) admission.Response {
	var backup v1.Backup
	if req.Operation == admissionv1.Create || req.Operation == admissionv1.Update {
		if err := h.decoder.Decode(req, &backup); err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		if err := checks.Valid(&backup); err != nil { // want `hygiene: an object that fails this check, being older than it, stays forever: Handle refuses`
			return admission.Denied(err.Error())
		}
	}
	return admission.Allowed("")
}

// Beside it, it is asked whether entries were deleted.
type byEntries struct{ base }

func (h *byEntries) Handle(ctx context.Context, req admission.Request) admission.Response {
	backup, old := &v1.Backup{}, &v1.Backup{}
	if err := h.decoder.Decode(req, backup); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if err := checks.Valid(backup); err != nil { // want `hygiene: an object that fails this check`
		return admission.Denied(err.Error())
	}
	if req.Operation == admissionv1.Update {
		if err := h.decoder.DecodeRaw(req.OldObject, old); err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		if entriesDeleted(old.Finalizers, backup.Finalizers) {
			return admission.Denied("entries cannot be deleted")
		}
	}
	return admission.Allowed("")
}

func entriesDeleted(before, after []string) bool { return len(after) < len(before) }

// Traps: updates are not checked, or not those of what is being deleted.
type onCreation struct{ base }

func (h *onCreation) Handle(ctx context.Context, req admission.Request) admission.Response {
	var backup v1.Backup
	if err := h.decoder.Decode(req, &backup); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if req.Operation == admissionv1.Create {
		if err := checks.Valid(&backup); err != nil {
			return admission.Denied(err.Error())
		}
	}
	return admission.Allowed("")
}

type ofLiving struct{ base }

func (h *ofLiving) Handle(ctx context.Context, req admission.Request) admission.Response {
	backup := &v1.Backup{}
	if err := h.decoder.Decode(req, backup); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if err := checks.ValidAlive(backup); err != nil {
		return admission.Denied(err.Error())
	}
	return admission.Allowed("")
}

// The old object is checked: if that was bad, anything may become of it.
type byOld struct{ base }

func (h *byOld) Handle(ctx context.Context, req admission.Request) admission.Response {
	old := &v1.Backup{}
	if err := h.decoder.DecodeRaw(req.OldObject, old); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if err := checks.Valid(old); err != nil {
		return admission.Denied("the old one: " + err.Error())
	}
	return admission.Allowed("")
}
