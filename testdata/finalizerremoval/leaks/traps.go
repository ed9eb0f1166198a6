package leaks

import (
	"context"
	"errors"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The garbage collector takes a Job with its owner.
func ensureJob(ctx context.Context, c client.Client, b *v1.Backup) error {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: b.Name}}
	if err := controllerutil.SetControllerReference(b, job, c.Scheme()); err != nil {
		return err
	}
	return c.Create(ctx, job)
}

func owned(ctx context.Context, c client.Client, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return ensureJob(ctx, c, b)
	}
	if err := c.Delete(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: b.Name}}); err != nil {
		log.FromContext(ctx).Error(err, "cannot delete the job")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}

// Nobody here makes config maps: they may be owned.
func othersMake(ctx context.Context, c client.Client, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := c.Delete(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: b.Name}}); err != nil {
		log.FromContext(ctx).Error(err, "cannot delete the config map")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}

// A comment says why.
func meant(ctx context.Context, c client.Client, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := c.Delete(ctx, claimOf(b, 0)); err != nil {
		// The claim is in use for as long as its pod is, and goes with the namespace.
		log.FromContext(ctx).Error(err, "cannot delete the claim")
	}
	_ = c.Delete(ctx, claimOf(b, 1)) // best effort
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}

// A flag keeps the finalizer.
func flagged(ctx context.Context, c client.Client, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	clean := true
	if err := c.Delete(ctx, claimOf(b, 0)); err != nil && !apierrors.IsNotFound(err) {
		log.FromContext(ctx).Error(err, "cannot delete the claim")
		clean = false
	}
	if clean {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
	}
	return c.Update(ctx, b)
}

func aggregated(ctx context.Context, c client.Client, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	var errs []error
	for i := range 3 {
		if err := c.Delete(ctx, claimOf(b, i)); err != nil {
			log.FromContext(ctx).Error(err, "cannot delete a claim")
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}

// The user is told by an event, and forces it by an annotation.
func announced(ctx context.Context, c client.Client, events record.EventRecorder, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := c.Delete(ctx, claimOf(b, 0)); err != nil {
		events.Event(b, corev1.EventTypeWarning, "Left", err.Error())
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}

func forced(ctx context.Context, c client.Client, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := c.Delete(ctx, claimOf(b, 0)); err != nil {
		if b.Annotations["force"] != "true" {
			return err
		}
		log.FromContext(ctx).Error(err, "cannot delete the claim")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}

// scheduler keeps its jobs in memory.
type scheduler struct{ jobs map[string]func() }

func (s *scheduler) Find(name string) (func(), error) {
	if s.jobs[name] == nil {
		return nil, errors.New("no job")
	}
	return s.jobs[name], nil
}

func (s *scheduler) DeleteJob(name string) error {
	if s.jobs[name] == nil {
		return errors.New("no job")
	}
	delete(s.jobs, name)
	return nil
}

func inMemory(ctx context.Context, c client.Client, s *scheduler, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if _, err := s.Find(b.Name); err != nil {
		return err
	}
	if err := s.DeleteJob(b.Name); err != nil {
		log.FromContext(ctx).Error(err, "cannot delete the job")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}

// The other side may be gone, and nothing else asks for it.
func gone(ctx context.Context, c client.Client, b *v1.Backup, dial func(context.Context) (topics, error)) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	remote, err := dial(ctx)
	if err != nil {
		return err
	}
	if err := remote.DeleteTopic(b.Name); err != nil {
		log.FromContext(ctx).Error(err, "cannot delete the topic")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}

// A deferred removal asks for the error first.
func deferredOnSuccess(ctx context.Context, c client.Client, b *v1.Backup) (err error) {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	defer func() {
		if err != nil {
			return
		}
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		err = c.Update(ctx, b)
	}()
	return deleteRole(ctx, c, b)
}
