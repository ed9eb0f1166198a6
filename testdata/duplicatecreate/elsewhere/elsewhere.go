// Package elsewhere creates what another package puts together.
package elsewhere

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/duplicatecreate/resources"
)

type built struct{ client.Client }

func (r *built) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	job := resources.MakeJob(req.Name)
	job.Namespace = req.Namespace
	return ctrl.Result{}, r.Create(ctx, job) // want `two of this Job are made if the cache does not show the first one yet`
}

type builtByValue struct{ client.Client }

func (r *builtByValue) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var secrets corev1.SecretList
	if err := r.List(ctx, &secrets, client.InNamespace(req.Namespace)); err != nil || len(secrets.Items) > 0 {
		return ctrl.Result{}, err
	}
	secret := resources.MakeSecret(req.Name)
	return ctrl.Result{}, r.Create(ctx, &secret) // want `two of this Secret are made if the cache does not show the first one yet`
}

type namedThere struct{ client.Client }

func (r *namedThere) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil || len(pods.Items) > 0 {
		return ctrl.Result{}, err
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: resources.UniqueName(req.Name), Namespace: req.Namespace}}
	return ctrl.Result{}, r.Create(ctx, pod) // want `two of this Pod are made if the cache does not show the first one yet`
}

// Right: the names are the same each time.

type named struct{ client.Client }

func (r *named) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, client.IgnoreAlreadyExists(r.Create(ctx, resources.MakeNamedJob(req.Name)))
}

type namedAfterwards struct{ client.Client }

func (r *namedAfterwards) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	job := resources.MakeJob(req.Name)
	job.Name = resources.ChildName(req.Name)
	return ctrl.Result{}, client.IgnoreAlreadyExists(r.Create(ctx, job))
}

// The one that is there, or a new one, is handed on to be written.
type handsOn struct{ client.Client }

func (r *handsOn) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	job, isNew, err := r.jobFor(ctx, req)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.upsert(ctx, job, isNew)
}

func (r *handsOn) jobFor(ctx context.Context, req ctrl.Request) (*batchv1.Job, bool, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil {
		return nil, false, err
	}
	if len(jobs.Items) == 0 {
		return resources.MakeJob(req.Name), true, nil // want `two of this Job are made if the cache does not show the first one yet: its name is new each time \(resources/resources\.go:[0-9]+\); derive`
	}
	return &jobs.Items[0], false, nil
}

func (r *handsOn) upsert(ctx context.Context, job *batchv1.Job, isNew bool) error {
	if isNew {
		return r.Create(ctx, job)
	}
	return r.Update(ctx, job)
}

// Right: what is handed on has the owner's name, and what is only looked at is not created.
type handsOnNamed struct{ handsOn }

func (r *handsOnNamed) jobFor(ctx context.Context, req ctrl.Request) (*batchv1.Job, bool, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil {
		return nil, false, err
	}
	if len(jobs.Items) == 0 {
		return resources.MakeNamedJob(req.Name), true, nil
	}
	return &jobs.Items[0], false, nil
}

func (r *handsOnNamed) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	job, isNew, err := r.jobFor(ctx, req)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.upsert(ctx, job, isNew)
}

type compares struct{ client.Client }

func (r *compares) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var secrets corev1.SecretList
	if err := r.List(ctx, &secrets, client.InNamespace(req.Namespace)); err != nil || len(secrets.Items) > 0 {
		return ctrl.Result{}, err
	}
	expected := resources.MakeSecret(req.Name)
	return ctrl.Result{Requeue: len(expected.Data) > 0}, nil
}

// The name of the one that is there is taken over.
type takesOver struct{ client.Client }

func (r *takesOver) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	for _, required := range requiredJobs(req, jobs.Items) {
		if err := r.apply(ctx, required); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, nil
}

func requiredJobs(req ctrl.Request, existing []batchv1.Job) []*batchv1.Job {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name + "-", Namespace: req.Namespace}}
	for _, other := range existing {
		if other.Labels["owner"] == req.Name {
			job.Name = other.Name // want `two of this Job are made if the cache does not show the first one yet, whose name is taken over; derive one that stays the same`
			break
		}
	}
	return []*batchv1.Job{job}
}

func (r *takesOver) apply(ctx context.Context, job *batchv1.Job) error {
	if job.Name == "" {
		return r.Create(ctx, job)
	}
	return r.Update(ctx, job)
}

// Right: nothing is generated, and the name is another kind's.
func renamed(req ctrl.Request, existing []batchv1.Job, pods []corev1.Pod) []*batchv1.Job {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace}}
	for _, other := range existing {
		job.Name = other.Name
	}
	second := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name, Namespace: req.Namespace}}
	for _, pod := range pods {
		second.Name = pod.Name
	}
	return []*batchv1.Job{job, second}
}

type renames struct{ client.Client }

func (r *renames) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{Requeue: len(renamed(req, nil, nil)) > 0}, nil
}

// Right: a helper, or a literal, gives the name.
type namedByHelpers struct{ client.Client }

func (r *namedByHelpers) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	job := resources.MakeJob(req.Name)
	resources.Rename(job, req.Name)
	if err := client.IgnoreAlreadyExists(r.Create(ctx, job)); err != nil {
		return ctrl.Result{}, err
	}
	second := resources.MakeJob(req.Name)
	rename := func() { second.Name = resources.ChildName("second-" + req.Name) }
	rename()
	return ctrl.Result{}, client.IgnoreAlreadyExists(r.Create(ctx, second))
}

// A helper leaves it to the API server.
type generatedByHelper struct{ client.Client }

func (r *generatedByHelper) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil || len(pods.Items) > 0 {
		return ctrl.Result{}, err
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace}}
	resources.Generate(pod, req.Name)
	return ctrl.Result{}, r.Create(ctx, pod) // want `two of this Pod are made if the cache does not show the first one yet`
}
