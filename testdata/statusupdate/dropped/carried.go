package dropped

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// What is stored goes into the object that takes its place: nothing of the status is
// meant to change.

func (r *reconciler) ingressCarriedOver(ctx context.Context, stored, built *networkingv1.Ingress) error {
	built.ResourceVersion = stored.ResourceVersion
	built.Status = *stored.Status.DeepCopy()
	return r.Update(ctx, built)
}

func (r *reconciler) setCarriedOver(ctx context.Context, key client.ObjectKey, built *appsv1.StatefulSet) error {
	stored := &appsv1.StatefulSet{}
	if err := r.Get(ctx, key, stored); err != nil {
		return err
	}
	built.ResourceVersion = stored.ResourceVersion
	built.Status = stored.Status
	return r.Update(ctx, built)
}

func (r *reconciler) ownCarriedOver(ctx context.Context, key client.ObjectKey, built *v1.Backup) error {
	stored := &v1.Backup{}
	if err := r.Get(ctx, key, stored); err != nil {
		return err
	}
	built.ResourceVersion = stored.ResourceVersion
	built.Status = stored.Status
	return r.Update(ctx, built)
}

// The other way round the status that was worked out is dropped.
func (r *reconciler) ownWorkedOut(ctx context.Context, key client.ObjectKey, desired *v1.Backup) error {
	stored := &v1.Backup{}
	if err := r.Get(ctx, key, stored); err != nil {
		return err
	}
	stored.Status = desired.Status
	return r.Update(ctx, stored) // want `status set on line 50 is dropped: Update writes only spec and metadata of the Backup`
}

// So is one that was changed after it was read.
func (r *reconciler) ownChanged(ctx context.Context, key client.ObjectKey, built *v1.Backup) error {
	stored := &v1.Backup{}
	if err := r.Get(ctx, key, stored); err != nil {
		return err
	}
	stored.Status.Phase = v1.BackupRunning
	built.ResourceVersion = stored.ResourceVersion
	built.Status = stored.Status
	return r.Update(ctx, built) // want `is dropped: Update writes only spec and metadata of the Backup`
}

// What a function without a name works out is no copy.
func (r *reconciler) workedOutByFunction(ctx context.Context, key client.ObjectKey, statusOf func(*v1.Backup) *v1.BackupStatus) error {
	stored := &v1.Backup{}
	if err := r.Get(ctx, key, stored); err != nil {
		return err
	}
	stored.Status = *statusOf(stored)
	return r.Update(ctx, stored) // want `is dropped: Update writes only spec and metadata of the Backup`
}

func (r *reconciler) workedOutByFunctionAndWritten(ctx context.Context, key client.ObjectKey, statusOf func(*v1.Backup) *v1.BackupStatus) error {
	stored := &v1.Backup{}
	if err := r.Get(ctx, key, stored); err != nil {
		return err
	}
	stored.Status = *statusOf(stored)
	return r.Status().Update(ctx, stored)
}

// The variable keeps what the update takes out of the object.

func (r *reconciler) kept(ctx context.Context, c *v1.Cluster) error {
	status := c.Status
	status.Version = "2"
	addNode(status)
	delete(c.Annotations, "update")
	if err := r.Update(ctx, c); err != nil {
		return err
	}
	if err := r.Get(ctx, client.ObjectKeyFromObject(c), c); err != nil {
		return err
	}
	merge(c, status)
	return r.Status().Update(ctx, c)
}

func addNode(status *v1.ClusterStatus) { status.Nodes = append(status.Nodes, "a") }

func merge(c *v1.Cluster, status *v1.ClusterStatus) { c.Status = status }

func (r *reconciler) notKept(ctx context.Context, c *v1.Cluster) error {
	status := c.Status
	status.Version = "2"
	addNode(status)
	return r.Update(ctx, c) // want `status set .* is dropped`
}

// A helper that is handed the object stores what it carries over to a fresh copy.

func (r *reconciler) told(ctx context.Context, b *v1.Backup) error {
	b.Status.Message = "run 2"
	r.tell(ctx, b, v1.BackupRunning)
	delete(b.Annotations, "allowed")
	return r.Update(ctx, b)
}

func (r *reconciler) tell(ctx context.Context, b *v1.Backup, phase v1.BackupPhase) {
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		latest := &v1.Backup{}
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), latest); err != nil {
			return err
		}
		latest.Status.Phase = phase
		if b.Status.Message != "" {
			latest.Status.Message = b.Status.Message
		}
		return r.Status().Update(ctx, latest)
	})
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "telling")
	}
}

// One that only reads it does not.

func (r *reconciler) notTold(ctx context.Context, b *v1.Backup) error {
	b.Status.Message = "run 2"
	r.log(ctx, b)
	delete(b.Annotations, "allowed")
	return r.Update(ctx, b) // want `status set .* is dropped`
}

func (r *reconciler) log(ctx context.Context, b *v1.Backup) {
	ctrl.LoggerFrom(ctx).Info("run", "message", b.Status.Message)
}
