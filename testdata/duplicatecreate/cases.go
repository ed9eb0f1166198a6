// Package duplicatecreate creates children that a stale cache does not show.
package duplicatecreate

import (
	"context"
	"fmt"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/duplicatecreate/resources"
)

// The mistakes.

type direct struct{ client.Client }

func (r *direct) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	if len(jobs.Items) > 0 {
		return ctrl.Result{}, nil
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name + "-", Namespace: req.Namespace}}
	return ctrl.Result{}, r.Create(ctx, job) // want `two of this Job are made if the cache does not show the first one yet: its name is new each time; derive one that stays the same \(duplicatecreate/generated-name\)`
}

type byHelpers struct{ client.Client }

func (r *byHelpers) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	pods, err := r.podsOf(ctx, req)
	if err != nil {
		return ctrl.Result{}, err
	}
	if len(pods) == 0 {
		return ctrl.Result{}, r.spawn(ctx, req)
	}
	return ctrl.Result{}, nil
}

func (r *byHelpers) podsOf(ctx context.Context, req ctrl.Request) ([]corev1.Pod, error) {
	var list corev1.PodList
	if err := r.List(ctx, &list, client.MatchingLabels{"owner": req.Name}); err != nil {
		return nil, err
	}
	return list.Items, nil
}

func (r *byHelpers) spawn(ctx context.Context, req ctrl.Request) error {
	pod := podOf(req)
	return r.Create(ctx, pod) // want `two of this Pod are made if the cache does not show the first one yet.*\(duplicatecreate/generated-name\)`
}

func podOf(req ctrl.Request) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: fmt.Sprintf("%s-%s", req.Name, rand.String(5)), Namespace: req.Namespace, Labels: map[string]string{"owner": req.Name},
	}}
}

type byLister struct {
	core   kubernetes.Interface
	lister corelisters.SecretLister
}

func (r *byLister) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	secrets, err := r.lister.Secrets(req.Namespace).List(labels.SelectorFromSet(labels.Set{"owner": req.Name}))
	if err != nil || len(secrets) > 0 {
		return ctrl.Result{}, err
	}
	secret := &corev1.Secret{}
	secret.GenerateName = req.Name + "-"
	_, err = r.core.CoreV1().Secrets(req.Namespace).Create(ctx, secret, metav1.CreateOptions{}) // want `two of this Secret are made if the cache does not show the first one yet.*\(duplicatecreate/generated-name\)`
	return ctrl.Result{}, err
}

// Right.

type nameOfTheOwner struct{ client.Client }

func (r *nameOfTheOwner) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: req.Name + "-job", Namespace: req.Namespace}}
	if err := r.Create(ctx, job); err != nil && !apierrors.IsAlreadyExists(err) {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

type liveRead struct {
	client.Client
	live client.Reader
}

func (r *liveRead) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.live.List(ctx, &jobs); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name}})
}

type liveClientset struct{ core kubernetes.Interface }

func (r *liveClientset) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	pods, err := r.core.CoreV1().Pods(req.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil || len(pods.Items) > 0 {
		return ctrl.Result{}, err
	}
	_, err = r.core.CoreV1().Pods(req.Namespace).Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name}}, metav1.CreateOptions{})
	return ctrl.Result{}, err
}

type waitsForTheCache struct{ client.Client }

func (r *waitsForTheCache) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name}}
	if err := r.Create(ctx, job); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(ctx context.Context) (bool, error) {
		err := r.Get(ctx, client.ObjectKeyFromObject(job), job)
		return err == nil, client.IgnoreNotFound(err)
	})
}

type waitsElsewhere struct{ client.Client }

// Reconcile makes what is missing and has another function wait until the cache shows it.
func (r *waitsElsewhere) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs); err != nil {
		return ctrl.Result{}, err
	}
	var made []*batchv1.Job
	for range 3 - len(jobs.Items) {
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name}}
		if err := r.Create(ctx, job); err != nil {
			return ctrl.Result{}, err
		}
		made = append(made, job)
	}
	return ctrl.Result{}, r.untilSeen(ctx, made)
}

