package duplicatecreate

import (
	"context"
	"errors"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// A manager's client reads from the cache.
type ofManager struct{ mgr manager.Manager }

func (r *ofManager) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.mgr.GetClient().List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name + "-", Namespace: req.Namespace}}
	return ctrl.Result{}, r.mgr.GetClient().Create(ctx, job) // want `two of this Job are made`
}

// Right: what another accessor answers may be a client that asks the API server.

type target interface{ Client() client.Client }

type ofTarget struct{ target target }

func (r *ofTarget) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.target.Client().List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name + "-", Namespace: req.Namespace}}
	return ctrl.Result{}, r.target.Client().Create(ctx, job)
}

// Right: before one is made, the API server is asked as well.
type asksServer struct {
	client.Client
	live client.Reader
}

func (r *asksServer) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	if err := r.live.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	for i := range jobs.Items {
		if metav1.IsControlledBy(&jobs.Items[i], &batchv1.Job{ObjectMeta: metav1.ObjectMeta{UID: "owner"}}) {
			return ctrl.Result{}, errors.New("the cache is stale")
		}
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name + "-", Namespace: req.Namespace}}
	return ctrl.Result{}, r.Create(ctx, job)
}

// Others of the kind, or others' kinds, do not tell.
type asksForOwner struct {
	client.Client
	live client.Reader
}

func (r *asksForOwner) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var owner corev1.Pod
	if err := r.live.Get(ctx, req.NamespacedName, &owner); err != nil {
		return ctrl.Result{}, err
	}
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name + "-", Namespace: req.Namespace}}
	return ctrl.Result{}, r.Create(ctx, job) // want `two of this Job are made`
}
