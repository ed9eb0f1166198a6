// Package process takes contexts of the process from another package.
package process

import (
	"context"
	"database/sql"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/detachedctx/process/ends"
)

// Reconciler has a database.
type Reconciler struct {
	client.Client
	db *sql.DB
}

// Reconcile has a context that ends when the process does, and no sooner.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.count(); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.load(); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.countForever()
}

func (r *Reconciler) count() error {
	_, err := r.db.ExecContext(ends.Context(), "insert")
	return err
}

func (r *Reconciler) load() error {
	_, err := r.db.ExecContext(ends.Loaded(), "insert")
	return err
}

func (r *Reconciler) countForever() error { // want `hygiene: ExecContext runs under Forever\(\) and goes on when ctx ends; give countForever a context: Reconcile has ctx`
	_, err := r.db.ExecContext(ends.Forever(), "insert")
	return err
}
