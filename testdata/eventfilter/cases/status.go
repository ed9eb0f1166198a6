package cases

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/eventfilter/lib"
)

func created() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(event.UpdateEvent) bool { return false }}
}

// waiting waits until the workload is ready, and nobody tells it.
type waiting struct{ client.Client }

func (r *waiting) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	workload := new(appsv1.Deployment)
	if err := r.Get(ctx, req.NamespacedName, workload); err != nil {
		return ctrl.Result{}, err
	}
	if !lib.Available(workload) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, lib.Save(ctx, r, new(v1.Backup))
}

func statusNeverSeen(mgr manager.Manager, r *waiting) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&appsv1.Deployment{}).
		WithEventFilter(predicate.GenerationChangedPredicate{}). // want `^loss: the filter drops changes of the status of Deployment, which Reconcile tests \(lib/lib.go:\d+\) and never polls; let them through`
		Complete(r)
}

func statusNeverSeenOfOne(mgr manager.Manager, r *waiting) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&appsv1.Deployment{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})). // want `^loss: the filter drops changes of the status of Deployment`
		Complete(r)
}

// What looks like it and is right.

func onlyTheReconciledKind(mgr manager.Manager, r *waiting) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&appsv1.Deployment{}).
		Complete(r)
}

func statusCompared(mgr manager.Manager, r *waiting) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&appsv1.Deployment{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
			before, after := e.ObjectOld.(*appsv1.Deployment), e.ObjectNew.(*appsv1.Deployment)
			return before.Generation != after.Generation || before.Status.ReadyReplicas != after.Status.ReadyReplicas
		}})).
		Complete(r)
}

func createdOnly(mgr manager.Manager, r *waiting) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&appsv1.Deployment{}, builder.WithPredicates(created())).
		Complete(r)
}

// polling asks to be called again.
type polling struct{ client.Client }

func (r *polling) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	job := new(batchv1.Job)
	if err := r.Get(ctx, req.NamespacedName, job); err != nil {
		return ctrl.Result{}, err
	}
	if job.Status.Succeeded == 0 {
		return ctrl.Result{RequeueAfter: time.Minute}, nil
	}
	return ctrl.Result{}, nil
}

func polls(mgr manager.Manager, r *polling) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&batchv1.Job{}).
		WithEventFilter(predicate.GenerationChangedPredicate{}).
		Complete(r)
}

// handing hands on to a reconciler that nobody here knows: it may poll.
type handing struct {
	client.Client
	next reconcile.Reconciler
}

func (r *handing) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	job := new(batchv1.Job)
	if err := r.Get(ctx, req.NamespacedName, job); err != nil {
		return ctrl.Result{}, err
	}
	if job.Status.Succeeded == 0 {
		return r.next.Reconcile(ctx, req)
	}
	return ctrl.Result{}, nil
}

func handsOn(mgr manager.Manager, r *handing) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&batchv1.Job{}).
		WithEventFilter(predicate.GenerationChangedPredicate{}).
		Complete(r)
}

// logging only tells about the status.
type logging struct{ client.Client }

func (r *logging) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	job := new(batchv1.Job)
	if err := r.Get(ctx, req.NamespacedName, job); err != nil {
		return ctrl.Result{}, err
	}
	log.FromContext(ctx).Info("found", "succeeded", job.Status.Succeeded)
	return ctrl.Result{}, nil
}

func logs(mgr manager.Manager, r *logging) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&batchv1.Job{}).
		WithEventFilter(predicate.GenerationChangedPredicate{}).
		Complete(r)
}

// elsewhere has its Result from a function of another module, which may ask for more.
type elsewhere struct {
	client.Client
	again reconcile.Func
}

func (r *elsewhere) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	job := new(batchv1.Job)
	if err := r.Get(ctx, req.NamespacedName, job); err != nil {
		return ctrl.Result{}, err
	}
	if job.Status.Succeeded == 0 {
		return r.again.Reconcile(ctx, req)
	}
	return ctrl.Result{}, nil
}

func asksElsewhere(mgr manager.Manager, r *elsewhere) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&batchv1.Job{}).
		WithEventFilter(predicate.GenerationChangedPredicate{}).
		Complete(r)
}

// scheduling has a timer look at the status, and does not itself.
type scheduling struct{ client.Client }

func (r *scheduling) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	job := new(batchv1.Job)
	if err := r.Get(ctx, req.NamespacedName, job); err != nil {
		return ctrl.Result{}, err
	}
	time.AfterFunc(time.Hour, func() {
		if job.Status.Succeeded > 0 {
			_ = r.Delete(context.Background(), job)
		}
	})
	return ctrl.Result{}, nil
}

func schedules(mgr manager.Manager, r *scheduling) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&batchv1.Job{}).
		WithEventFilter(predicate.GenerationChangedPredicate{}).
		Complete(r)
}

// marking tests the status that it writes itself.
type marking struct{ client.Client }

func (r *marking) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	workload := new(appsv1.Deployment)
	if err := r.Get(ctx, req.NamespacedName, workload); err != nil {
		return ctrl.Result{}, err
	}
	if lib.Available(workload) {
		return ctrl.Result{}, nil
	}
	workload.Status.ObservedGeneration = workload.Generation
	return ctrl.Result{}, r.Status().Update(ctx, workload)
}

func itsOwnStatus(mgr manager.Manager, r *marking) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&appsv1.Deployment{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Complete(r)
}
