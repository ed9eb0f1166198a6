package cases

import (
	"context"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/ownerref/api"
	"github.com/opvet/opvet/testdata/ownerref/lib"
)

// Cluster-scoped objects with an owner in a namespace.

func (r *reconciler) clusterRole(b *v1.Backup) error {
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: b.Name}}
	return controllerutil.SetControllerReference(b, role, r.scheme) // want `stuck: SetControllerReference fails: the cluster-scoped ClusterRole cannot be owned by the namespaced Backup; .*\(ownerref/namespaced-owner\)`
}

// With a namespace, which the API server drops, it is not refused.
func (r *reconciler) inNamespace(b *v1.Backup) error {
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: b.Namespace}}
	return controllerutil.SetControllerReference(b, role, r.scheme) // want `leak: never garbage-collected: the cluster-scoped ClusterRole cannot be owned by the namespaced Backup; .*\(ownerref/namespaced-owner\)`
}

func (r *reconciler) withMetadata(b *v1.Backup) error {
	role := &rbacv1.ClusterRole{ObjectMeta: metadataFor(b)}
	return controllerutil.SetControllerReference(b, role, r.scheme) // want `leak: never garbage-collected: the cluster-scoped ClusterRole`
}

func metadataFor(b *v1.Backup) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: b.Name, Namespace: b.Namespace}
}

func (r *reconciler) throughTheRootPackage(b *v1.Backup, node *corev1.Node) error {
	return ctrl.SetControllerReference(b, node, r.scheme) // want `the cluster-scoped Node cannot be owned`
}

// The error is dropped, too, which is not the point.
func (r *reconciler) ownKind(b *v1.Backup) *v1.Cluster {
	cluster := &v1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: b.Name}}
	controllerutil.SetOwnerReference(b, cluster, r.scheme) // want `leak: SetOwnerReference fails: the cluster-scoped Cluster cannot be owned by the namespaced Backup`
	return cluster
}

func volumeByHand(b *v1.Backup) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name:            b.Name,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(b, v1.GroupVersion.WithKind("Backup"))}, // want `leak: never garbage-collected: .*namespaced-owner`
		},
	}
}

func namespaceByHand(pod *corev1.Pod) *corev1.Namespace {
	ns := &corev1.Namespace{}
	ns.Name = pod.Name
	ns.SetOwnerReferences([]metav1.OwnerReference{{ // want `the cluster-scoped Namespace cannot be owned by the namespaced Pod`
		APIVersion: "v1",
		Kind:       "Pod",
		Name:       pod.GetName(),
		UID:        pod.GetUID(),
	}})
	return ns
}

// The reference comes from the caller, which has it from a helper.
func (r *reconciler) setupWebhook(ctx context.Context) error {
	operator := &appsv1.Deployment{}
	if err := r.Get(ctx, types.NamespacedName{Namespace: r.namespace, Name: "operator"}, operator); err != nil {
		return err
	}
	ref, err := lib.OwnerRef(operator, r.scheme)
	if err != nil {
		return err
	}
	return r.createWebhook(ctx, ref)
}

func (r *reconciler) createWebhook(ctx context.Context, ref metav1.OwnerReference) error {
	hook := &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{
			Name:            "operator",
			OwnerReferences: []metav1.OwnerReference{ref}, // want `the cluster-scoped ValidatingWebhookConfiguration cannot be owned by the namespaced Deployment`
		},
	}
	err := r.Create(ctx, hook)
	if client.IgnoreAlreadyExists(err) == nil {
		return nil
	}
	stored := &admissionv1.ValidatingWebhookConfiguration{}
	if err := r.Get(ctx, types.NamespacedName{Name: "operator"}, stored); err != nil {
		return err
	}
	stored.ObjectMeta.OwnerReferences = []metav1.OwnerReference{ref} // one cause with volumeByHand
	return r.Update(ctx, stored)
}

// Metadata of a helper, with the namespace blanked.
func metadataOfAHelper(b *v1.Backup) *v1.Cluster {
	meta := lib.Meta("shared", b)
	meta.Namespace = ""
	return &v1.Cluster{
		ObjectMeta: meta, // and here
		Spec:       v1.ClusterSpec{Version: "1"},
	}
}

func (r *reconciler) helperThatOwns(b *v1.Backup) error {
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: b.Name}}
	return lib.Own(b, binding, r.scheme) // want `the cluster-scoped ClusterRoleBinding cannot be owned`
}

// Owners in another namespace.

func (r *reconciler) namedBySpec(store *api.Store) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: store.Name, Namespace: store.Spec.SecretNamespace}}
	return controllerutil.SetControllerReference(store, secret, r.scheme) // want `this Secret is where spec.SecretNamespace of the Store says`
}

// Helpers make the objects.

func (r *reconciler) madeAsTheSpecSays(store *api.Store) error {
	secret := lib.NewSecretIn(store.Name, store.Spec.SecretNamespace)
	return controllerutil.SetControllerReference(store, secret, r.scheme) // want `ownerref/cross-namespace`
}

func (r *reconciler) madeForTheOwner(store *api.Store) error {
	secret := lib.NewSecretFor(store)
	return controllerutil.SetControllerReference(store, secret, r.scheme) // want `spec.SecretNamespace of the Store says`
}

func (r *reconciler) oneOfTheSpec(store *api.Store) error {
	for _, namespace := range store.Spec.Namespaces {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: store.Name, Namespace: namespace}}
		if err := controllerutil.SetControllerReference(store, secret, r.scheme); err != nil { // want `where spec.Namespaces of the Store says`
			return err
		}
	}
	return nil
}

func (r *reconciler) everyNamespace(ctx context.Context, store *api.Store) error {
	var namespaces corev1.NamespaceList
	if err := r.List(ctx, &namespaces); err != nil {
		return err
	}
	for _, ns := range namespaces.Items {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: store.Name, Namespace: ns.Name}}
		if err := controllerutil.SetControllerReference(store, secret, r.scheme); err != nil { // want `this Secret goes into every namespace, the Store is in one`
			return err
		}
	}
	return nil
}

// The owner is wherever the child's spec says.
func (r *reconciler) ownerNamedBySpec(ctx context.Context, topic *api.Topic) error {
	namespace := storeNamespace(topic.Namespace, topic.Spec.StoreRef)
	store, err := lib.LookupStore(ctx, r, topic.Spec.StoreRef.Name, namespace)
	if err != nil {
		return err
	}
	return r.ensureOwner(ctx, store, topic) // want `the Store is looked up where spec.StoreRef.Namespace of the Topic says`
}

func (r *reconciler) ensureOwner(ctx context.Context, store *api.Store, topic *api.Topic) error {
	if err := controllerutil.SetControllerReference(store, topic, r.scheme); err != nil {
		return err
	}
	return r.Update(ctx, topic)
}

func storeNamespace(own string, ref api.StoreRef) string {
	if ref.Namespace == "" {
		return own
	}
	return ref.Namespace
}

func (r *reconciler) lookedUpHere(ctx context.Context, topic *api.Topic) error {
	var store api.Store
	key := types.NamespacedName{Name: topic.Spec.StoreRef.Name, Namespace: topic.Spec.StoreRef.Namespace}
	if err := r.Get(ctx, key, &store); err != nil {
		return err
	}
	return ctrl.SetControllerReference(&store, topic, r.scheme) // want `ownerref/cross-namespace`
}
