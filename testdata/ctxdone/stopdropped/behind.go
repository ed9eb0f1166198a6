package stopdropped

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// deferredHelper cleans up by a helper: not a finding.
func deferredHelper(ctx context.Context, gone func(context.Context) (bool, error), work func(context.Context)) {
	defer untilGone(gone)
	work(ctx)
}

func untilGone(gone func(context.Context) (bool, error)) {
	_ = wait.PollUntilContextTimeout(context.Background(), time.Second, time.Minute, true, gone)
}

// calledHelper waits for the same before it goes on.
func calledHelper(ctx context.Context, gone func(context.Context) (bool, error), work func(context.Context)) {
	untilGoneFirst(gone)
	work(ctx)
}

func untilGoneFirst(gone func(context.Context) (bool, error)) {
	_ = wait.PollUntilContextTimeout(context.Background(), time.Second, time.Minute, true, gone) // want `goes on until its timeout when ctx of calledHelper has ended.*\(ctxdone/stop-dropped\)`
}
