package cases

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/ownerref/api"
	"github.com/opvet/opvet/testdata/ownerref/lib"
	"github.com/opvet/opvet/testdata/ownerref/mirror"
)

func (r *reconciler) sameNamespace(b *v1.Backup) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: b.Namespace}}
	return controllerutil.SetControllerReference(b, secret, r.scheme)
}

func (r *reconciler) clusterOwnsCluster(c *v1.Cluster) error {
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: c.Name}}
	return controllerutil.SetControllerReference(c, role, r.scheme)
}

// The scope of a kind is not known from a copy of its type that no CRD is generated from.
func (r *reconciler) mirrored(keeper *mirror.Keeper) error {
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: keeper.Name}}
	return controllerutil.SetControllerReference(keeper, role, r.scheme)
}

// A cluster-scoped owner may have its objects anywhere.
func (r *reconciler) clusterOwnsNamespaced(c *v1.Cluster) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: c.Name, Namespace: certManager}}
	return controllerutil.SetControllerReference(c, secret, r.scheme)
}

func clusterByHand(node *corev1.Node) *v1.Cluster {
	return &v1.Cluster{ObjectMeta: metav1.ObjectMeta{
		Name:            node.Name,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(node, corev1.SchemeGroupVersion.WithKind("Node"))},
	}}
}

// The kind is not known.
func (r *reconciler) unstructuredOwner(owner *unstructured.Unstructured) error {
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: owner.GetName()}}
	return controllerutil.SetControllerReference(owner, role, r.scheme)
}

func (r *reconciler) anyOwner(owner, object client.Object) error {
	return controllerutil.SetControllerReference(owner, object, r.scheme)
}

// The metadata of a template is not that of the object.
func template(b *v1.Backup, role *rbacv1.ClusterRole) corev1.PodTemplateSpec {
	meta := lib.Meta("pod", b)
	role.Labels = meta.Labels
	return corev1.PodTemplateSpec{ObjectMeta: meta}
}

// The operator's own pod lives where the operator does.
func (r *reconciler) ownPod(pod *corev1.Pod) error {
	secret := &corev1.Secret{}
	secret.SetName(pod.Name)
	secret.SetNamespace(ownNamespace())
	return controllerutil.SetOwnerReference(pod, secret, r.scheme)
}

func (r *reconciler) ownPodFixed(pod *corev1.Pod) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: configured}}
	return controllerutil.SetOwnerReference(pod, secret, r.scheme)
}

// The owner is read where the object is put.
func (r *reconciler) bothFixed(ctx context.Context) error {
	var b v1.Backup
	if err := r.Get(ctx, types.NamespacedName{Namespace: certManager, Name: "default"}, &b); err != nil {
		return err
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: certManager}}
	return controllerutil.SetControllerReference(&b, secret, r.scheme)
}

func (r *reconciler) fieldOfTheReconciler(b *v1.Backup) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: r.namespace}}
	return controllerutil.SetControllerReference(b, secret, r.scheme)
}

func (r *reconciler) comparesNamespaces(b *v1.Backup) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: certManager}}
	if b.Namespace != secret.Namespace {
		return nil
	}
	return controllerutil.SetControllerReference(b, secret, r.scheme)
}

func (r *reconciler) helperThatCompares(b *v1.Backup) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: certManager}}
	return lib.OwnNearby(b, secret, r.scheme)
}

func (r *reconciler) ownerInTheSameNamespace(ctx context.Context, topic *api.Topic) error {
	store, err := lib.LookupStore(ctx, r, topic.Spec.StoreRef.Name, topic.Namespace)
	if err != nil {
		return err
	}
	return r.ensureOwner(ctx, store, topic)
}

func (r *reconciler) onlyItsOwnNamespace(ctx context.Context, store *api.Store) error {
	var namespaces corev1.NamespaceList
	if err := r.List(ctx, &namespaces); err != nil {
		return err
	}
	for _, ns := range namespaces.Items {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: store.Name, Namespace: ns.Name}}
		if ns.Name == store.Namespace {
			if err := controllerutil.SetControllerReference(store, secret, r.scheme); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reconciler) madeNextToItsOwner(store *api.Store) error {
	secret := lib.NewSecretNextTo(store)
	if err := controllerutil.SetControllerReference(store, secret, r.scheme); err != nil {
		return err
	}
	other := lib.NewSecretIn(store.Name, store.Namespace)
	return controllerutil.SetControllerReference(store, other, r.scheme)
}

// The namespace is set after the helper's.
func (r *reconciler) movedToItsOwner(b *v1.Backup) error {
	secret := lib.NewSecret(b.Name)
	secret.Namespace = b.Namespace
	return controllerutil.SetControllerReference(b, secret, r.scheme)
}

// The spec of another object.
func (r *reconciler) otherSpec(store, other *api.Store) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: store.Name, Namespace: other.Spec.SecretNamespace}}
	return controllerutil.SetControllerReference(store, secret, r.scheme)
}

func (r *reconciler) errorReturned(ctx context.Context, b *v1.Backup, key client.ObjectKey) error {
	var secret corev1.Secret
	if err := r.Get(ctx, key, &secret); err != nil {
		return err
	}
	if err := controllerutil.SetControllerReference(b, &secret, r.scheme); err != nil {
		return err
	}
	return r.Update(ctx, &secret)
}

// What is made here belongs to nobody else: see the strict flag.
func (r *reconciler) ownObject(b *v1.Backup) *corev1.Secret {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: b.Namespace}}
	controllerutil.SetControllerReference(b, secret, r.scheme)
	return secret
}

func (r *reconciler) suppressed(b *v1.Backup, node *corev1.Node) error {
	return controllerutil.SetControllerReference(b, node, r.scheme) //nolint:ownerref // this is a test of the error
}

// upgradeCache is how some frameworks read their caches.
type upgradeCache interface {
	Get(namespace, name string) (*v1.Backup, error)
}

const home = "backup-system"

// The owners are kept where their children are: the package looks them up there.
func ownedAtHome(cache upgradeCache, scheme *runtime.Scheme, b *v1.Backup) error {
	if _, err := cache.Get(home, b.Name); err != nil {
		return err
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: home}}
	return controllerutil.SetControllerReference(b, secret, scheme)
}

// Backups may be kept in the one namespace: who makes them knows.

func (r *reconciler) keptInOneNamespace(b *v1.Backup) (*corev1.Secret, error) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: certManager}}
	err := controllerutil.SetControllerReference(b, secret, r.scheme)
	return secret, err
}

// The refusal is known, and what is not owned is cleaned up in another way.
func (r *reconciler) ownedIfAllowed(b *v1.Backup) error {
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: b.Name}}
	if err := controllerutil.SetControllerReference(b, role, r.scheme); err != nil && !strings.Contains(err.Error(), "cluster-scoped resource must not have a namespace-scoped owner") {
		return err
	}
	return nil
}
