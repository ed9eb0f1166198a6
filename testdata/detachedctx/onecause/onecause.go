// Package onecause has two helpers that end in one function of another package, which takes no
// context: given one, it makes both pass it.
package onecause

import (
	"context"
	"errors"

	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/detachedctx/onecause/follower"
)

type reconciler struct{ kube kubernetes.Interface }

// Reconcile has a context.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, errors.Join(r.first(), r.second(req.Name))
}

func (r *reconciler) first() error { // want `stuck: if Stream \(.*follower.go:\d+\) under context.TODO\(\) hangs, nothing ends it, not even shutdown; give first a context`
	_, err := follower.Log(r.kube, "first")
	return err
}

func (r *reconciler) second(pod string) error {
	log, err := follower.Log(r.kube, pod)
	if err == nil && len(log) == 0 {
		return errors.New("no log")
	}
	return err
}
