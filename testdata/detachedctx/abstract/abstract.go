// Package abstract calls methods of interfaces, of which no implementation is
// here.
package abstract

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/detachedctx/abstract/cloud"
	"github.com/opvet/opvet/testdata/detachedctx/abstract/store"
)

// Archiver is named by nothing that tells who talks to whom.
type Archiver struct {
	records store.Records
	backups store.Backups
	deletes store.Generated
	volumes cloud.Volumes
}

// Reconcile has a context and hands it to none of its helpers.
func (a *Archiver) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := a.archive(req.Name); err != nil {
		return ctrl.Result{}, err
	}
	if err := a.read(req.Namespace, req.Name); err != nil {
		return ctrl.Result{}, err
	}
	if err := a.attach(req.Name); err != nil {
		return ctrl.Result{}, err
	}
	// To pass what is at hand is right, whatever the store makes of it.
	return ctrl.Result{}, a.records.Save(context.Background(), &store.Record{Name: req.Name}) // want `hygiene: Save .*; pass ctx \(detachedctx/ctx-ignored\)`
}

// archive would need a parameter for a store that may not care.
func (a *Archiver) archive(name string) error {
	record, err := a.records.Find(context.Background(), name)
	if err != nil {
		return err
	}
	return save(context.TODO(), a.records, record)
}

func save(ctx context.Context, records store.Records, record *store.Record) error {
	return records.Save(ctx, record)
}

// read asks a client, be it the project's own.
func (a *Archiver) read(namespace, name string) error { // want `hygiene: Delete and another call .*; give read a context: Reconcile has ctx \(detachedctx/helper\)`
	if _, err := a.backups.Get(context.TODO(), namespace, name); err != nil {
		return err
	}
	return a.deletes.Delete(context.TODO(), name, metav1.DeleteOptions{})
}

// attach waits, as the implementation that comes with the interface does.
func (a *Archiver) attach(id string) error { // want `hygiene: Attach .*; give attach a context: Reconcile has ctx \(detachedctx/helper\)`
	name, err := a.volumes.Name(context.TODO(), id) // the implementation waits for nothing
	if err != nil {
		return err
	}
	return a.volumes.Attach(context.TODO(), name)
}

// Remote implements what another package declares, and who calls it, with which
// context, is not to be seen.
type Remote struct{ client client.Client }

var _ store.Records = (*Remote)(nil)

// Save may be handed what its caller has made up.
func (r *Remote) Save(ctx context.Context, record *store.Record) error {
	return r.client.Create(context.TODO(), &v1.Backup{Spec: v1.BackupSpec{Source: record.Name}})
}

// Find is called here, with a live one.
func (r *Remote) Find(ctx context.Context, name string) (*store.Record, error) {
	var backup v1.Backup
	err := r.client.Get(context.TODO(), client.ObjectKey{Name: name}, &backup) // want `hygiene: Get .*; pass ctx \(detachedctx/ctx-ignored\)`
	return &store.Record{Name: backup.Name}, err
}

// Reconcile hands its context to Find.
func (r *Remote) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	_, err := r.Find(ctx, req.Name)
	return ctrl.Result{}, err
}
