package lib

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Store reads objects for other packages.
type Store struct {
	client  client.Client
	kube    kubernetes.Interface
	secrets corelisters.SecretLister
}

// Secret is a copy of what the cache has.
func (s *Store) Secret(ns, name string) (*corev1.Secret, error) {
	cached, err := s.secrets.Secrets(ns).Get(name)
	if err != nil {
		return nil, err
	}
	return cached.DeepCopy(), nil
}

// Backup reads a Backup.
func (s *Store) Backup(ctx context.Context, key client.ObjectKey) (*v1.Backup, error) {
	backup := &v1.Backup{}
	if err := s.client.Get(ctx, key, backup); err != nil {
		return nil, err
	}
	return backup, nil
}

// Live asks the API server.
func (s *Store) Live(ctx context.Context, ns, name string) (*corev1.Secret, error) {
	return s.kube.CoreV1().Secrets(ns).Get(ctx, name, metav1.GetOptions{})
}

// Annotated makes the map.
func (s *Store) Annotated(ctx context.Context, key client.ObjectKey) (*v1.Backup, error) {
	backup, err := s.Backup(ctx, key)
	if err != nil {
		return nil, err
	}
	if backup.Annotations == nil {
		backup.Annotations = make(map[string]string)
	}
	return backup, nil
}

// OrNew makes a LimitRange if there is none.
func (s *Store) OrNew(ctx context.Context, key client.ObjectKey) (*corev1.LimitRange, error) {
	quota := &corev1.LimitRange{}
	if err := s.client.Get(ctx, key, quota); err != nil {
		return &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: key.Name, Annotations: map[string]string{"new": "true"}}}, client.IgnoreNotFound(err)
	}
	return quota, nil
}
