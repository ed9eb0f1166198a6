package right

import (
	"context"
	"errors"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	admissionv1beta1 "k8s.io/api/admissionregistration/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The version of what was read is taken over.
func apply(ctx context.Context, c client.Client, desired *v1.Backup) error {
	existing := &v1.Backup{}
	err := c.Get(ctx, client.ObjectKeyFromObject(desired), existing)
	if apierrors.IsNotFound(err) {
		return c.Create(ctx, desired)
	} else if err != nil {
		return err
	}
	desired.ResourceVersion = existing.ResourceVersion
	return c.Update(ctx, desired)
}

func applyAny(ctx context.Context, resources dynamic.ResourceInterface, obj *unstructured.Unstructured) error {
	existing, err := resources.Get(ctx, obj.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = resources.Create(ctx, obj, metav1.CreateOptions{})
		return err
	} else if err != nil {
		return err
	}
	obj.SetResourceVersion(existing.GetResourceVersion())
	_, err = resources.Update(ctx, obj, metav1.UpdateOptions{})
	return err
}

// What was read is changed.
func change(ctx context.Context, c client.Client, desired *v1.Backup) error {
	existing := &v1.Backup{}
	err := c.Get(ctx, client.ObjectKeyFromObject(desired), existing)
	if apierrors.IsNotFound(err) {
		return c.Create(ctx, desired)
	} else if err != nil {
		return err
	}
	existing.Spec = desired.Spec
	return c.Update(ctx, existing)
}

// What was read is sent; it is created anew if it has gone meanwhile.
func save(ctx context.Context, c client.Client, backup *v1.Backup) error {
	err := c.Update(ctx, backup)
	if apierrors.IsNotFound(err) {
		backup.ResourceVersion = ""
		return c.Create(ctx, backup)
	}
	return err
}

// Whether it was read is asked of the object itself.
func store(ctx context.Context, c client.Client, backup *v1.Backup) error {
	if backup.UID == "" {
		return c.Create(ctx, backup)
	}
	return c.Update(ctx, backup)
}

// The same variable is read first.
func reread(ctx context.Context, c client.Client, backup *v1.Backup) error {
	err := c.Get(ctx, client.ObjectKeyFromObject(backup), backup)
	if apierrors.IsNotFound(err) {
		return c.Create(ctx, backup)
	} else if err != nil {
		return err
	}
	backup.Spec.Paused = true
	return c.Update(ctx, backup)
}

// The creation fills it in, and the status is written next.
func begin(ctx context.Context, c client.Client, backup *v1.Backup) error {
	if err := c.Create(ctx, backup); err != nil {
		return err
	}
	backup.Status.Phase = v1.BackupRunning
	return c.Status().Update(ctx, backup)
}

// What was created has been filled in, what was there already has been read.
func ensure(ctx context.Context, c client.Client, name client.ObjectKey) error {
	backup := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: name.Name, Namespace: name.Namespace}}
	err := c.Create(ctx, backup)
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	if apierrors.IsAlreadyExists(err) {
		if err := c.Get(ctx, name, backup); err != nil {
			return err
		}
	}
	backup.Status.Phase = v1.BackupRunning
	return c.Status().Update(ctx, backup)
}

// ConfigMaps can be updated without a resourceVersion: what others have written is lost,
// where somebody else writes it.
func replace(ctx context.Context, c client.Client, config *corev1.ConfigMap) error {
	err := c.Create(ctx, config)
	if apierrors.IsAlreadyExists(err) {
		return c.Update(ctx, config) // want `hygiene: what others have written to the ConfigMap is lost`
	}
	return err
}

// What a creation that went well returns has a version.
func returned(ctx context.Context, c kubernetes.Interface, wanted *admissionv1.ValidatingWebhookConfiguration) error {
	hooks := c.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	config, err := hooks.Create(ctx, wanted, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	config.Labels = map[string]string{"created": "true"}
	_, err = hooks.Update(ctx, config, metav1.UpdateOptions{})
	return err
}

// After the failure the object is read.
func readThen(ctx context.Context, c kubernetes.Interface, wanted *admissionv1.ValidatingWebhookConfiguration) error {
	hooks := c.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	config, err := hooks.Create(ctx, wanted, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		if config, err = hooks.Get(ctx, wanted.Name, metav1.GetOptions{}); err != nil {
			return err
		}
		config.Webhooks = wanted.Webhooks
		_, err = hooks.Update(ctx, config, metav1.UpdateOptions{})
	}
	return err
}

// The version of what a typed client has created is taken over.
func takenOver(ctx context.Context, c kubernetes.Interface, name string) error {
	hooks := c.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	config := &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}}
	created, err := hooks.Create(ctx, config, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	config.ResourceVersion = created.ResourceVersion
	_, err = hooks.Update(ctx, config, metav1.UpdateOptions{})
	return err
}

