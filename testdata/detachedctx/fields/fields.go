// Package fields has structs that carry contexts.
package fields

import (
	"context"
	"database/sql"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type provisioner struct {
	client client.Client
	ctx    context.Context
}

func newProvisioner(ctx context.Context, c client.Client) *provisioner {
	return &provisioner{client: c, ctx: ctx}
}

func (p *provisioner) receiver(backup *v1.Backup) error {
	return p.client.Update(context.TODO(), backup) // want `hygiene: Update .*; pass p\.ctx \(detachedctx/field-ignored\)`
}

// Info goes through many functions.
type Info struct {
	Context context.Context
	Name    string
}

func parameter(c client.Client, info *Info) error {
	ctx := context.TODO() // want `hygiene: Get .*; pass info\.Context \(detachedctx/field-ignored\)`
	return c.Get(ctx, client.ObjectKey{Name: info.Name}, &v1.Backup{})
}

type agent struct {
	client client.Client
	info   *Info
}

func (a *agent) deeper(backup *v1.Backup) error {
	return a.client.Delete(context.Background(), backup) // want `hygiene: Delete .*; pass a\.info\.Context \(detachedctx/field-ignored\)`
}

// stopFirst is a variable, as functions are that tests replace.
var stopFirst = func(p provisioner, backup *v1.Backup) error {
	return p.client.Delete(context.TODO(), backup) // want `hygiene: Delete .*; pass p\.ctx \(detachedctx/field-ignored\)`
}

// detachedOnly never holds another context.
type detachedOnly struct {
	client client.Client
	ctx    context.Context
}

func newDetachedOnly(c client.Client) *detachedOnly {
	return &detachedOnly{client: c, ctx: context.Background()}
}

// The field is no better than what is passed.
func (d *detachedOnly) trapOfDetachedField(backup *v1.Backup) error {
	return d.client.Update(context.TODO(), backup)
}

// But the parameter is better than the field.
func (d *detachedOnly) keptBeside(ctx context.Context, backup *v1.Backup) error {
	if err := d.client.Get(ctx, client.ObjectKeyFromObject(backup), backup); err != nil {
		return err
	}
	if err := d.client.Update(d.ctx, backup); err != nil { // want `hygiene: Update and another call .*; pass ctx \(detachedctx/ctx-ignored\)`
		return err
	}
	return d.client.Status().Update(d.ctx, backup)
}

func (p *provisioner) trapOfPassing(backup *v1.Backup) error {
	return p.client.Update(p.ctx, backup)
}

// limited has a context for one purpose.
type limited struct {
	client    client.Client
	uploadCtx context.Context
}

func newLimited(ctx context.Context, c client.Client) (*limited, context.CancelFunc) {
	upload, cancel := context.WithTimeout(ctx, time.Hour)
	return &limited{client: c, uploadCtx: upload}, cancel
}

func (l *limited) trapOfLimit(backup *v1.Backup) error {
	return l.client.Update(context.TODO(), backup)
}

// owner has a part with a context of its own.
type owner struct {
	client client.Client
	part   *provisioner
}

func (o *owner) trapOfPart(backup *v1.Backup) error {
	return o.client.Update(context.TODO(), backup)
}

// Stop ends what its receiver has begun.
func (p *provisioner) Stop() {
	_ = p.client.Delete(context.Background(), &v1.Backup{})
}

// keeper has the process's context, and asks another service.
type keeper struct {
	ctx context.Context
	db  *sql.DB
}

func newKeeper(ctx context.Context, db *sql.DB) *keeper { return &keeper{ctx, db} }

// insert merely finishes, and its driver has limits of its own.
func (k *keeper) insert() error {
	_, err := k.db.ExecContext(context.TODO(), "insert") // want `hygiene: ExecContext runs under context.TODO\(\) and goes on when k\.ctx ends; pass k\.ctx`
	return err
}

// untilThere asks again and again.
func (k *keeper) untilThere() error {
	for {
		result, err := k.db.ExecContext(context.TODO(), "update") // want `stuck: if ExecContext under context.TODO\(\) hangs, nothing ends it, not even shutdown; pass k\.ctx`
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n > 0 {
			return err
		}
		time.Sleep(10 * time.Second)
	}
}

// thrice counts.
func (k *keeper) thrice() (err error) {
	for range 3 {
		if _, err = k.db.ExecContext(context.TODO(), "insert"); err == nil { // want `hygiene: ExecContext runs under`
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}
