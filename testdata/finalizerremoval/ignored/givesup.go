package ignored

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// givesUp decides once, and in several places, that a clean-up that cannot be done does not keep the object.
func (r *reconciler) givesUp(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if b.DeletionTimestamp == nil {
		return ctrl.Result{}, nil
	}
	where, err := r.bucket.Lookup(ctx, b.Spec.Source)
	if err != nil {
		r.log.Error(err, "the bucket is not known")
		return r.release(ctx, b) // want `^leak: if Lookup on line \d+ fails, even by a timeout`
	}
	if _, err := r.bucket.Lookup(ctx, fmt.Sprint(where)); err != nil {
		r.log.Error(err, "the folder is not known")
		return r.release(ctx, b)
	}
	if err := r.deleteData(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	return r.release(ctx, b)
}

// Two objects are two decisions.
func (r *reconciler) givesUpBoth(ctx context.Context, b *v1.Backup, c *v1.Cluster) error {
	if b.DeletionTimestamp == nil || c.DeletionTimestamp == nil {
		return nil
	}
	if _, err := r.bucket.Lookup(ctx, b.Spec.Source); err != nil {
		controllerutil.RemoveFinalizer(b, v1.Finalizer) // want `^leak: .*\(finalizerremoval/wrong-branch\)`
		return r.Update(ctx, b)
	}
	if _, err := r.bucket.Lookup(ctx, c.Name); err != nil {
		controllerutil.RemoveFinalizer(c, v1.Finalizer) // want `^leak: .*\(finalizerremoval/wrong-branch\)`
		return r.Update(ctx, c)
	}
	return nil
}

// What the cache answers, and what is computed from it, fails by no timeout.
func (r *reconciler) anyErrorOfAKeyPair(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if b.DeletionTimestamp == nil {
		return ctrl.Result{}, nil
	}
	if _, err := r.keyPair(ctx, b); err != nil {
		return r.release(ctx, b) // want `^hygiene: .*\(finalizerremoval/wrong-branch\)`
	}
	if _, err := r.bucketOf(ctx, b); err != nil {
		return r.release(ctx, b) // want `^leak: .*\(finalizerremoval/wrong-branch\)`
	}
	if err := r.deleteData(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	return r.release(ctx, b)
}

// Who waits may wait in vain, and who reads what others send may get nothing.
func (r *reconciler) anyErrorOfAWait(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if b.DeletionTimestamp == nil {
		return ctrl.Result{}, nil
	}
	if err := r.turn(ctx, b); err != nil {
		return r.release(ctx, b) // want `^leak: .*\(finalizerremoval/wrong-branch\)`
	}
	return ctrl.Result{}, r.deleteData(ctx, b)
}

func (r *reconciler) turn(ctx context.Context, b *v1.Backup) error {
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), &v1.Cluster{}); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Minute):
		return errors.New("timed out")
	}
}

func (r *reconciler) anyErrorOfAStream(ctx context.Context, in io.Reader, b *v1.Backup) (ctrl.Result, error) {
	if b.DeletionTimestamp == nil {
		return ctrl.Result{}, nil
	}
	if err := r.manifest(ctx, in, b); err != nil {
		return r.release(ctx, b) // want `^leak: .*\(finalizerremoval/wrong-branch\)`
	}
	return ctrl.Result{}, r.deleteData(ctx, b)
}

func (r *reconciler) manifest(ctx context.Context, in io.Reader, b *v1.Backup) error {
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), &v1.Cluster{}); err != nil {
		return err
	}
	return json.NewDecoder(in).Decode(new(map[string]string))
}

func (r *reconciler) keyPair(ctx context.Context, b *v1.Backup) (*tls.Config, error) {
	secret := &corev1.Secret{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, secret); err != nil {
		return nil, fmt.Errorf("reading the key pair: %w", err)
	}
	pair, err := tls.X509KeyPair(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey])
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}}, nil
}

func (r *reconciler) bucketOf(ctx context.Context, b *v1.Backup) (string, error) {
	secret := &corev1.Secret{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, secret); err != nil {
		return "", err
	}
	_, err := r.bucket.Lookup(ctx, string(secret.Data["bucket"]))
	return "bucket", err
}
