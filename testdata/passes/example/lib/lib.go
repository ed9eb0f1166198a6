// Package lib waits for others.
package lib

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Wait asks again and again.
func Wait(ctx context.Context, every time.Duration) error {
	return wait.PollUntilContextCancel(ctx, every, true, func(context.Context) (bool, error) { return true, nil })
}
