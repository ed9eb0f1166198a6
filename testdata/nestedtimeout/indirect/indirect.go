// Package indirect uses Kubernetes through a package that shows nothing of it:
// drivers that know it by its export data only must not forget that.
package indirect

import (
	"context"
	"time"

	"github.com/opvet/opvet/testdata/nestedtimeout/indirect/lib"
)

func touchAll(ctx context.Context, names []string) error {
	for _, name := range names {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel() // want `defer-in-loop`
		if err := lib.Touch(ctx, name); err != nil {
			return err
		}
	}
	return nil
}
