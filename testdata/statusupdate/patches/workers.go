package patches

import (
	"context"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// besideWorkers has goroutines do something else.
func (r *reconciler) besideWorkers(b *v1.Backup, names []string) {
	go func() {
		var all sync.WaitGroup
		done := 0
		patch := client.MergeFrom(b.DeepCopy())
		for range names {
			all.Add(1)
			go func() {
				defer all.Done()
				done++
			}()
		}
		all.Wait()
		_ = r.Status().Patch(context.Background(), b, patch) // want `always empty.*not-in-patch`
	}()
}
