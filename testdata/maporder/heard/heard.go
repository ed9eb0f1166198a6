// Package heard has a controller that runs again for each change of a status. What it writes each
// time, compared with nothing, is hygiene: in real operators mostly something else in such a status
// changes as well.
package heard

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	status := statusOf(map[string]string{"a": b.Name, "b": b.Name})
	b.Status = *status
	return ctrl.Result{}, r.Status().Update(ctx, b)
}

func statusOf(volumes map[string]string) *v1.BackupStatus {
	status := &v1.BackupStatus{}
	for name := range volumes {
		status.Volumes = append(status.Volumes, v1.VolumeStatus{Name: name}) // want `^hygiene: BackupStatus\.Volumes changes each time`
	}
	return status
}

// The status that is compared is another one each time anyhow: by how long that took, by a moment.
// What is set seldom leaves it the same as a rule.
type syncer struct{ client.Client }

func (s *syncer) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := s.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	volumes := map[string]string{"a": b.Name, "b": b.Name}
	return ctrl.Result{}, errors.Join(s.timed(ctx, b, volumes), s.stamped(ctx, b, volumes), s.seconds(ctx, b, volumes), s.seldom(ctx, b, volumes), s.rounded(ctx, b, volumes), s.whole(ctx, b, volumes))
}

func (s *syncer) store(ctx context.Context, b *v1.Backup, before *v1.BackupStatus) error {
	if equality.Semantic.DeepEqual(before, &b.Status) {
		return nil
	}
	return s.Status().Update(ctx, b)
}

func (s *syncer) timed(ctx context.Context, b *v1.Backup, volumes map[string]string) error {
	before := b.Status.DeepCopy()
	start := time.Now()
	var found []v1.VolumeStatus
	for name := range volumes {
		found = append(found, v1.VolumeStatus{Name: name}) // want `^hygiene: BackupStatus\.Volumes changes each time`
	}
	took := time.Since(start)
	b.Status.Volumes = found
	b.Status.Message = took.String()
	return s.store(ctx, b, before)
}

func (s *syncer) stamped(ctx context.Context, b *v1.Backup, volumes map[string]string) error {
	before := b.Status.DeepCopy()
	b.Status.ObservedGeneration = time.Now().UnixNano()
	var found []v1.VolumeStatus
	for name := range volumes {
		found = append(found, v1.VolumeStatus{Name: name}) // want `^hygiene: BackupStatus\.Volumes changes each time`
	}
	b.Status.Volumes = found
	return s.store(ctx, b, before)
}

func (s *syncer) seconds(ctx context.Context, b *v1.Backup, volumes map[string]string) error {
	before := b.Status.DeepCopy()
	var found []v1.VolumeStatus
	for name := range volumes {
		found = append(found, v1.VolumeStatus{Name: name}) // want `^hygiene: BackupStatus\.Volumes changes each time`
	}
	b.Status.Volumes = found
	now := metav1.Now()
	b.Status.StartTime = &now
	return s.store(ctx, b, before)
}

func (s *syncer) seldom(ctx context.Context, b *v1.Backup, volumes map[string]string) error {
	before := b.Status.DeepCopy()
	start := time.Now()
	var found []v1.VolumeStatus
	for name := range volumes {
		found = append(found, v1.VolumeStatus{Name: name}) // want `^load: BackupStatus\.Volumes changes each time`
	}
	b.Status.Volumes = found
	if b.Status.Message == "" {
		b.Status.Message = time.Since(start).String()
	}
	return s.store(ctx, b, before)
}

func (s *syncer) rounded(ctx context.Context, b *v1.Backup, volumes map[string]string) error {
	before := b.Status.DeepCopy()
	start := time.Now()
	var found []v1.VolumeStatus
	for name := range volumes {
		found = append(found, v1.VolumeStatus{Name: name}) // want `^load: BackupStatus\.Volumes changes each time`
	}
	b.Status.Volumes = found
	b.Status.Message = time.Since(start).Round(time.Minute).String()
	return s.store(ctx, b, before)
}

// made is a status of its own, with the time of the moment.
func made(volumes map[string]string) v1.BackupStatus {
	now := metav1.Now()
	status := v1.BackupStatus{StartTime: &now}
	for name := range volumes {
		status.Volumes = append(status.Volumes, v1.VolumeStatus{Name: name}) // want `^hygiene: BackupStatus\.Volumes changes each time`
	}
	return status
}

func (s *syncer) whole(ctx context.Context, b *v1.Backup, volumes map[string]string) error {
	status := made(volumes)
	if equality.Semantic.DeepEqual(b.Status, status) {
		return nil
	}
	b.Status = status
	return s.Status().Update(ctx, b)
}

func (r *reconciler) SetupWithManager(mgr ctrl.Manager) error {
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(&syncer{}); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}
