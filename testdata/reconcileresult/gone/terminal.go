package gone

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// After a terminal error the key does not come back.

type terminal struct{ client.Client }

func (r *terminal) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{}, reconcile.TerminalError(fmt.Errorf("no such backup: %w", err))
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

type made struct{ client.Client }

func (r *made) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		if apierrors.IsNotFound(err) {
			missing := reconcile.TerminalError(errors.New("no such backup"))
			return ctrl.Result{}, missing
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

type asItIs struct{ client.Client }

func (r *asItIs) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, reconcile.TerminalError(err)
	}
	return ctrl.Result{}, nil
}

// A terminal error of something else is none of the Get's.
type elsewhere struct{ client.Client }

func (r *elsewhere) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if req.Name == "" {
		return ctrl.Result{}, reconcile.TerminalError(errors.New("no name"))
	}
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{}, fmt.Errorf("no such backup: %w", err) // want `leak: .* ends in an error`
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}
