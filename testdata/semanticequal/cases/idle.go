package cases

import (
	"context"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// What was just created is news.
func (r *reconciler) createsOnce(ctx context.Context, backup *v1.Backup, job *appsv1.StatefulSet) error {
	found := &appsv1.StatefulSet{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(job), found); err == nil {
		return nil
	} else if !apierrors.IsNotFound(err) {
		return err
	}
	if err := r.Create(ctx, job); err != nil {
		return err
	}
	status := &v1.BackupStatus{Phase: v1.BackupRunning, Message: job.Name}
	if !reflect.DeepEqual(backup.Status, status) { // want `^hygiene: this is never equal`
		backup.Status = *status
		return r.Status().Update(ctx, backup)
	}
	return nil
}

func (r *reconciler) serves(ctx context.Context, backup *v1.Backup, service *corev1.Service) error {
	if err := r.Create(ctx, service); err != nil {
		return err
	}
	return r.storeAddress(ctx, backup, service)
}

// storeAddress is called after a creation only.
func (r *reconciler) storeAddress(ctx context.Context, backup *v1.Backup, service *corev1.Service) error {
	status := &v1.BackupStatus{Message: service.Spec.ClusterIP}
	if reflect.DeepEqual(backup.Status, status) { // want `^hygiene: this is never equal`
		return nil
	}
	backup.Status = *status
	return r.Status().Update(ctx, backup)
}

// What was created, or found, is compared each time.
func (r *reconciler) createsIfMissing(ctx context.Context, backup *v1.Backup, job *appsv1.StatefulSet) error {
	found := &appsv1.StatefulSet{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(job), found); apierrors.IsNotFound(err) {
		if err := r.Create(ctx, job); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	status := &v1.BackupStatus{Phase: v1.BackupRunning, Message: job.Name}
	if !reflect.DeepEqual(backup.Status, status) { // want `^load: this is never equal`
		backup.Status = *status
		return r.Status().Update(ctx, backup)
	}
	return nil
}

// The helper creates what is missing, and is asked each time.
func (r *reconciler) createsInHelper(ctx context.Context, backup *v1.Backup, job *appsv1.StatefulSet) error {
	if err := r.createIfMissing(ctx, job); err != nil {
		return err
	}
	status := &v1.BackupStatus{Phase: v1.BackupRunning, Message: job.Name}
	if !reflect.DeepEqual(backup.Status, status) { // want `^load: this is never equal`
		backup.Status = *status
		return r.Status().Update(ctx, backup)
	}
	return nil
}

func (r *reconciler) createIfMissing(ctx context.Context, job *appsv1.StatefulSet) error {
	found := &appsv1.StatefulSet{}
	err := r.Get(ctx, client.ObjectKeyFromObject(job), found)
	if apierrors.IsNotFound(err) {
		return r.Create(ctx, job)
	}
	return err
}

// The time of the round is in it.
func (r *reconciler) stamps(ctx context.Context, backup *v1.Backup) error {
	before := backup.Status.DeepCopy()
	status := progress(backup.Status)
	if !reflect.DeepEqual(before, status) { // want `^hygiene: this is never equal`
		backup.Status = status
		return r.Status().Update(ctx, backup)
	}
	return nil
}

func progress(status v1.BackupStatus) v1.BackupStatus {
	replaceCondition(&status, &metav1.Condition{Type: "Ready", LastTransitionTime: metav1.Now()})
	return status
}

func replaceCondition(status *v1.BackupStatus, condition *metav1.Condition) {
	for i := range status.Conditions {
		if status.Conditions[i].Type == condition.Type {
			status.Conditions[i] = *condition
		}
	}
}

func (r *reconciler) stampsItself(ctx context.Context, backup *v1.Backup) error {
	before := backup.Status.DeepCopy()
	now := metav1.Now()
	backup.Status.StartTime = &now
	if !reflect.DeepEqual(before, backup.Status) { // want `^hygiene: this is never equal`
		return r.Status().Update(ctx, backup)
	}
	return nil
}

// It is stamped when it begins.
func (r *reconciler) stampsOnce(ctx context.Context, backup *v1.Backup) error {
	before := backup.Status.DeepCopy()
	if backup.Status.StartTime == nil {
		now := metav1.Now()
		backup.Status.StartTime = &now
	}
	if !reflect.DeepEqual(before, backup.Status) { // want `^load: this is never equal`
		return r.Status().Update(ctx, backup)
	}
	return nil
}

// A condition keeps its time if it is the same.
func (r *reconciler) keepsTransition(ctx context.Context, backup *v1.Backup) error {
	before := backup.Status.DeepCopy()
	backup.SetCondition(metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, LastTransitionTime: metav1.Now()})
	if !reflect.DeepEqual(before, backup.Status) { // want `^load: this is never equal`
		return r.Status().Update(ctx, backup)
	}
	return nil
}

// Change changes a status.
type Change func(*v1.BackupStatus)

// StoreChanges is given what there is to change, if there is something.
func (r *reconciler) StoreChanges(ctx context.Context, backup *v1.Backup, changes ...Change) error {
	before := backup.Status
	after := before.DeepCopy()
	for _, change := range changes {
		change(after)
	}
	if reflect.DeepEqual(before, after) { // want `^hygiene: this is never equal`
		return nil
	}
	backup.Status = *after
	return r.Status().Update(ctx, backup)
}

// The change is its own.
func (r *reconciler) storeOwnChange(ctx context.Context, backup *v1.Backup) error {
	change := func(status *v1.BackupStatus) { status.Message = backup.Spec.Source }
	before := backup.Status
	after := before.DeepCopy()
	change(after)
	if reflect.DeepEqual(before, after) { // want `^load: this is never equal`
		return nil
	}
	backup.Status = *after
	return r.Status().Update(ctx, backup)
}

// What was built has no UID: it would be another one as a value, too.
func (r *reconciler) wholes(ctx context.Context, key client.ObjectKey) error {
	var found appsv1.Deployment
	if err := r.Get(ctx, key, &found); err != nil {
		return err
	}
	want := r.desired(key.Name)
	if !reflect.DeepEqual(want, found) { // want `^hygiene: this is never equal`
		return r.Update(ctx, want)
	}
	return nil
}

// A copy of the whole is the same but for what was changed.
func (r *reconciler) wholeCopy(ctx context.Context, key client.ObjectKey) error {
	var found appsv1.Deployment
	if err := r.Get(ctx, key, &found); err != nil {
		return err
	}
	stored := found.DeepCopy()
	r.prepare(&found)
	if !reflect.DeepEqual(stored, found) { // want `^load: this is never equal`
		return r.Update(ctx, &found)
	}
	return nil
}