func (r *waitsElsewhere) untilSeen(ctx context.Context, made []*batchv1.Job) error {
	for _, job := range made {
		err := wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(ctx context.Context) (bool, error) {
			err := r.Get(ctx, client.ObjectKeyFromObject(job), job)
			return err == nil, client.IgnoreNotFound(err)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

type waitsByWrapper struct{ client.Client }

func (r *waitsByWrapper) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name}}
	if err := r.Create(ctx, job); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, resources.Until(time.Second, time.Minute, func() (bool, error) {
		err := r.Get(ctx, client.ObjectKeyFromObject(job), job)
		return err == nil, client.IgnoreNotFound(err)
	})
}

type expectations interface {
	ExpectCreations(key string, adds int)
	SatisfiedExpectations(key string) bool
}

type withExpectations struct {
	client.Client
	expected expectations
}

func (r *withExpectations) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if !r.expected.SatisfiedExpectations(req.String()) {
		return ctrl.Result{}, nil
	}
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	r.expected.ExpectCreations(req.String(), 1)
	return ctrl.Result{}, r.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name}})
}

type removesOthers struct{ client.Client }

func (r *removesOthers) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs); err != nil {
		return ctrl.Result{}, err
	}
	for i := range jobs.Items {
		if i > 0 {
			return ctrl.Result{}, r.Delete(ctx, &jobs.Items[i])
		}
	}
	if len(jobs.Items) > 0 {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name}})
}

type listOfOthers struct{ client.Client }

func (r *listOfOthers) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var pods corev1.PodList
	if err := r.List(ctx, &pods); err != nil || len(pods.Items) > 0 {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name}})
}

type evenIfThereIsOne struct{ client.Client }

func (r *evenIfThereIsOne) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var events corev1.EventList
	if err := r.List(ctx, &events); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Create(ctx, &corev1.Event{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name}})
}

// A command that runs once.
func migrate(ctx context.Context, c client.Client) error {
	var jobs batchv1.JobList
	if err := c.List(ctx, &jobs); err != nil || len(jobs.Items) > 0 {
		return err
	}
	return c.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: "migrate-"}})
}

// The claim keeps its name: a second run is refused before it gets to the pod.
type claimFirst struct{ client.Client }

func (r *claimFirst) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil || len(pods.Items) > 0 {
		return ctrl.Result{}, err
	}
	if err := r.claim(ctx, req); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Create(ctx, podOf(req))
}

func (r *claimFirst) claim(ctx context.Context, req ctrl.Request) error {
	claim := claimOf(req)
	if err := ctrl.SetControllerReference(&corev1.Namespace{}, claim, r.Scheme()); err != nil {
		return err
	}
	if err := r.Create(ctx, claim); err != nil {
		return err
	}
	return nil
}

func claimOf(req ctrl.Request) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: req.Name, Namespace: req.Namespace}}
}

// A claim that is there already is no reason to stop.
type claimAnyway struct{ client.Client }

func (r *claimAnyway) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil || len(pods.Items) > 0 {
		return ctrl.Result{}, err
	}
	if err := r.claim(ctx, req); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Create(ctx, podOf(req)) // want `two of this Pod are made`
}

func (r *claimAnyway) claim(ctx context.Context, req ctrl.Request) error {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: req.Name, Namespace: req.Namespace}}
	return client.IgnoreAlreadyExists(r.Create(ctx, claim))
}

// A review is never refused, and neither is what gets a new name.
type reviewFirst struct{ client.Client }

func (r *reviewFirst) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil || len(pods.Items) > 0 {
		return ctrl.Result{}, err
	}
	if err := r.Create(ctx, &authorizationv1.SelfSubjectAccessReview{ObjectMeta: metav1.ObjectMeta{Name: req.Name}}); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.scratch(ctx, req); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Create(ctx, podOf(req)) // want `two of this Pod are made`
}

func (r *reviewFirst) scratch(ctx context.Context, req ctrl.Request) error {
	return r.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name, Namespace: req.Namespace}})
}

// The claim is created only if its name is not known yet.
type claimOnce struct {
	client.Client
	name string
}

func (r *claimOnce) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil || len(pods.Items) > 0 {
		return ctrl.Result{}, err
	}
	if err := r.claim(ctx, req); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Create(ctx, podOf(req)) // want `two of this Pod are made`
}

func (r *claimOnce) claim(ctx context.Context, req ctrl.Request) error {
	if r.name != "" {
		return nil
	}
	return r.Create(ctx, &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: req.Name, Namespace: req.Namespace}})
}
