// Package marks takes the finalizer off for other packages.
package marks

import (
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Release takes the finalizer off a backup.
func Release(b *v1.Backup) { controllerutil.RemoveFinalizer(b, v1.Finalizer) }
