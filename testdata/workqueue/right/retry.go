package right

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

// afterConflict reads again at once, which is what a conflict is answered with.
func (c *controller) afterConflict(ctx context.Context) bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	err := c.sync(ctx, key)
	if apierrors.IsConflict(err) {
		c.queue.Add(key)
		return true
	}
	if err != nil {
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	return true
}

// afterDelay waits on purpose, and does not forget.
func (c *controller) afterDelay(ctx context.Context) bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(ctx, key); err != nil {
		c.queue.AddAfter(key, time.Minute)
		return true
	}
	c.queue.Forget(key)
	return true
}

// next adds another key, not the one that failed.
func (c *controller) another(ctx context.Context) bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(ctx, key); err != nil {
		c.queue.Add("cleanup/" + key)
	}
	return true
}

// toOther hands what failed to the queue for that.
func (c *controller) toOther(ctx context.Context) bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(ctx, key); err != nil {
		c.other.Add(key)
	}
	return true
}

// more adds the key again because there is more to do.
func (c *controller) more(ctx context.Context, left func(string) int) bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(ctx, key); err != nil {
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	if left(key) > 0 {
		c.queue.Add(key)
	}
	return true
}

// sleeps before it adds the key.
func (c *controller) sleeps(ctx context.Context) bool {
	key, quit := c.plain.Get()
	if quit {
		return false
	}
	defer c.plain.Done(key)
	if err := c.sync(ctx, key); err != nil {
		time.Sleep(5 * time.Second)
		c.plain.Add(key)
	}
	return true
}

// stops ends the worker's loop after a failure: it begins again a period later.
func (c *controller) stops(ctx context.Context) bool {
	key, quit := c.plain.Get()
	if quit {
		return false
	}
	defer c.plain.Done(key)
	if err := c.sync(ctx, key); err != nil {
		c.plain.Add(key)
		return false
	}
	return true
}

// periodic takes one item every ten seconds.
func (c *controller) periodic() {
	key, quit := c.plain.Get()
	if quit {
		return
	}
	defer c.plain.Done(key)
	if err := c.sync(context.Background(), key); err != nil {
		c.plain.Add(key)
	}
}

func (c *controller) runPeriodic(ctx context.Context) {
	go wait.Until(c.periodic, 10*time.Second, ctx.Done())
}

// logged only logs the failure: the queue cannot do more.
func (c *controller) logged(ctx context.Context) bool {
	key, quit := c.plain.Get()
	if quit {
		return false
	}
	defer c.plain.Done(key)
	if err := c.sync(ctx, key); err != nil {
		println(err.Error())
	}
	return true
}
