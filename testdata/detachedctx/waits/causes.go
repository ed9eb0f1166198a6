package waits

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// dropper drops its context and all that it calls makes one up: one finding.
type dropper struct{ client.Client }

func (d *dropper) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) { // want `hygiene: Delete \(causes.go:\d+\) and 3 more calls run under context.TODO\(\) and go on when the caller's context ends; name the context of Reconcile and pass it \(detachedctx/ctx-blank\)`
	var backup v1.Backup
	if err := d.Get(context.TODO(), req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, d.clean(&backup)
}

func (d *dropper) clean(backup *v1.Backup) error {
	ctx := context.TODO()
	if err := d.List(ctx, &v1.BackupList{}); err != nil {
		return err
	}
	return d.drop(backup)
}

func (d *dropper) drop(backup *v1.Backup) error {
	if err := d.Get(context.TODO(), client.ObjectKeyFromObject(backup), backup); err != nil {
		return err
	}
	return d.Delete(context.TODO(), backup)
}

// silencedDropper says so once, where the cause is.
type silencedDropper struct{ client.Client }

//nolint:detachedctx
func (d *silencedDropper) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1.Backup
	if err := d.Get(context.TODO(), req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, d.Delete(context.TODO(), &backup)
}

// keeper has methods without contexts, as an interface wants them: one finding for
// the type.
type keeper struct{ client client.Client } // want `hygiene: Create \(causes.go:\d+\) and 2 more calls run under context.TODO\(\) and go on when ctx ends; give 3 methods of keeper a context: keep has ctx \(detachedctx/helper\)`

func (k *keeper) load(name string) error {
	return k.client.Get(context.TODO(), client.ObjectKey{Name: name}, &v1.Backup{})
}

func (k *keeper) all() error { return k.client.List(context.TODO(), &v1.BackupList{}) }

func (k *keeper) add(backup *v1.Backup) error { return k.client.Create(context.TODO(), backup) }

func keep(ctx context.Context, k *keeper, backup *v1.Backup) error {
	if err := k.load(backup.Name); err != nil {
		return err
	}
	if err := k.all(); err != nil {
		return err
	}
	return k.add(backup)
}

// What a comment on one of the lines silences does not count.
func partlySilenced(ctx context.Context, c client.Client, backup *v1.Backup) error {
	if err := c.Get(context.TODO(), client.ObjectKeyFromObject(backup), backup); err != nil { //nolint:detachedctx
		return err
	}
	return c.Update(context.TODO(), backup) // want `hygiene: Update runs under .*; pass ctx`
}

// Where the finding is, the comment is about all of it.
func silencedAsAWhole(ctx context.Context, c client.Client, backup *v1.Backup) error {
	if err := c.Get(context.TODO(), client.ObjectKeyFromObject(backup), backup); err != nil {
		return err
	}
	return c.Update(context.TODO(), backup) //nolint:detachedctx
}
