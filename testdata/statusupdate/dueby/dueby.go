// Package dueby goes by the time that it sets.
package dueby

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

func (r *reconciler) startOnceADay(ctx context.Context, b *v1.Backup) error {
	if b.Status.StartTime != nil && time.Since(b.Status.StartTime.Time) < 24*time.Hour {
		return nil
	}
	now := metav1.Now()
	b.Status.StartTime = &now
	return r.Update(ctx, b) // want `^loss: status set .*\(statusupdate/dropped-by-update\)`
}
