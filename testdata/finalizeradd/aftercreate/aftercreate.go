// Package aftercreate has what is created outside the cluster and cleaned up by
// a finalizer.
package aftercreate

import (
	"context"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// buckets talks to a storage service.
type buckets struct{ http *http.Client }

func (s *buckets) CreateBucket(ctx context.Context, name string) error {
	return s.send(ctx, http.MethodPut, name)
}
func (s *buckets) DeleteBucket(ctx context.Context, name string) error {
	return s.send(ctx, http.MethodDelete, name)
}

func (s *buckets) send(ctx context.Context, method, name string) error {
	req, err := http.NewRequestWithContext(ctx, method, "https://storage.example.com/"+name, nil)
	if err != nil {
		return err
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// late adds the finalizer when the bucket is there.
type late struct {
	client.Client
	buckets *buckets
}

func (r *late) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, release(ctx, r, r.buckets, b)
	}
	if err := r.buckets.CreateBucket(ctx, b.Name); err != nil {
		return ctrl.Result{}, err
	}
	if controllerutil.AddFinalizer(b, v1.Finalizer) { // want `what CreateBucket creates on line \d+ leaks if the operator dies before this finalizer is stored.*\(finalizeradd/after-create\)`
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

func release(ctx context.Context, c client.Client, s *buckets, b *v1.Backup) error {
	if err := s.DeleteBucket(ctx, b.Name); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}

// ifMissing creates and adds in one branch.
func (r *late) ifMissing(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if b.DeletionTimestamp.IsZero() && !controllerutil.ContainsFinalizer(b, v1.Finalizer) {
		if err := r.buckets.CreateBucket(ctx, b.Name); err != nil {
			return err
		}
		controllerutil.AddFinalizer(b, v1.Finalizer) // want `after-create`
		return r.Update(ctx, b)
	}
	return nil
}

// early stores the finalizer first.
type early struct {
	client.Client
	buckets *buckets
}

func (r *early) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, release(ctx, r, r.buckets, b)
	}
	if controllerutil.AddFinalizer(b, v1.Finalizer) {
		if err := r.Update(ctx, b); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, r.buckets.CreateBucket(ctx, b.Name)
}

// child creates an object of Kubernetes, which its owner reference cleans up.
func (r *early) child(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if err := r.Create(ctx, &corev1.ConfigMap{}); err != nil {
		return err
	}
	if b.DeletionTimestamp.IsZero() && controllerutil.AddFinalizer(b, v1.Finalizer) {
		return r.Update(ctx, b)
	}
	return nil
}

// perItem creates for what a loop has put the finalizer on before.
func (r *early) perItem(ctx context.Context) error {
	var list v1.BackupList
	if err := r.List(ctx, &list); err != nil {
		return err
	}
	for i := range list.Items {
		b := &list.Items[i]
		if !b.DeletionTimestamp.IsZero() {
			continue
		}
		if controllerutil.AddFinalizer(b, v1.Finalizer) {
			if err := r.Update(ctx, b); err != nil {
				return err
			}
		}
		if err := r.buckets.CreateBucket(ctx, b.Name); err != nil {
			return err
		}
	}
	return nil
}

// tags has nothing to delete, so nothing to leak.
type tags struct{ http *http.Client }

func (t *tags) CreateTag(context.Context, string) error { return nil }

func (r *early) tagged(ctx context.Context, t *tags, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if err := t.CreateTag(ctx, b.Name); err != nil {
		return err
	}
	if b.DeletionTimestamp.IsZero() && controllerutil.AddFinalizer(b, v1.Finalizer) {
		return r.Update(ctx, b)
	}
	return nil
}
