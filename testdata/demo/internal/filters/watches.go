package filters

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

// Nodes sees to it that no Cache has more servers than there are nodes.
type Nodes struct {
	client.Client
}

// SetupWithManager registers the controller.
func (r *Nodes) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("node").
		For(&v1alpha1.Cache{}).
		Watches(&corev1.Node{}, &handler.EnqueueRequestForObject{}).
		Complete(r)
}

// Reconcile limits the servers of one Cache.
func (r *Nodes) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var cache v1alpha1.Cache
	if err := r.Get(ctx, req.NamespacedName, &cache); err != nil {
		return ctrl.Result{}, err
	}
	var nodes corev1.NodeList
	if err := r.List(ctx, &nodes); err != nil {
		return ctrl.Result{}, err
	}
	most := int32(len(nodes.Items))
	if cache.Spec.Replicas == nil || *cache.Spec.Replicas <= most {
		return ctrl.Result{}, nil
	}
	cache.Spec.Replicas = &most
	return ctrl.Result{}, r.Update(ctx, &cache)
}

// Schedules saves each Cache every night, and once at its start.
type Schedules struct {
	client.Client
}

// SetupWithManager registers the controller.
func (r *Schedules) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("schedule").
		For(&v1alpha1.Cache{}).
		Owns(&batchv1.CronJob{}).
		Owns(&batchv1.Job{}).
		Complete(r)
}

// Reconcile makes the schedule of one Cache, and the first job of it.
func (r *Schedules) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var cache v1alpha1.Cache
	if err := r.Get(ctx, req.NamespacedName, &cache); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	schedule := &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Name: cache.Name, Namespace: cache.Namespace},
		Spec:       batchv1.CronJobSpec{Schedule: "@midnight"},
	}
	if err := ctrl.SetControllerReference(&cache, schedule, r.Scheme()); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Create(ctx, schedule); err != nil {
		if apierrors.IsAlreadyExists(err) {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, err
	}
	first := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: cache.Name + "-first", Namespace: cache.Namespace},
		Spec:       *schedule.Spec.JobTemplate.Spec.DeepCopy(),
	}
	if err := ctrl.SetControllerReference(schedule, first, r.Scheme()); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Create(ctx, first); err != nil && !apierrors.IsAlreadyExists(err) {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}
