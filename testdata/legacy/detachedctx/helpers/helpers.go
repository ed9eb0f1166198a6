// Package helpers writes for other packages.
package helpers

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

// UpdateStatus has no context.
func UpdateStatus(c client.Client, backup *v1.Backup) error {
	return c.Status().Update(context.Background(), backup)
}
