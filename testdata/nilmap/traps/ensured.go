package traps

import (
	"context"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/nilmap/read/lib"
)

// A helper makes the map.
func (r *reconciler) ensured(ctx context.Context, key types.NamespacedName) error {
	rc := &corev1.ReplicationController{}
	if err := r.Get(ctx, key, rc); err != nil {
		return err
	}
	ensureAnnotations(rc)
	rc.Annotations["a"] = "b"
	return r.Update(ctx, rc)
}

func ensureAnnotations(rc *corev1.ReplicationController) {
	if rc.Annotations == nil {
		rc.Annotations = map[string]string{}
	}
}

// One of another package does, and one that this hands the object on to.
func (r *reconciler) ensuredElsewhere(ctx context.Context, key types.NamespacedName) error {
	rc := &corev1.ReplicationController{}
	if err := r.Get(ctx, key, rc); err != nil {
		return err
	}
	lib.EnsureAll(&rc.ObjectMeta)
	rc.Annotations["a"] = "b"
	rc.Labels["a"] = "b"
	return r.Update(ctx, rc)
}

// What is listed by labels has some.
func (r *reconciler) selected(ctx context.Context, selector labels.Selector) error {
	var list corev1.ReplicationControllerList
	if err := r.List(ctx, &list, client.HasLabels{"app"}); err != nil {
		return err
	}
	for i := range list.Items {
		list.Items[i].Labels["read"] = "true"
	}
	if err := r.List(ctx, &list, &client.ListOptions{LabelSelector: selector}); err != nil {
		return err
	}
	for i := range list.Items {
		list.Items[i].Labels["read"] = "true"
	}
	return nil
}

// What reads the Secret makes the map, too: of the one that it has read, or one that it creates.
func (r *reconciler) rotate(ctx context.Context, key types.NamespacedName, password string) error {
	secret, err := r.readOrCreate(ctx, key)
	if err != nil {
		return err
	}
	secret.StringData["password"] = password
	return r.Update(ctx, secret)
}

func (r *reconciler) readOrCreate(ctx context.Context, key types.NamespacedName) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	if err := r.Get(ctx, key, secret); err != nil {
		if !apierrors.IsNotFound(err) {
			return nil, err
		}
		secret = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: key.Name, Namespace: key.Namespace}}
		if err := r.Create(ctx, secret); err != nil {
			return nil, err
		}
	}
	if secret.StringData == nil {
		secret.StringData = map[string]string{}
	}
	return secret, nil
}

// The same through one more function.
func (r *reconciler) rotateBelow(ctx context.Context, key types.NamespacedName, password string) error {
	secret, err := r.handOn(ctx, key)
	if err != nil {
		return err
	}
	secret.StringData["password"] = password
	return r.Update(ctx, secret)
}

func (r *reconciler) handOn(ctx context.Context, key types.NamespacedName) (*corev1.Secret, error) {
	return r.readOrCreate(ctx, key)
}
