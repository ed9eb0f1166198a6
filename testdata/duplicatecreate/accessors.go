package duplicatecreate

import (
	"context"
	"errors"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
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

// Right: a client that can fail to be made is one for a cluster, which asks its API server.

type clusters struct{ byName map[string]*rest.Config }

func (c *clusters) clientFor(name string) (client.Client, error) {
	if c.byName[name] == nil {
		return nil, errors.New("no such cluster")
	}
	return newClient(c.byName[name])
}

var newClient func(*rest.Config) (client.Client, error)

type onCluster struct{ clusters *clusters }

func (r *onCluster) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	remote, err := r.clusters.clientFor(req.Name)
	if err != nil {
		return ctrl.Result{}, err
	}
	var jobs batchv1.JobList
	if err := remote.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name + "-", Namespace: req.Namespace}}
	return ctrl.Result{}, remote.Create(ctx, job)
}

// Right: either of two clients may be one that asks the API server, and was made elsewhere.
type ofTwoClusters struct {
	client.Client
	Tenants client.Client
}

func (r *ofTwoClusters) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, r.ensure(ctx, r.Tenants, req)
}

func (r *ofTwoClusters) ensure(ctx context.Context, c client.Client, req ctrl.Request) error {
	var jobs batchv1.JobList
	if err := c.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil || len(jobs.Items) > 0 {
		return err
	}
	return c.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name + "-", Namespace: req.Namespace}})
}

// The embedded one is the manager's.
type besideTenants struct {
	client.Client
	Tenants client.Client
}

func (r *besideTenants) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name + "-", Namespace: req.Namespace}}
	return ctrl.Result{}, r.Create(ctx, job) // want `two of this Job are made`
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
