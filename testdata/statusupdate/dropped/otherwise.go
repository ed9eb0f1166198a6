package dropped

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// What is set has this one way to the API server.

func (r *reconciler) reset(ctx context.Context, key client.ObjectKey, force bool) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	base := b.DeepCopy()
	if force {
		b.Status.Phase = v1.BackupPending
	}
	b.Labels = map[string]string{"forced": "true"}
	return r.Patch(ctx, b, client.MergeFrom(base)) // want `loss: status set .*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) assign(ctx context.Context, key client.ObjectKey, owner string) (*v1.Backup, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return nil, err
	}
	b.Status.Message = owner
	b.Labels = map[string]string{"owner": owner}
	if err := r.Update(ctx, b); err != nil { // want `loss: status set .*\(statusupdate/dropped-by-update\)`
		return nil, err
	}
	return b, nil
}

// What is set is stored on another way: the update that has dropped it leads there.

func (r *reconciler) plan(ctx context.Context, key client.ObjectKey, labels map[string]string) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	b.Status.Message = "planned"
	if len(labels) > 0 {
		b.Labels = labels
		return r.Update(ctx, b) // want `hygiene: status set .*\(statusupdate/dropped-by-update\)`
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) planned(ctx context.Context, b *v1.Backup, labels map[string]string) (*v1.Backup, error) {
	planned := b.DeepCopy()
	planned.Status.Message = "planned"
	if len(labels) == 0 {
		return planned, nil
	}
	planned.Labels = labels
	return b, r.Update(ctx, planned) // want `hygiene: status set .*\(statusupdate/dropped-by-update\)`
}

// observe sets what each round sets, and most of them store.
func observe(b *v1.Backup, labels map[string]string) {
	b.Status.Message = labels["state"]
}

func (r *reconciler) rollBack(ctx context.Context, key client.ObjectKey, labels map[string]string) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	observe(b, labels)
	b.Labels = labels
	return r.Update(ctx, b) // want `hygiene: status set .*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) follow(ctx context.Context, key client.ObjectKey, labels map[string]string) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	observe(b, labels)
	if err := r.Status().Update(ctx, b); err != nil {
		return err
	}
	b.Labels = labels
	return r.Update(ctx, b)
}

// note is told what to set, so that no other call of it sets the same.
func note(b *v1.Backup, message string) { b.Status.Message = message }

func (r *reconciler) fail(ctx context.Context, b *v1.Backup) error {
	note(b, "failed")
	b.Labels = nil
	return r.Update(ctx, b) // want `: status set .*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) succeed(ctx context.Context, b *v1.Backup) error {
	note(b, "done")
	return r.Status().Update(ctx, b)
}

// The whole status is that of another object, whose controller is elsewhere.
func (r *reconciler) mirror(ctx context.Context, key client.ObjectKey, from *appsv1.Deployment) error {
	d := &appsv1.Deployment{}
	if err := r.Get(ctx, key, d); err != nil {
		return err
	}
	d.Spec.Paused = true
	d.Status = statusOf(from)
	return r.Update(ctx, d) // want `hygiene: status set .*\(statusupdate/dropped-by-update\)`
}

func statusOf(d *appsv1.Deployment) appsv1.DeploymentStatus { return *d.Status.DeepCopy() }

// A field of it is not.
func (r *reconciler) scale(ctx context.Context, key client.ObjectKey, replicas int32) error {
	d := &appsv1.Deployment{}
	if err := r.Get(ctx, key, d); err != nil {
		return err
	}
	d.Spec.Paused = true
	d.Status.Replicas = replicas
	return r.Update(ctx, d) // want `loss: status set .*\(statusupdate/dropped-by-update\)`
}

// Two helpers set the same part of the status, from what they find. The first is stored in each
// round; what the second sets, the next round has, too.

func build(b *v1.Backup, labels map[string]string) map[string]string {
	b.Status.Message = labels["build"]
	return labels
}

func see(b *v1.Backup, labels map[string]string) { _ = build(b, labels) }

func applied(b *v1.Backup, labels map[string]string) { b.Labels = build(b, labels) }

