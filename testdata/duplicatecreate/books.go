package duplicatecreate

import (
	"context"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// keepsBook remembers by itself what it has created, until the cache shows it.
type keepsBook struct {
	client.Client
	pending pending
}

type pending struct{ of sync.Map }

func (p *pending) add(of types.NamespacedName)      { p.of.Store(of, true) }
func (p *pending) seen(of types.NamespacedName)     { p.of.Delete(of) }
func (p *pending) has(of types.NamespacedName) bool { _, ok := p.of.Load(of); return ok }

func (r *keepsBook) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	if len(jobs.Items) > 0 {
		r.pending.seen(req.NamespacedName)
		return ctrl.Result{}, nil
	}
	if r.pending.has(req.NamespacedName) {
		return ctrl.Result{Requeue: true}, nil
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name + "-", Namespace: req.Namespace}}
	if err := r.Create(ctx, job); err != nil {
		return ctrl.Result{}, err
	}
	r.pending.add(req.NamespacedName)
	return ctrl.Result{}, nil
}

// mapOfIts is the same with a map.
type mapOfIts struct {
	client.Client
	mu   sync.Mutex
	made map[types.NamespacedName]types.UID
}

func (r *mapOfIts) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	if _, ok := r.made[req.NamespacedName]; ok || len(pods.Items) > 0 {
		return ctrl.Result{}, nil
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name + "-", Namespace: req.Namespace}}
	if err := r.Create(ctx, pod); err != nil {
		return ctrl.Result{}, err
	}
	r.made[req.NamespacedName] = pod.UID
	return ctrl.Result{}, nil
}

// countsThem only counts: that keeps nothing from being made twice.
type countsThem struct {
	client.Client
	made map[types.NamespacedName]int
}

func (r *countsThem) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	if len(pods.Items) > 0 {
		return ctrl.Result{}, nil
	}
	r.made[req.NamespacedName] = len(pods.Items)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name + "-", Namespace: req.Namespace}}
	return ctrl.Result{}, r.Create(ctx, pod) // want `two of this Pod are made if the cache does not show the first one yet`
}

// throttled notes when it last saw to an object, and a filter keeps the next event off until the
// cache has come after.
type throttled struct {
	client.Client
	last map[string]time.Time
}

func (r *throttled) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.last[req.Name] = time.Now()
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs); err != nil || len(jobs.Items) > 0 {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: req.Name}})
}

func (r *throttled) mayRun(o client.Object) bool {
	last, ok := r.last[o.GetName()]
	return !ok || time.Since(last) > time.Minute
}
