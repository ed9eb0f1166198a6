package right

import (
	"context"

	"github.com/opvet/opvet/testdata/workqueue/helpers/lib"
)

// borrower works on a queue that another package keeps, and asks for it each time.
type borrower struct {
	keeper lib.Keeper
	sync   func(ctx context.Context, key string) error
}

func (b *borrower) next(ctx context.Context) bool {
	key, quit := b.keeper.Queue().Get()
	if quit {
		return false
	}
	defer b.keeper.Queue().Done(key)
	if err := b.sync(ctx, key); err != nil {
		b.keeper.Queue().AddRateLimited(key)
		return true
	}
	b.keeper.Queue().Forget(key)
	return true
}
