// Package example has cases for the example of docs/new-analyzer.md.
package example

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/opvet/opvet/testdata/passes/example/lib"
)

func ready(context.Context) (bool, error) { return true, nil }

func atOnce(ctx context.Context) error {
	return wait.PollUntilContextCancel(ctx, 0, true, ready) // want `asked at full speed`
}

func slowly(ctx context.Context) error {
	return wait.PollUntilContextCancel(ctx, time.Second, true, ready)
}

// variable has an interval that is zero unless somebody asks for another one.
func variable(ctx context.Context, slow bool) error {
	var every time.Duration
	if slow {
		every = time.Minute
	}
	return wait.PollUntilContextCancel(ctx, every, true, ready) // want `asked at full speed`
}

func pause() time.Duration { return 0 }

func returned(ctx context.Context) error {
	return wait.PollUntilContextCancel(ctx, pause(), true, ready) // want `asked at full speed`
}

func elsewhere(ctx context.Context) error {
	if err := lib.Wait(ctx, time.Second); err != nil {
		return err
	}
	return lib.Wait(ctx, 0) // want `asked at full speed`
}

func configured(ctx context.Context, every time.Duration) error {
	return wait.PollUntilContextCancel(ctx, every, true, ready)
}

func main() {
	ctx := context.Background()
	_ = wait.PollUntilContextCancel(ctx, 0, true, ready) // it runs once
	_, _, _, _ = atOnce(ctx), slowly(ctx), variable(ctx, true), returned(ctx)
	_, _ = elsewhere(ctx), configured(ctx, time.Second)
}

var _ = main
