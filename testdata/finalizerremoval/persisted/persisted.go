// Package persisted has the cases of finalizerremoval/not-persisted: the
// finalizer comes off in memory only.
package persisted

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	exampleclient "github.com/opvet/opvet/testdata/api/client"
	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct {
	client.Client
	backups exampleclient.Interface
	limit   chan struct{}
}

// remove only edits the list: storing it is the caller's business.
func remove(b *v1.Backup) {
	var kept []string
	for _, f := range b.GetFinalizers() {
		if f != v1.Finalizer {
			kept = append(kept, f)
		}
	}
	b.SetFinalizers(kept)
}
