// Package testkit helps tests.
package testkit

import (
	"context"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Eventually serves tests only: not a finding.
func Eventually(t *testing.T, ctx context.Context, c client.Client, check func(context.Context, client.Client) bool) {
	for range 10 {
		if check(ctx, c) {
			return
		}
		time.Sleep(2 * time.Second)
	}
	t.Fatal("not ready")
}
