package elsewhere

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/duplicatecreate/resources"
)

// createdThere has a function of another package create the Job.
type createdThere struct{ client.Client }

func (r *createdThere) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	if len(jobs.Items) == 0 {
		return ctrl.Result{}, resources.Create(ctx, r, resources.MakeJob(req.Name)) // want `two of this Job are made if the cache does not show the first one yet`
	}
	return ctrl.Result{}, nil
}

// found are the Jobs of an owner.
type found struct {
	done   []*batchv1.Job
	latest *batchv1.Job
}

// sorted picks the latest of the Jobs.
type sorted struct{ client.Client }

func (r *sorted) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	latest, err := r.latest(ctx, req)
	if err != nil {
		return ctrl.Result{}, err
	}
	if latest == nil {
		return ctrl.Result{}, r.Create(ctx, resources.MakeJob(req.Name)) // want `two of this Job are made`
	}
	return ctrl.Result{}, nil
}

func (r *sorted) latest(ctx context.Context, req ctrl.Request) (*batchv1.Job, error) {
	all, err := r.all(ctx, req)
	return all.latest, err
}

func (r *sorted) all(ctx context.Context, req ctrl.Request) (found, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil {
		return found{}, err
	}
	var all found
	for i := range jobs.Items {
		all.done = append(all.done, &jobs.Items[i])
		all.latest = &jobs.Items[i]
	}
	return all, nil
}

// Right: what there is has a name, or another one is looked for.

type namedThereToo struct{ client.Client }

func (r *namedThereToo) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	if len(jobs.Items) == 0 {
		return ctrl.Result{}, resources.Create(ctx, r, resources.MakeNamedJob(req.Name))
	}
	return ctrl.Result{}, nil
}

type upserts struct{ client.Client }

func (r *upserts) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	if len(jobs.Items) == 0 {
		return ctrl.Result{}, resources.Upsert(ctx, r, resources.MakeJob(req.Name))
	}
	return ctrl.Result{}, nil
}

// state has the Pods alone.
type state struct{ pods []corev1.Pod }

type ofPods struct{ client.Client }

func (r *ofPods) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	seen, err := r.state(ctx, req)
	if err != nil {
		return ctrl.Result{}, err
	}
	if len(seen.pods) == 0 {
		return ctrl.Result{}, r.Create(ctx, resources.MakeJob(req.Name))
	}
	return ctrl.Result{}, nil
}

func (r *ofPods) state(ctx context.Context, req ctrl.Request) (state, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil {
		return state{}, err
	}
	var pods corev1.PodList
	err := r.List(ctx, &pods, client.InNamespace(req.Namespace))
	return state{pods.Items}, err
}

// listedThere asks a store of another package.
type listedThere struct {
	client.Client
	store *resources.Store
}

func (r *listedThere) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	jobs, err := r.store.Jobs(ctx, req.Name)
	if err != nil {
		return ctrl.Result{}, err
	}
	if len(jobs) == 0 {
		return ctrl.Result{}, r.Create(ctx, resources.MakeJob(req.Name)) // want `two of this Job are made`
	}
	return ctrl.Result{}, nil
}

// listedLive asks one that reads from the API server.
type listedLive struct {
	client.Client
	live *resources.Live
}

func (r *listedLive) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	jobs, err := r.live.Jobs(ctx, req.Name)
	if err != nil {
		return ctrl.Result{}, err
	}
	if len(jobs) == 0 {
		return ctrl.Result{}, r.Create(ctx, resources.MakeJob(req.Name))
	}
	return ctrl.Result{}, nil
}

// othersThere looks for Pods.
type othersThere struct {
	client.Client
	store *resources.Store
}

func (r *othersThere) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	pods, err := r.store.Pods(ctx, req.Name)
	if err != nil {
		return ctrl.Result{}, err
	}
	if len(pods) == 0 {
		return ctrl.Result{}, r.Create(ctx, resources.MakeJob(req.Name))
	}
	return ctrl.Result{}, nil
}
