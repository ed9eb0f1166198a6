package right

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// What is read afterwards had no resourceVersion when it was sent.

func (r *reconciler) readLater(ctx context.Context) error {
	b := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Namespace: "backups", Name: "latest"}}
	if err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		return r.Update(ctx, b)
	}); err != nil {
		return err
	}
	return r.Get(ctx, client.ObjectKeyFromObject(b), b)
}

func (r *reconciler) waitedForLater(ctx context.Context) error {
	b := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Namespace: "backups", Name: "latest"}}
	if err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		return r.Update(ctx, b)
	}); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(ctx context.Context) (bool, error) {
		err := r.Get(ctx, client.ObjectKeyFromObject(b), b)
		return err == nil && b.Status.Phase == "Done", client.IgnoreNotFound(err)
	})
}
