// Package live reads objects with clients of controller-runtime that have no cache, and with
// others.
package live

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func ownedBy(b *v1.Backup) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: v1.GroupVersion.String(), Kind: "Backup", Name: b.Name, UID: b.UID}
}

// server answers requests, without a manager.
type server struct{ backups *store }

func newServer(config *rest.Config, scheme *runtime.Scheme) (*server, error) {
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	return &server{newStore(c)}, nil
}

type store struct{ client client.Client }

func newStore(c client.Client) *store { return &store{client: c} }

func (s *store) get(ctx context.Context, key client.ObjectKey) (*v1.Backup, error) {
	b := &v1.Backup{}
	if err := s.client.Get(ctx, key, b); err != nil {
		return nil, err
	}
	return b, nil
}

func (s *server) claim(ctx context.Context, key client.ObjectKey) error {
	b, err := s.backups.get(ctx, key)
	if err != nil {
		return err
	}
	owner := metav1.OwnerReference{APIVersion: b.APIVersion, Kind: b.Kind, Name: b.Name, UID: b.UID} // want `the API server rejects the owner reference: a Backup from a typed client or lister has no apiVersion`
	return s.backups.client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: b.Name, OwnerReferences: []metav1.OwnerReference{owner}}})
}

// Elements of a list: the API server stores the kind with custom resources, and leaves it out of its own.
func (s *server) claimAll(ctx context.Context) error {
	var list v1.BackupList
	if err := s.backups.client.List(ctx, &list); err != nil {
		return err
	}
	for i := range list.Items {
		b := &list.Items[i]
		owner := metav1.OwnerReference{APIVersion: v1.GroupVersion.String(), Kind: b.Kind, Name: b.Name, UID: b.UID}
		if err := s.backups.client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: b.Name, OwnerReferences: []metav1.OwnerReference{owner}}}); err != nil {
			return err
		}
	}
	var pods corev1.PodList
	if err := s.backups.client.List(ctx, &pods); err != nil {
		return err
	}
	for _, pod := range pods.Items {
		owner := metav1.OwnerReference{APIVersion: "v1", Kind: pod.Kind, Name: pod.Name, UID: pod.UID} // want `a Pod from a typed client or lister has no kind`
		if err := s.backups.client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, OwnerReferences: []metav1.OwnerReference{owner}}}); err != nil {
			return err
		}
	}
	return nil
}

// bypass asks the API server beside the cache.
type bypass struct {
	client.Client
	reader client.Reader
}

func setupBypass(mgr ctrl.Manager) *bypass { return &bypass{mgr.GetClient(), mgr.GetAPIReader()} }

func (r *bypass) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var b v1.Backup
	if err := r.reader.Get(ctx, req.NamespacedName, &b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	owner := metav1.OwnerReference{APIVersion: v1.GroupVersion.String(), Kind: b.Kind, Name: b.Name, UID: b.UID} // want `a Backup from a typed client or lister has no kind`
	return ctrl.Result{}, r.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: b.Name, OwnerReferences: []metav1.OwnerReference{owner}}})
}

// Right: the cache sets the kind, also if it is asked in the end, or the kind is named.

func (r *bypass) cached(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	owner := metav1.OwnerReference{APIVersion: b.APIVersion, Kind: b.Kind, Name: b.Name, UID: b.UID}
	return r.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: b.Name, OwnerReferences: []metav1.OwnerReference{owner}}})
}

func (r *bypass) again(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.reader.Get(ctx, key, b); err != nil {
		return err
	}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	owner := metav1.OwnerReference{APIVersion: b.APIVersion, Kind: b.Kind, Name: b.Name, UID: b.UID}
	return r.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: b.Name, OwnerReferences: []metav1.OwnerReference{owner}}})
}

func (r *bypass) named(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.reader.Get(ctx, key, b); err != nil {
		return err
	}
	return r.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: b.Name, OwnerReferences: []metav1.OwnerReference{ownedBy(b)}}})
}

func (r *bypass) set(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.reader.Get(ctx, key, b); err != nil {
		return err
	}
	b.SetGroupVersionKind(v1.GroupVersion.WithKind("Backup"))
	owner := metav1.OwnerReference{APIVersion: b.APIVersion, Kind: b.Kind, Name: b.Name, UID: b.UID}
	return r.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: b.Name, OwnerReferences: []metav1.OwnerReference{owner}}})
}

// either is used with both clients.
type either struct{ client client.Client }

func newEither(mgr ctrl.Manager, config *rest.Config) (*either, *either, error) {
	live, err := client.New(config, client.Options{})
	return &either{mgr.GetClient()}, &either{live}, err
}

func (e *either) claim(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := e.client.Get(ctx, key, b); err != nil {
		return err
	}
	owner := metav1.OwnerReference{APIVersion: b.APIVersion, Kind: b.Kind, Name: b.Name, UID: b.UID}
	return e.client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: b.Name, OwnerReferences: []metav1.OwnerReference{owner}}})
}

// Open has a client that other packages may set.
type Open struct{ Client client.Client }

func newOpen(config *rest.Config) (*Open, error) {
	c, err := client.New(config, client.Options{})
	return &Open{Client: c}, err
}

func (o *Open) claim(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := o.Client.Get(ctx, key, b); err != nil {
		return err
	}
	owner := metav1.OwnerReference{APIVersion: b.APIVersion, Kind: b.Kind, Name: b.Name, UID: b.UID}
	return o.Client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: b.Name, OwnerReferences: []metav1.OwnerReference{owner}}})
}

// filled has a cache of its own.
type filled struct{ client client.Client }

func newFilled(config *rest.Config, cache client.Reader) (*filled, error) {
	c, err := client.New(config, client.Options{Cache: &client.CacheOptions{Reader: cache}})
	return &filled{c}, err
}

func (f *filled) claim(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := f.client.Get(ctx, key, b); err != nil {
		return err
	}
	owner := metav1.OwnerReference{APIVersion: b.APIVersion, Kind: b.Kind, Name: b.Name, UID: b.UID}
	return f.client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: b.Name, OwnerReferences: []metav1.OwnerReference{owner}}})
}