func (r *reconciler) seeAndApply(ctx context.Context, key client.ObjectKey, labels map[string]string) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	see(b, labels)
	if err := r.Status().Update(ctx, b); err != nil {
		return err
	}
	applied(b, labels)
	return r.Update(ctx, b) // want `hygiene: status set .*\(statusupdate/dropped-by-update\)`
}

// The other helper sets another part.
func (r *reconciler) seeAndMark(ctx context.Context, key client.ObjectKey, labels map[string]string) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	see(b, labels)
	if err := r.Status().Update(ctx, b); err != nil {
		return err
	}
	mark(b, labels)
	return r.Update(ctx, b) // want `loss: status set .*\(statusupdate/dropped-by-update\)`
}

func mark(b *v1.Backup, labels map[string]string) { b.Status.Phase = v1.BackupPhase(labels["phase"]) }

// The other helper's is not stored, either.
func (r *reconciler) seeOnly(ctx context.Context, key client.ObjectKey, labels map[string]string) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	mark(b, labels)
	markAgain(b, labels)
	return r.Update(ctx, b) // want `loss: status set .*\(statusupdate/dropped-by-update\)`
}

func markAgain(b *v1.Backup, labels map[string]string) { mark(b, labels) }

// A helper that takes all over does so again in the next round.

func takeOver(b *v1.Backup, found *v1.Backup) {
	b.Spec.Source = found.Spec.Source
	b.Status.Message = found.Status.Message + "."
}

func (r *reconciler) takenBack(ctx context.Context, b, found *v1.Backup) error {
	takeOver(b, found)
	return r.Update(ctx, b) // want `hygiene: status set .*\(statusupdate/dropped-by-update\)`
}

func describe(b *v1.Backup, found *v1.Backup) {
	b.Status.Message = found.Status.Message + "."
}

func (r *reconciler) described(ctx context.Context, b, found *v1.Backup) error {
	describe(b, found)
	b.Spec.Source = found.Spec.Source
	return r.Update(ctx, b) // want `loss: status set .*\(statusupdate/dropped-by-update\)`
}

// Where nothing else has changed, the status is what the update was meant for.
func (r *reconciler) describedOnly(ctx context.Context, b, found *v1.Backup) error {
	describe(b, found)
	return r.Update(ctx, b) // want `loss: status set .*\(statusupdate/dropped-by-update\)`
}

// The update is made once for each object, to put the finalizer on, and its event brings the round that
// stores the status.
func (r *reconciler) onceForFinalizer(ctx context.Context, b *v1.Backup, phase v1.BackupPhase) error {
	changed := r.ensureFinalizer(b)
	if changed {
		b.Status.Phase = phase
		return r.Update(ctx, b) // want `^hygiene: status set .*\(statusupdate/dropped-by-update\)`
	} else if b.Status.Phase != phase {
		b.Status.Phase = phase
		return r.Status().Update(ctx, b)
	}
	return nil
}

func (r *reconciler) ensureFinalizer(b *v1.Backup) bool {
	return controllerutil.AddFinalizer(b, v1.Finalizer)
}

// Found out by comparing.
func (r *reconciler) onceIfTheyDiffer(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	b.Status.Phase = v1.BackupRunning
	controllerutil.AddFinalizer(b, v1.Finalizer)
	if finalizersDiffer(before, b) {
		return r.Update(ctx, b) // want `^hygiene: status set .*\(statusupdate/dropped-by-update\)`
	}
	return r.Status().Update(ctx, b)
}

func finalizersDiffer(a, b *v1.Backup) bool {
	if !slices.Equal(a.Finalizers, b.Finalizers) {
		return true
	}
	return false
}

// Who calls it stores the status.
func (r *reconciler) storesAfterwards(ctx context.Context, b *v1.Backup) error {
	if err := r.beginsWithFinalizer(ctx, b); err != nil {
		return err
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) beginsWithFinalizer(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupPending
	if controllerutil.AddFinalizer(b, v1.Finalizer) {
		return r.Update(ctx, b) // want `^hygiene: status set .*\(statusupdate/dropped-by-update\)`
	}
	b.Status.Phase = v1.BackupRunning
	return nil
}
