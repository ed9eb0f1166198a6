// Package semanticequal has the cases of the analyzer of that name.
package semanticequal

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The mistake.

func mistake(ctx context.Context, c client.Client, backup *v1.Backup) error {
	return c.Update(ctx, backup) // want `what happens in production; what to do instead \(semanticequal/quantity\)`
}

// What looks like it and is right.

func trap(ctx context.Context, c client.Client, backup *v1.Backup) error {
	return c.Get(ctx, client.ObjectKeyFromObject(backup), backup)
}
