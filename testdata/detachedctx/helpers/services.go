package helpers

import (
	"context"
	"database/sql"
	"net/http"

	ctrl "sigs.k8s.io/controller-runtime"
)

// services is a reconciler that asks others by functions without a context.
type services struct{ db *sql.DB }

// Reconcile has a context that ends at shutdown only.
func (s *services) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := s.count(); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, fetch(req.Name)
}

// count asks a database, whose driver has limits that are set where it is opened.
func (s *services) count() error { // want `hygiene: ExecContext runs under context.Background\(\) and goes on when ctx ends; give count a context: Reconcile has ctx`
	_, err := s.db.ExecContext(context.Background(), "insert")
	return err
}

// fetch is seen to have a client that waits forever.
func fetch(name string) error { // want `stuck: if NewRequestWithContext under context.Background\(\) hangs, nothing ends it, not even shutdown; give fetch a context: Reconcile has ctx`
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "https://example.com/"+name, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
