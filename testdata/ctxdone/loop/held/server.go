package held

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// filler fills its tables in Reconcile, and tries until that has worked.
type filler struct{ client.Client }

func (f *filler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	f.list()
	f.listByHelper()
	f.findByHelper()
	f.untilGone(req)
	f.untilThere(req)
	f.untilDeleted(ctx, req)
	f.writes()
	f.listsAndWrites()
	f.untilStored(ctx)
	return ctrl.Result{}, f.untilOneIsReady()
}

// untilStored tries again whatever the error is, with the context of the reconcile.
func (f *filler) untilStored(ctx context.Context) {
	for { // want `stuck: Reconcile holds its worker forever: if store keeps failing, nothing ends this loop; return and let the queue try again later`
		if err := f.store(ctx); err != nil {
			time.Sleep(time.Second)
			continue
		}
		return
	}
}

func (f *filler) store(ctx context.Context) error { return f.Create(ctx, new(corev1.Namespace)) }

// list tries again as long as the API server does not answer.
func (f *filler) list() *corev1.NodeList {
	for { // want `hygiene: Reconcile holds its worker forever: nothing but success ends this loop`
		nodes := new(corev1.NodeList)
		if err := f.List(context.Background(), nodes); err == nil {
			return nodes
		}
		time.Sleep(time.Second)
	}
}

// fill fails only if the list does.
func (f *filler) fill(nodes *corev1.NodeList) error {
	if err := f.List(context.Background(), nodes); err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	return nil
}

// listByHelper does the same through a helper, and without a for.
func (f *filler) listByHelper() {
redo: // want +1 `hygiene: Reconcile holds its worker forever`
	if err := f.fill(new(corev1.NodeList)); err != nil {
		time.Sleep(time.Second)
		goto redo
	}
}

// find fails as well if there is none.
func (f *filler) find(nodes *corev1.NodeList) error {
	if err := f.List(context.Background(), nodes); err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	if len(nodes.Items) == 0 {
		return fmt.Errorf("no node among %d", len(nodes.Items))
	}
	return nil
}

// findByHelper waits until there is one.
func (f *filler) findByHelper() {
	for { // want `stuck: Reconcile holds its worker forever`
		if err := f.find(new(corev1.NodeList)); err == nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// untilGone takes it for an answer that there is none.
func (f *filler) untilGone(req ctrl.Request) bool {
	for { // want `hygiene: Reconcile holds its worker forever`
		err := f.Get(context.Background(), req.NamespacedName, new(corev1.Namespace))
		if err == nil {
			return true
		}
		if apierrors.IsNotFound(err) {
			return false
		}
		time.Sleep(time.Second)
	}
}

// untilDeleted waits until the object is gone, which a finalizer may keep from happening.
func (f *filler) untilDeleted(ctx context.Context, req ctrl.Request) {
	deleted := false
	for !deleted { // want `stuck: Reconcile holds its worker forever: unless Get answers NotFound, nothing ends this loop; return and let the queue try again later`
		err := f.Get(ctx, req.NamespacedName, new(corev1.Namespace))
		if err != nil && apierrors.IsNotFound(err) {
			deleted = true
		}
		time.Sleep(time.Second)
	}
}

// untilThere waits until somebody makes the object.
func (f *filler) untilThere(req ctrl.Request) {
	for { // want `stuck: Reconcile holds its worker forever: nothing but success ends this loop.*; return and let the queue try again later`
		if err := f.Get(context.Background(), req.NamespacedName, new(corev1.Namespace)); err == nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// writes tries again with what it has: a conflict stays one.
func (f *filler) writes() {
	node := new(corev1.Node)
	for { // want `stuck: Reconcile holds its worker forever`
		if err := f.Status().Update(context.Background(), node); err == nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// listsAndWrites leaves the loop after a list, which comes after a write.
func (f *filler) listsAndWrites() {
	node := new(corev1.Node)
	for { // want `stuck: Reconcile holds its worker forever`
		if err := f.Update(context.Background(), node); err != nil {
			time.Sleep(time.Second)
			continue
		}
		if err := f.List(context.Background(), new(corev1.NodeList)); err == nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// untilOneIsReady waits for what others do.
func (f *filler) untilOneIsReady() error {
	for { // want `stuck: Reconcile holds its worker forever`
		nodes := new(corev1.NodeList)
		if err := f.List(context.Background(), nodes); err == nil && len(nodes.Items) > 0 {
			return nil
		}
		time.Sleep(time.Second)
	}
}
