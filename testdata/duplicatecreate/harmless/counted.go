// Package harmless creates children of which one too many does little harm.
package harmless

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func podOf(backup *v1.Backup) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: backup.Name + "-", Namespace: backup.Namespace}}
}

// What a number lacks is made up for.
type scales struct{ client.Client }

func (r *scales) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	for range int(*backup.Spec.Replicas) - len(pods.Items) {
		if err := r.Create(ctx, podOf(backup)); err != nil { // want `hygiene: two of this Pod are made`
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, nil
}

// Another function is told how many.
type scalesByHelper struct{ client.Client }

func (r *scalesByHelper) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	if missing := int(*backup.Spec.Replicas) - alive(pods.Items); missing > 0 {
		return ctrl.Result{}, r.add(ctx, backup, missing)
	}
	return ctrl.Result{}, nil
}

func alive(pods []corev1.Pod) (n int) {
	for i := range pods {
		if pods[i].DeletionTimestamp.IsZero() {
			n++
		}
	}
	return n
}

func (r *scalesByHelper) add(ctx context.Context, backup *v1.Backup, missing int) error {
	for i := 0; i < missing; i++ {
		if err := r.Create(ctx, podOf(backup)); err != nil { // want `hygiene: two of this Pod are made`
			return err
		}
	}
	return nil
}

// One more, up to the most that there may be.
type upToMost struct{ client.Client }

func (r *upToMost) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	var count int32
	idle := false
	for _, pod := range pods.Items {
		if pod.Labels["backup"] == backup.Name {
			count++
			idle = idle || pod.Status.Phase == corev1.PodPending
		}
	}
	if idle || count >= *backup.Spec.Replicas {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Create(ctx, podOf(backup)) // want `hygiene: two of this Pod are made`
}

// A caller has counted.
type addsOne struct{ client.Client }

func (r *addsOne) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	if current := int32(len(pods.Items)); current < *backup.Spec.Replicas {
		return ctrl.Result{}, r.grow(ctx, backup)
	}
	return ctrl.Result{}, nil
}

func (r *addsOne) grow(ctx context.Context, backup *v1.Backup) error {
	return r.Create(ctx, podOf(backup)) // want `hygiene: two of this Pod are made`
}

// Some count, and there are always to be three.
type threeAlive struct{ client.Client }

func (r *threeAlive) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	pods := &corev1.PodList{}
	if err := r.List(ctx, pods, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	var running, active int
	for i := range pods.Items {
		switch pods.Items[i].Status.Phase {
		case corev1.PodRunning:
			running++
			active++
		case corev1.PodFailed, corev1.PodSucceeded:
		default:
			active++
		}
	}
	missing := 3 - active
	if missing < 0 {
		missing = 0
	}
	for i := 0; i < missing; i++ {
		if err := r.Create(ctx, podOf(backup)); err != nil { // want `hygiene: two of this Pod are made`
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{Requeue: running < active}, nil
}

// Mistakes: whether there is one, or more than that, is no number to come up to.
type single struct{ client.Client }

func (r *single) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	if len(pods.Items) > 1 {
		return ctrl.Result{Requeue: true}, nil
	}
	for i := range pods.Items {
		if pods.Items[i].Labels["backup"] == backup.Name {
			return ctrl.Result{}, nil
		}
	}
	return ctrl.Result{}, r.Create(ctx, podOf(backup)) // want `loss: two of this Pod are made`
}

// It is others that are counted.
type countsOthers struct{ client.Client }

func (r *countsOthers) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil || len(jobs.Items) >= int(*backup.Spec.Replicas) {
		return ctrl.Result{}, err
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil || len(pods.Items) > 0 {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Create(ctx, podOf(backup)) // want `loss: two of this Pod are made`
}

// One for each that is asked for: what there is is looked through, not counted.
type oneForEach struct{ client.Client }

func (r *oneForEach) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	for _, volume := range backup.Status.Volumes {
		found := false
		for i := 0; i < len(pods.Items); i++ {
			found = found || pods.Items[i].Labels["volume"] == volume.Name
		}
		if found {
			continue
		}
		if err := r.Create(ctx, podOf(backup)); err != nil { // want `loss: two of this Pod are made`
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, nil
}

// Right: what there is too much of is taken away again, by a helper.
type takesAway struct{ client.Client }

func (r *takesAway) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	if len(pods.Items) == 0 {
		return ctrl.Result{}, r.Create(ctx, podOf(backup))
	}
	for i := range pods.Items[1:] {
		if err := r.drop(ctx, &pods.Items[i+1]); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, nil
}

func (r *takesAway) drop(ctx context.Context, pod *corev1.Pod) error {
	return client.IgnoreNotFound(r.Delete(ctx, pod))
}
