// Package fix has findings with a fix.
package fix

import (
	"context"
	"net/http"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct {
	client client.Client
	ctx    context.Context
}

func newReconciler(ctx context.Context, c client.Client) *reconciler {
	return &reconciler{client: c, ctx: ctx}
}

func (r *reconciler) named(ctx context.Context, backup *v1.Backup) error {
	limited, cancel := context.WithTimeout(context.Background(), time.Minute) // want `hygiene: .*detachedctx/ctx-ignored`
	defer cancel()
	return r.client.Update(limited, backup)
}

func (r *reconciler) otherName(parent context.Context, backup *v1.Backup) error {
	ctx := context.TODO() // want `hygiene: .*detachedctx/ctx-ignored`
	return r.client.Update(ctx, backup)
}

func (r *reconciler) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) { // want `hygiene: .*detachedctx/ctx-blank`
	var backup v1.Backup
	if err := r.client.Get(context.TODO(), req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.client.Update(context.TODO(), &backup)
}

func (r *reconciler) unnamed(context.Context, *v1.Backup, string) error {
	return r.client.List(context.TODO(), &v1.BackupList{}) // want `hygiene: .*detachedctx/ctx-blank`
}

func (r *reconciler) becomesTheParameter(_ context.Context, backup *v1.Backup) error {
	ctx := context.TODO() // want `hygiene: .*detachedctx/ctx-blank`
	return r.client.Update(ctx, backup)
}

func (r *reconciler) field(backup *v1.Backup) error {
	return r.client.Update(context.TODO(), backup) // want `hygiene: .*detachedctx/field-ignored`
}

func (r *reconciler) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	_ = r.client.List(context.TODO(), &v1.BackupList{}) // want `hygiene: .*detachedctx/ctx-ignored`
}

func launders(ctx context.Context) context.Context {
	return context.Background() // want `hygiene: .*detachedctx/launders`
}

// There is no fix: another ctx is meant at the call.
func (r *reconciler) shadowed(ctx context.Context, backup *v1.Backup) error {
	if backup != nil {
		ctx := "a"
		_ = ctx
		return r.client.Update(context.TODO(), backup) // want `hygiene: .*detachedctx/ctx-ignored`
	}
	return r.client.Update(ctx, backup)
}

// There is no fix: ctx is declared anew.
func (r *reconciler) declared(ctx context.Context, backup *v1.Backup) error {
	if backup != nil {
		ctx := context.TODO() // want `hygiene: .*detachedctx/ctx-ignored`
		return r.client.Update(ctx, backup)
	}
	return r.client.Update(ctx, backup)
}

// There is no fix: the name is taken.
func (r *reconciler) taken(_ context.Context, backup *v1.Backup) error {
	ctx := backup.Name
	_ = ctx
	return r.client.Update(context.TODO(), backup) // want `hygiene: .*detachedctx/ctx-blank`
}

// One fix mends all calls of one cause.
func (r *reconciler) several(ctx context.Context, backup *v1.Backup) error {
	if err := r.client.Get(context.TODO(), client.ObjectKeyFromObject(backup), backup); err != nil {
		return err
	}
	return r.client.Update(context.TODO(), backup) // want `hygiene: Update and another call .*detachedctx/ctx-ignored`
}
