package ignored

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// announcer goes on when its clean-up has failed, and tells the user.
type announcer struct {
	reconciler
	events record.EventRecorder
}

func (a *announcer) announced(ctx context.Context, b *v1.Backup) error {
	if err := a.deleteData(ctx, b); err != nil {
		a.events.Event(b, corev1.EventTypeWarning, "CleanUp", err.Error())
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return a.Update(ctx, b)
}

// An event of the success is none of the failure.
func (a *announcer) announcedSuccess(ctx context.Context, b *v1.Backup) error {
	err := a.deleteData(ctx, b) // want `finalizerremoval/cleanup-ignored`
	if err == nil {
		a.events.Event(b, corev1.EventTypeNormal, "CleanUp", "done")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return a.Update(ctx, b)
}
