package dropped

import (
	"context"
	"log"

	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

// The ways in which the write can hide.

func (r *reconciler) deferredClosure(ctx context.Context, key client.ObjectKey) (err error) {
	var b v1.Backup
	if err := r.Get(ctx, key, &b); err != nil {
		return client.IgnoreNotFound(err)
	}
	defer func() {
		if updateErr := r.Update(ctx, &b); updateErr != nil && err == nil { // want `dropped.*\(statusupdate/dropped-by-update\)`
			err = updateErr
		}
	}()
	if b.Spec.Source == "" {
		b.MarkFailed("no source")
		return nil
	}
	b.Status.Phase = v1.BackupRunning
	return nil
}

func (r *reconciler) retried(ctx context.Context, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		var b v1.Backup
		if err := r.Get(ctx, key, &b); err != nil {
			return err
		}
		b.Status.Phase = v1.BackupCompleted
		return r.Update(ctx, &b) // want `dropped.*\(statusupdate/dropped-by-update\)`
	})
}

func (r *reconciler) createOrUpdate(ctx context.Context, owner *v1.Cluster) error {
	b := &v1.Backup{}
	b.Name = owner.Name
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, b, func() error { // want `dropped.*\(statusupdate/dropped-by-update\)`
		b.Spec.Source = owner.Spec.Version
		b.Status.Phase = v1.BackupPending
		return controllerutil.SetControllerReference(owner, b, r.Scheme())
	})
	return err
}

func (r *reconciler) mutateFunctionStored(ctx context.Context, b *v1.Backup) error {
	mutate := func() error {
		b.SetCondition(helpers.Ready("Reconciled"))
		return nil
	}
	_, err := controllerutil.CreateOrUpdate(ctx, r, b, mutate) // want `dropped.*\(statusupdate/dropped-by-update\)`
	return err
}

func (r *reconciler) helperThatSaves(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.save(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) save(ctx context.Context, obj client.Object) error {
	return r.Client.Update(ctx, obj)
}

func (r *reconciler) helperElsewhereThatSaves(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return helpers.Save(ctx, r.Client, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func save[T client.Object](ctx context.Context, c client.Writer, obj T) error {
	return c.Update(ctx, obj)
}

func (r *reconciler) genericHelper(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return save(ctx, r.Client, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

// store is the part of a client that this code wants to see.
type store interface {
	Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error
	Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error
}

func ownInterface(ctx context.Context, s store, key client.ObjectKey) error {
	var b v1.Backup
	if err := s.Get(ctx, key, &b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupRunning
	return s.Update(ctx, &b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

// loggingClient is a thin wrapper.
type loggingClient struct{ client.Client }

func (c loggingClient) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	log.Printf("updating %s", client.ObjectKeyFromObject(obj))
	return c.Client.Update(ctx, obj, opts...)
}

func thinWrapper(ctx context.Context, c loggingClient, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return c.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) methodValue(ctx context.Context, b *v1.Backup) error {
	update := r.Update
	b.Status.Phase = v1.BackupRunning
	return update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) closureCalledAtOnce(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return func() error { return r.Update(ctx, b) }() // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) closureMutates(ctx context.Context, b *v1.Backup) error {
	fail := func(message string) { b.Status.Message = message }
	if b.Spec.Source == "" {
		fail("no source")
	}
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

// recorder has its way of writing in a field, so that tests can replace it.
type recorder struct {
	update func(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error
}

func newRecorder(c client.Client) *recorder {
	return &recorder{update: c.Update}
}

func (rec *recorder) record(ctx context.Context, b *v1.Backup) error {
	b.Status.Message = "recorded"
	return rec.update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) methodExpression(ctx context.Context, b *v1.Backup) error {
	update := (*reconciler).save
	b.Status.Phase = v1.BackupRunning
	return update(r, ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) deferredCall(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	defer r.saveOrLog(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
	b.Status.Phase = v1.BackupRunning
	return nil
}

func (r *reconciler) saveOrLog(ctx context.Context, b *v1.Backup) {
	if err := r.Update(ctx, b); err != nil {
		log.Printf("saving %s: %v", b.Name, err)
	}
}
