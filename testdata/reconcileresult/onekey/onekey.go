// Package onekey has controllers of which some see objects of one name alone.
package onekey

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const pause = 10 * time.Minute

func settingsName(prefix string) string { return prefix + "settings" }

// The operator's own settings: one key.
type settings struct{ client.Client }

func (r *settings) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	config := &corev1.ConfigMap{}
	if err := r.Get(ctx, req.NamespacedName, config); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{RequeueAfter: pause}, nil // want `^hygiene: the key of the deleted \*v1.ConfigMap comes back forever`
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func (r *settings) setup(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&corev1.ConfigMap{}).
		WithEventFilter(predicate.NewPredicateFuncs(func(obj client.Object) bool {
			labels := obj.GetLabels()
			if labels == nil {
				return false
			}
			return obj.GetName() == settingsName("operator-") && labels["name"] == "operator"
		})).
		Complete(r)
}

// The same by functions of each event.
type byEvent struct {
	client.Client
	name string
}

func (r *byEvent) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	config := &corev1.ConfigMap{}
	if err := r.Get(ctx, req.NamespacedName, config); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{RequeueAfter: pause}, nil // want `^hygiene: the key of the deleted`
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func (r *byEvent) setup(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&corev1.ConfigMap{}, builder.WithPredicates(predicate.Funcs{
			CreateFunc: func(e event.CreateEvent) bool { return e.Object.GetName() == r.name },
			UpdateFunc: func(e event.UpdateEvent) bool {
				if e.ObjectNew.GetName() != r.name {
					return false
				}
				return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration()
			},
			DeleteFunc: func(event.DeleteEvent) bool { return false },
		})).
		Complete(r)
}

// Many objects have one of these names.
type byPrefix struct{ client.Client }

func (r *byPrefix) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	config := &corev1.ConfigMap{}
	if err := r.Get(ctx, req.NamespacedName, config); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{RequeueAfter: pause}, nil // want `^leak: the key of each deleted`
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func (r *byPrefix) setup(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&corev1.ConfigMap{}).
		WithEventFilter(predicate.NewPredicateFuncs(func(obj client.Object) bool { return strings.HasPrefix(obj.GetName(), "operator-") })).
		Complete(r)
}

// Each object has the name that its own label says, and all but one have another one.
type byLabel struct{ client.Client }

func (r *byLabel) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	config := &corev1.ConfigMap{}
	if err := r.Get(ctx, req.NamespacedName, config); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{RequeueAfter: pause}, nil // want `^leak: the key of each deleted`
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func (r *byLabel) setup(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&corev1.ConfigMap{}).
		WithEventFilter(predicate.NewPredicateFuncs(func(obj client.Object) bool {
			return obj.GetName() == "operator-"+obj.GetLabels()["name"] || obj.GetName() != "operator"
		})).
		Complete(r)
}

// Others are named by what another kind says.
type byOthers struct{ client.Client }

func (r *byOthers) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	config := &corev1.ConfigMap{}
	if err := r.Get(ctx, req.NamespacedName, config); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{RequeueAfter: pause}, nil // want `^leak: the key of each deleted`
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func (r *byOthers) setup(mgr ctrl.Manager) error {
	isOwn := predicate.NewPredicateFuncs(func(obj client.Object) bool { return obj.GetName() == "operator" })
	return ctrl.NewControllerManagedBy(mgr).
		For(&corev1.ConfigMap{}, builder.WithPredicates(isOwn)).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(func(_ context.Context, obj client.Object) []reconcile.Request {
			return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(obj)}}
		})).
		Complete(r)
}

// A filter lets no deletion through: a key comes back only if the object goes while it waits.
type deaf struct{ client.Client }

func (r *deaf) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	ns := &corev1.Namespace{}
	if err := r.Get(ctx, req.NamespacedName, ns); err != nil {
		return ctrl.Result{RequeueAfter: pause}, client.IgnoreNotFound(err) // want `^hygiene: the key of each deleted \*v1.Namespace comes back forever`
	}
	return ctrl.Result{}, nil
}

func rejectDeletions(log func(string)) func(event.DeleteEvent) bool {
	return func(event.DeleteEvent) bool {
		log("left out")
		return false
	}
}

func updates(log func(string)) predicate.Funcs {
	return predicate.Funcs{
		DeleteFunc: rejectDeletions(log),
		UpdateFunc: func(e event.UpdateEvent) bool {
			return e.ObjectNew.GetLabels()["check"] != e.ObjectOld.GetLabels()["check"]
		},
	}
}

func (r *deaf) setup(mgr ctrl.Manager, log func(string)) error {
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Namespace{}).WithEventFilter(updates(log)).Complete(r)
}

// The deletion of a child names the owner, which may be gone.
type owner struct{ client.Client }

func (r *owner) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	ns := &corev1.Namespace{}
	if err := r.Get(ctx, req.NamespacedName, ns); err != nil {
		return ctrl.Result{RequeueAfter: pause}, client.IgnoreNotFound(err) // want `^leak: the key of each deleted \*v1.Namespace comes back forever`
	}
	return ctrl.Result{}, nil
}

func (r *owner) setup(mgr ctrl.Manager, log func(string)) error {
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Namespace{}, builder.WithPredicates(updates(log))).Owns(&corev1.ConfigMap{}).Complete(r)
}

// Each process looks after the object of its own node.
type agent struct {
	client.Client
	node string
}

func (r *agent) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if r.node != req.NamespacedName.Name {
		return ctrl.Result{}, nil
	}
	node := &corev1.Node{}
	if err := r.Get(ctx, req.NamespacedName, node); err != nil {
		return ctrl.Result{RequeueAfter: pause}, client.IgnoreNotFound(err) // want `^hygiene: the key of the deleted \*v1.Node comes back forever`
	}
	return ctrl.Result{}, nil
}

// All but one come back.
type others struct {
	client.Client
	node string
}

func (r *others) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if r.node == req.Name {
		return ctrl.Result{}, nil
	}
	node := &corev1.Node{}
	if err := r.Get(ctx, req.NamespacedName, node); err != nil {
		return ctrl.Result{RequeueAfter: pause}, client.IgnoreNotFound(err) // want `^leak: the key of each deleted \*v1.Node comes back forever`
	}
	return ctrl.Result{}, nil
}

func setupNodes(mgr ctrl.Manager, a *agent, o *others) error {
	if err := ctrl.NewControllerManagedBy(mgr).For(&corev1.Node{}).Complete(a); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).Named("others").For(&corev1.Node{}).Complete(o)
}
