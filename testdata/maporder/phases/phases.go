// Package phases has controllers of objects that go from phase to phase.
package phases

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// store writes a status that has changed.
func store(ctx context.Context, c client.Client, b *v1.Backup, before *v1.BackupStatus) error {
	if equality.Semantic.DeepEqual(before, &b.Status) {
		return nil
	}
	return c.Status().Update(ctx, b)
}

func volumesOf(volumes map[string]string) []v1.VolumeStatus {
	var found []v1.VolumeStatus
	for name := range volumes {
		found = append(found, v1.VolumeStatus{Name: name}) // want `^hygiene: BackupStatus\.Volumes changes each time`
	}
	return found
}

// The list is made in the first phase, which is the last time.
type first struct{ client.Client }

func (r *first) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := b.Status.DeepCopy()
	switch b.Status.Phase {
	case "", v1.BackupPending:
		b.Status.Phase = v1.BackupRunning
		b.Status.Volumes = volumesOf(b.Labels)
		return ctrl.Result{}, store(ctx, r, b, before)
	}
	return ctrl.Result{}, nil
}

// So it is in a function that is run in one phase only.
type prepares struct{ client.Client }

func (r *prepares) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := b.Status.DeepCopy()
	if b.Status.Phase != v1.BackupPending {
		return ctrl.Result{}, nil
	}
	r.prepare(b)
	if len(b.Status.Volumes) == 0 {
		b.Status.Phase = v1.BackupFailed
	} else {
		b.Status.Phase = v1.BackupRunning
	}
	return ctrl.Result{}, store(ctx, r, b, before)
}

func (r *prepares) prepare(b *v1.Backup) {
	for name := range b.Labels {
		b.Status.Volumes = append(b.Status.Volumes, v1.VolumeStatus{Name: name}) // want `^hygiene: BackupStatus\.Volumes changes each time`
	}
}

// What is taken out of the map goes into the list once.
type moves struct{ client.Client }

func (r *moves) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := b.Status.DeepCopy()
	for name, phase := range b.Labels {
		if phase != "done" {
			continue
		}
		delete(b.Labels, name)
		b.Status.Volumes = append(b.Status.Volumes, v1.VolumeStatus{Name: name}) // want `^hygiene: BackupStatus\.Volumes changes each time`
	}
	return ctrl.Result{}, store(ctx, r, b, before)
}

// Another map's entries are still there the next time.
type forgets struct{ client.Client }

func (r *forgets) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := b.Status.DeepCopy()
	var volumes []v1.VolumeStatus
	for name := range b.Labels {
		delete(b.Annotations, name)
		volumes = append(volumes, v1.VolumeStatus{Name: name}) // want `^load: BackupStatus\.Volumes changes each time`
	}
	b.Status.Volumes = volumes
	return ctrl.Result{}, store(ctx, r, b, before)
}

// A phase in which the object stays is passed again and again.
type stays struct{ client.Client }

func (r *stays) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := b.Status.DeepCopy()
	if b.Status.Phase == v1.BackupRunning {
		var volumes []v1.VolumeStatus
		for name := range b.Labels {
			volumes = append(volumes, v1.VolumeStatus{Name: name}) // want `^load: BackupStatus\.Volumes changes each time`
		}
		b.Status.Phase = v1.BackupRunning
		b.Status.Volumes = volumes
	}
	return ctrl.Result{}, store(ctx, r, b, before)
}

// What is done in all other phases is done again.
type allBut struct{ client.Client }

func (r *allBut) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := b.Status.DeepCopy()
	if b.Status.Phase != v1.BackupCompleted {
		var volumes []v1.VolumeStatus
		for name := range b.Labels {
			volumes = append(volumes, v1.VolumeStatus{Name: name}) // want `^load: BackupStatus\.Volumes changes each time`
		}
		b.Status.Volumes = volumes
		if len(volumes) > 3 {
			b.Status.Phase = v1.BackupCompleted
		}
	}
	return ctrl.Result{}, store(ctx, r, b, before)
}

func setup(mgr ctrl.Manager, a *first, b *prepares, c *stays, d *allBut, e *moves, f *forgets) error {
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(a); err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(b); err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(c); err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(d); err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(e); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(f)
}
