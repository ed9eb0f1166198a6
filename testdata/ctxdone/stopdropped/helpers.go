package stopdropped

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/ctxdone/stopdropped/lib"
)

// What waits is in a helper, and the context at hand in its caller.

type waiter struct {
	ready func() (bool, error)
	gone  func(context.Context) (bool, error)
}

func (w *waiter) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	if err := w.untilReady(); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, lib.UntilReady(w.ready) // want `stuck: Reconcile holds its worker as long as the answer is no: lib\.UntilReady has no timeout; ask once, and requeue with RequeueAfter`
}

func (w *waiter) untilReady() error {
	return wait.PollImmediateInfinite(time.Second, w.ready) // want `stuck: Reconcile holds its worker as long as the answer is no: wait\.PollImmediateInfinite has no timeout`
}

func (w *waiter) remove(ctx context.Context) error {
	untilGone := func() error {
		return wait.PollUntilContextCancel(context.Background(), time.Second, true, w.gone) // want `hygiene: wait\.PollUntilContextCancel goes on forever when ctx has ended: it is given context\.Background\(\); pass ctx`
	}
	if err := untilGone(); err != nil {
		return err
	}
	return lib.UntilGone(w.gone) // want `hygiene: lib\.UntilGone goes on forever when ctx has ended: wait\.PollUntilContextCancel in it \(lib/lib\.go:\d+\) is given context\.Background\(\); let it take ctx`
}

// It gives up soon, or has the context.
func (w *waiter) trapOfHelpers(ctx context.Context) error {
	if err := lib.Soon(w.ready); err != nil {
		return err
	}
	return lib.WithContext(ctx, w.gone)
}

// What cleans up when the context has ended cannot use it.
func (w *waiter) trapOfCleanUp(ctx context.Context) error {
	<-ctx.Done()
	return w.untilStopped()
}

func (w *waiter) untilStopped() error {
	return wait.PollUntilContextTimeout(context.Background(), time.Second, time.Minute, true, w.gone)
}

func (w *waiter) trapOfDeferred(ctx context.Context) {
	cleanUp := func() { _ = wait.PollUntilContextTimeout(context.Background(), time.Second, time.Minute, true, w.gone) }
	defer cleanUp()
	_, _ = w.gone(ctx)
}

// Nobody who calls it has a context.
func (w *waiter) trapOfNobody() error { return w.untilNobody() }

func (w *waiter) untilNobody() error { return wait.PollInfinite(time.Second, w.ready) }

// either has a context that ends, now and then.
type either struct{ ctx context.Context }

func newEither(ctx context.Context) *either { return &either{ctx: ctx} }

func newDetached() *either { return &either{ctx: context.TODO()} }

func (e *either) waitReady(ready func() (bool, error)) error {
	return wait.PollImmediateInfinite(time.Second, ready) // want `hygiene: wait\.PollImmediateInfinite goes on forever when e\.ctx has ended`
}
