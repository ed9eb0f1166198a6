package right

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type applier struct{ client.Client }

// What is created where there is none has no resourceVersion: its update is unconditional.
func (a *applier) Apply(ctx context.Context, current, wanted client.Object) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		if err := a.Get(ctx, client.ObjectKeyFromObject(wanted), current); err != nil {
			if apierrors.IsNotFound(err) {
				return a.Create(ctx, wanted)
			}
			return err
		}
		wanted.SetUID(current.GetUID())
		return a.Update(ctx, wanted)
	})
}
