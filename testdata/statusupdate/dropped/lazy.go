package dropped

import (
	"context"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// lazyStatus makes the status that is not there yet: there is nothing in it to lose.
func lazyStatus(c *v1.Cluster) *v1.ClusterStatus {
	if c.Status == nil {
		c.Status = &v1.ClusterStatus{}
	}
	return c.Status
}

func (r *reconciler) readsLazily(ctx context.Context, c *v1.Cluster) error {
	c.Spec.Version = lazyStatus(c).Version
	return r.Update(ctx, c)
}

func (r *reconciler) makesHere(ctx context.Context, c *v1.Cluster) error {
	if c.Status == nil {
		c.Status = new(v1.ClusterStatus)
	}
	c.Spec.Version = c.Status.Version
	return r.Update(ctx, c)
}

// What is set in it through the function is not seen to be a part of the object.
func (r *reconciler) setsLazily(ctx context.Context, c *v1.Cluster) error {
	lazyStatus(c).Ready = true
	return r.Update(ctx, c)
}

func (r *reconciler) setsHere(ctx context.Context, c *v1.Cluster) error {
	status := &v1.ClusterStatus{}
	c.Status = status
	status.Ready = true
	return r.Update(ctx, c) // want `dropped`
}