// Each gets the version of the one that is there.
func each(ctx context.Context, c client.Client, all []*v1.Backup) error {
	for _, backup := range all {
		found := &v1.Backup{}
		err := c.Get(ctx, client.ObjectKeyFromObject(backup), found)
		if apierrors.IsNotFound(err) {
			err = c.Create(ctx, backup)
		} else if err == nil {
			backup.ResourceVersion = found.ResourceVersion
			err = c.Update(ctx, backup)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeEither finds out by the object whether it is there.
func (r *reconciler) writeEither(ctx context.Context, backup *v1.Backup) error {
	if backup.CreationTimestamp.IsZero() {
		return r.Create(ctx, backup)
	}
	return r.Update(ctx, backup)
}

func (r *reconciler) finish(ctx context.Context, backup *v1.Backup) (bool, error) {
	if backup.Spec.Paused {
		return true, r.writeEither(ctx, backup)
	}
	return false, nil
}

func (r *reconciler) either(ctx context.Context, key client.ObjectKey) error {
	backup, err := r.backup(ctx, key)
	if err != nil {
		return err
	}
	if done, err := r.finish(ctx, backup); done {
		return err
	}
	backup.Labels = map[string]string{"seen": "true"}
	return r.writeEither(ctx, backup)
}

func (r *reconciler) backup(ctx context.Context, key client.ObjectKey) (*v1.Backup, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, key, backup); err != nil {
		return nil, err
	}
	return backup, nil
}

// The version is taken over through the maps of the content.
func applyThroughMaps(ctx context.Context, resources dynamic.ResourceInterface, obj *unstructured.Unstructured) error {
	found, err := resources.Get(ctx, obj.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = resources.Create(ctx, obj, metav1.CreateOptions{})
		return err
	} else if err != nil {
		return err
	}
	obj.Object["metadata"].(map[string]any)["resourceVersion"] = found.GetResourceVersion()
	_, err = resources.Update(ctx, obj, metav1.UpdateOptions{})
	return err
}

func applyNested(ctx context.Context, resources dynamic.ResourceInterface, obj *unstructured.Unstructured) error {
	found, err := resources.Get(ctx, obj.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = resources.Create(ctx, obj, metav1.CreateOptions{})
		return err
	} else if err != nil {
		return err
	}
	if err := unstructured.SetNestedField(obj.Object, found.GetResourceVersion(), "metadata", "resourceVersion"); err != nil {
		return err
	}
	_, err = resources.Update(ctx, obj, metav1.UpdateOptions{})
	return err
}

// applyMerged takes the version over two functions further down.
func applyMerged(ctx context.Context, resources dynamic.ResourceInterface, obj *unstructured.Unstructured) error {
	found, err := resources.Get(ctx, obj.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = resources.Create(ctx, obj, metav1.CreateOptions{})
		return err
	} else if err != nil {
		return err
	}
	if err := merge(found, obj); err != nil {
		return err
	}
	_, err = resources.Update(ctx, obj, metav1.UpdateOptions{})
	return err
}

func merge(found, wanted *unstructured.Unstructured) error {
	if wanted.GetKind() == "" {
		return errors.New("no kind")
	}
	mergeMetadata(found, wanted)
	return nil
}

func mergeMetadata(found, wanted *unstructured.Unstructured) {
	wanted.SetUID(found.GetUID())
	wanted.SetResourceVersion(found.GetResourceVersion())
}

// Where the first update fails, the object is read.
func (r *reconciler) triedAgain(ctx context.Context, key client.ObjectKey) error {
	backup := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: key.Name, Namespace: key.Namespace}}
	if err := r.Create(ctx, backup); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	backup.Status.Phase = v1.BackupRunning
	if err := r.Status().Update(ctx, backup); err != nil {
		return retry.RetryOnConflict(retry.DefaultRetry, func() error {
			found := &v1.Backup{}
			if err := r.Get(ctx, key, found); err != nil {
				return err
			}
			found.Status.Phase = v1.BackupRunning
			return r.Status().Update(ctx, found)
		})
	}
	return nil
}

// A helper answers for the first update: it reads and updates again.
func (r *reconciler) triedAgainByAHelper(ctx context.Context, key client.ObjectKey, found *v1.Backup) error {
	backup := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: key.Name, Namespace: key.Namespace}}
	if found == nil {
		return r.Create(ctx, backup)
	}
	err := r.Update(ctx, backup)
	return r.again(ctx, key, backup, err)
}

func (r *reconciler) again(ctx context.Context, key client.ObjectKey, wanted *v1.Backup, err error) error {
	for i := 0; err != nil && i < 5; i++ {
		found := &v1.Backup{}
		if err = r.Get(ctx, key, found); err != nil {
			continue
		}
		found.Spec = wanted.Spec
		err = r.Update(ctx, found)
	}
	return err
}

// No API server that this is built for serves the beta version.
func replaceBeta(ctx context.Context, c kubernetes.Interface, config *admissionv1beta1.ValidatingWebhookConfiguration) error {
	hooks := c.AdmissionregistrationV1beta1().ValidatingWebhookConfigurations()
	_, err := hooks.Create(ctx, config, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		_, err = hooks.Update(ctx, config, metav1.UpdateOptions{}) // want `^hygiene: this update always fails`
	}
	return err
}
