package waits

import (
	"bufio"
	"context"
	"os"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/detachedctx/waits/runner"
)

// step has one implementation here, whose context is made up by all callers.
type step interface {
	run(ctx context.Context, backup *v1.Backup) error
}

type copyStep struct{ client.Client }

func (s *copyStep) run(ctx context.Context, backup *v1.Backup) error {
	if err := s.Get(ctx, client.ObjectKeyFromObject(backup), backup); err != nil {
		return err
	}
	return s.Update(context.TODO(), backup)
}

// nightly is called by code that has no context.
func nightly(s step, backup *v1.Backup) error { return s.run(context.Background(), backup) }

// What reads the standard input is a command's.
func (k *kept) typed(ctx context.Context, backup *v1.Backup) error {
	name, err := k.ask()
	if err != nil {
		return err
	}
	backup.Name = name
	return k.Update(ctx, backup)
}

func (k *kept) ask() (string, error) {
	if err := k.List(context.TODO(), &v1.BackupList{}); err != nil {
		return "", err
	}
	return bufio.NewReader(os.Stdin).ReadString('\n')
}

// The literal is handed a made-up context by all that call it.
func nightlyThroughLiteral(c client.Client, backup *v1.Backup) error {
	save := func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(backup), backup); err != nil {
			return err
		}
		return c.Update(context.TODO(), backup)
	}
	if err := save(context.Background()); err != nil {
		return err
	}
	return save(context.TODO())
}

// kept holds what its constructor gets, and that is made up.
type kept struct {
	client.Client
	ctx context.Context
}

func newKept(ctx context.Context, c client.Client) *kept { return &kept{Client: c, ctx: ctx} }

func (k *kept) save(backup *v1.Backup) error { return k.Update(context.TODO(), backup) }

func nightlyKept(c client.Client, backup *v1.Backup) error {
	return newKept(context.Background(), c).save(backup)
}

// A function of another package hands the literal a context that it makes up.
func nightlyElsewhere(c client.Client, backup *v1.Backup) error {
	return runner.Detached(func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(backup), backup); err != nil {
			return err
		}
		return c.Update(context.TODO(), backup)
	})
}

// This one hands it a context that ends.
func limitedElsewhere(c client.Client, backup *v1.Backup) error {
	return runner.Limited(func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(backup), backup); err != nil {
			return err
		}
		return c.Update(context.TODO(), backup) // want `Update runs under context\.TODO\(\)`
	})
}
