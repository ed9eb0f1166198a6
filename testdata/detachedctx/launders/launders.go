// Package launders has helpers that return contexts.
package launders

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func apiCtx(ctx context.Context) context.Context {
	return context.Background() // want `hygiene: Get \(launders\.go:25\) .*; return that, or context\.WithoutCancel of it \(detachedctx/launders\)`
}

func blankCtx(_ context.Context, name string) context.Context {
	return context.WithValue(context.TODO(), key{}, name) // want `hygiene: Update \(launders\.go:28\) .*; return that, or context\.WithoutCancel of it \(detachedctx/launders\)`
}

type key struct{}

// Its calls are not reported one by one.
func trapOfCaller(ctx context.Context, c client.Client, backup *v1.Backup) error {
	if err := c.Get(apiCtx(ctx), client.ObjectKeyFromObject(backup), backup); err != nil {
		return err
	}
	return c.Update(blankCtx(ctx, "a"), backup)
}

func trapOfPurpose(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }

func trapOfValues(ctx context.Context) context.Context {
	return log.IntoContext(context.Background(), log.FromContext(ctx))
}

func trapOfNil(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

func trapOfOwnRoot(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(context.Background())
}

func trapOfReason(ctx context.Context) context.Context {
	return context.Background() // detached: for clean-up only
}
