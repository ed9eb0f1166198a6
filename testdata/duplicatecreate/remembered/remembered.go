// Package remembered creates children that the status of their owner remembers.
package remembered

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/duplicatecreate/resources"
)

// The time of the last run is in the status, and stored after the run has been started.
type scheduled struct{ client.Client }

func (r *scheduled) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	last := backup.CreationTimestamp.Time
	if backup.Status.StartTime != nil {
		last = backup.Status.StartTime.Time
	}
	next := last.Add(time.Hour)
	if next.After(time.Now()) {
		return ctrl.Result{RequeueAfter: time.Until(next)}, nil
	}
	job, err := r.jobOf(backup)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Create(ctx, job); err != nil { // want `^loss: another Job is made if the status that tells of this one is not stored, or not seen yet: its name is new each time; derive one that stays the same`
		return ctrl.Result{}, err
	}
	backup.Status.StartTime = &metav1.Time{Time: time.Now()}
	return ctrl.Result{}, r.store(ctx, backup)
}

func (r *scheduled) jobOf(backup *v1.Backup) (*batchv1.Job, error) {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%s", backup.Name, rand.String(5)), Namespace: backup.Namespace}}
	return job, ctrl.SetControllerReference(backup, job, r.Scheme())
}

func (r *scheduled) store(ctx context.Context, backup *v1.Backup) error {
	return r.Status().Update(ctx, backup)
}

// A function answers with the new status, and its caller stores it.
type answered struct{ client.Client }

func (r *answered) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var err error
	backup.Status, err = r.sync(ctx, backup)
	if updateErr := r.Status().Update(ctx, backup); err == nil {
		err = updateErr
	}
	return ctrl.Result{}, err
}

func (r *answered) sync(ctx context.Context, backup *v1.Backup) (v1.BackupStatus, error) {
	status := *backup.Status.DeepCopy()
	if status.Phase == v1.BackupRunning {
		return status, nil
	}
	status.Phase = v1.BackupRunning
	return status, r.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: backup.Name + "-", Namespace: backup.Namespace}}) // want `^loss: another Job is made if the status that tells of this one is not stored`
}

// Traps: the status is stored first.
type first struct{ client.Client }

func (r *first) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.Status.Phase == v1.BackupRunning {
		return ctrl.Result{}, nil
	}
	backup.Status.Phase = v1.BackupRunning
	if err := r.Status().Update(ctx, backup); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: backup.Name + "-", Namespace: backup.Namespace}}); err != nil {
		return ctrl.Result{}, err
	}
	backup.Status.Message = "started"
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

// The name is the owner's.
type named struct{ client.Client }

func (r *named) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.Status.Phase == v1.BackupRunning {
		return ctrl.Result{}, nil
	}
	if err := r.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}); err != nil {
		return ctrl.Result{}, err
	}
	backup.Status.Phase = v1.BackupRunning
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

// No status decides.
type bySpec struct{ client.Client }

func (r *bySpec) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.Spec.Paused {
		return ctrl.Result{}, nil
	}
	if err := r.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: backup.Name + "-", Namespace: backup.Namespace}}); err != nil {
		return ctrl.Result{}, err
	}
	backup.Status.Message = "started"
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

// The Jobs that are there are looked through, and those that are too many are deleted.
type looking struct{ client.Client }

func (r *looking) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	for i := range jobs.Items {
		if i > 0 {
			_ = r.Delete(ctx, &jobs.Items[i], client.PropagationPolicy(metav1.DeletePropagationBackground))
		}
	}
	if backup.Status.Phase == v1.BackupRunning {
		return ctrl.Result{}, nil
	}
	if err := r.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: backup.Name + "-", Namespace: backup.Namespace}}); err != nil {
		return ctrl.Result{}, err
	}
	backup.Status.Phase = v1.BackupRunning
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

// Kubernetes keeps this status, and not the operator.
type byPod struct{ client.Client }

func (r *byPod) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	pod := &corev1.Pod{}
	if err := r.Get(ctx, req.NamespacedName, pod); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if pod.Status.Phase != corev1.PodFailed {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: pod.Name + "-", Namespace: pod.Namespace}})
}

// What is made each time is no child: nothing is stored that tells of it.
type logged struct{ client.Client }

func (r *logged) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.Status.Phase != v1.BackupRunning {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: backup.Name + "-", Namespace: backup.Namespace}})
}

// Another package looks for the Jobs.
type asking struct{ client.Client }

func (r *asking) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.Status.Phase == v1.BackupRunning {
		return ctrl.Result{}, nil
	}
	if job := resources.JobOf(backup.Name); job != nil {
		return ctrl.Result{}, nil
	}
	if err := r.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: backup.Name + "-", Namespace: backup.Namespace}}); err != nil {
		return ctrl.Result{}, err
	}
	backup.Status.Phase = v1.BackupRunning
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}
