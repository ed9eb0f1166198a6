package ignored

import (
	"context"
	"net/http"
	"os"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// bucketStore is written with nothing but the standard library.
type bucketStore struct {
	http *http.Client
	url  string
}

func (s *bucketStore) deleteBucket(ctx context.Context, name string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, s.url+name, nil)
	if err != nil {
		return err
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func (s *bucketStore) deleteScratch(name string) error { return os.RemoveAll("/scratch/" + name) }

func releaseRemote(ctx context.Context, c client.Client, s *bucketStore, b *v1.Backup) error {
	if err := s.deleteBucket(ctx, b.Name); err != nil { // want `hygiene: deleteBucket's error is ignored and line \d+ removes the finalizer: if it fails, the bucket leaks.*\(finalizerremoval/cleanup-ignored\)`
		log.FromContext(ctx).Error(err, "Deleting the bucket")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}

// deleteSecret deletes something in the cluster: what fails there is tried again.
func (s *bucketStore) deleteSecret(ctx context.Context, c client.Client, name string) error {
	var secret corev1.Secret
	secret.Name = name
	return client.IgnoreNotFound(c.Delete(ctx, &secret))
}

func releaseSecret(ctx context.Context, c client.Client, s *bucketStore, b *v1.Backup) error {
	if err := s.deleteSecret(ctx, c, b.Name); err != nil { // want `leak: deleteSecret's error is ignored`
		log.FromContext(ctx).Error(err, "Deleting the secret")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}

// A scratch directory goes with the pod.
func releaseLocal(ctx context.Context, c client.Client, s *bucketStore, b *v1.Backup) error {
	if err := s.deleteScratch(b.Name); err != nil {
		log.FromContext(ctx).Error(err, "Deleting the scratch directory")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}
