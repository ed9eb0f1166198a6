// Package strict has what only -strict reports.
package strict

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/detachedctx/abstract/store"
)

// Keeper does not know where its records are kept.
type Keeper struct{ records store.Records }

// Reconcile has a context that keep does not get.
func (k *Keeper) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, k.keep(req.Name)
}

func (k *Keeper) keep(name string) error { // want `hygiene: Find and another call .*; give keep a context: Reconcile has ctx \(detachedctx/helper\)`
	record, err := k.records.Find(context.TODO(), name)
	if err != nil {
		return err
	}
	return pass(context.TODO(), k.records, record)
}

func pass(ctx context.Context, records store.Records, record *store.Record) error {
	return records.Save(ctx, record)
}

// Remote implements what another package declares; its callers are not to be seen.
type Remote struct{ client client.Client }

// Save may be handed what its caller has made up.
func (r *Remote) Save(ctx context.Context, record *store.Record) error {
	return r.client.Create(context.TODO(), &v1.Backup{Spec: v1.BackupSpec{Source: record.Name}}) // want `hygiene: Create .*; pass ctx \(detachedctx/ctx-ignored\)`
}

// Find is there for the interface.
func (r *Remote) Find(context.Context, string) (*store.Record, error) { return nil, nil }
