// Package strict has writes to stores that are reported with the strict flag
// only.
package strict

import (
	"k8s.io/client-go/tools/cache"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type controller struct {
	informer cache.SharedInformer
}

// gone notes what another program has told, which sends no deletions.
func (c *controller) gone(b *v1.Backup) {
	_ = c.informer.GetStore().Delete(b) // want `^loss: delete handlers may never run: c\.informer\.GetStore\(\)\.Delete takes b out of the informer's store.*cachewrite/delete`
}
