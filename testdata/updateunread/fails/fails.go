// Package fails sends new objects as updates.
package fails

import (
	"context"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

// The creation has failed because the object exists.
func (r *reconciler) exists(ctx context.Context, name string) error {
	backup := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.BackupSpec{Source: "a"}}
	err := r.Create(ctx, backup)
	if apierrors.IsAlreadyExists(err) {
		return r.Update(ctx, backup) // want `this update always fails: a new Backup has no resourceVersion; read the object first and change that, or use CreateOrUpdate \(updateunread/no-resource-version\)`
	}
	return err
}

// Another object was read.
func (r *reconciler) other(ctx context.Context, key client.ObjectKey) error {
	desired := newBackup(key.Name)
	existing := &v1.Backup{}
	if err := r.Get(ctx, key, existing); apierrors.IsNotFound(err) {
		return r.Create(ctx, desired)
	} else if err != nil {
		return err
	}
	return r.Update(ctx, desired) // want `this update always fails: a new Backup has no resourceVersion`
}

func newBackup(name string) *v1.Backup {
	backup := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: name}}
	backup.Spec.Source = "a"
	return backup
}

// A helper sends it.
func (r *reconciler) helped(ctx context.Context, name string) error {
	return r.send(ctx, newBackup(name))
}

func (r *reconciler) send(ctx context.Context, backup *v1.Backup) error {
	backup.Labels = map[string]string{"sent": "true"}
	return r.Update(ctx, backup) // want `this update always fails: a new Backup has no resourceVersion`
}

// A kind of Kubernetes' own that refuses it.
func webhooks(ctx context.Context, c kubernetes.Interface, name string) error {
	config := &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := c.AdmissionregistrationV1().ValidatingWebhookConfigurations().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	_, err = c.AdmissionregistrationV1().ValidatingWebhookConfigurations().Update(ctx, config, metav1.UpdateOptions{}) // want `this update always fails: a new ValidatingWebhookConfiguration has no resourceVersion`
	return err
}

// The status, too: of such findings in real operators hardly one was right.
func (r *reconciler) status(ctx context.Context, name string) error {
	backup := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: name}}
	backup.Status.Phase = v1.BackupFailed
	return r.Status().Update(ctx, backup) // want `^hygiene: this update always fails: a new Backup has no resourceVersion`
}

// What a failed creation returns is empty.
func failed(ctx context.Context, c kubernetes.Interface, wanted *admissionv1.ValidatingWebhookConfiguration) error {
	hooks := c.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	config, err := hooks.Create(ctx, wanted, metav1.CreateOptions{})
	if err != nil {
		if !apierrors.IsAlreadyExists(err) {
			return err
		}
		_, err = hooks.Update(ctx, config, metav1.UpdateOptions{}) // want `this update always fails: a new ValidatingWebhookConfiguration has no resourceVersion`
	}
	return err
}

// Typed clients leave what they are given as it is.
func twice(ctx context.Context, c kubernetes.Interface, name string) error {
	hooks := c.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	config := &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := hooks.Create(ctx, config, metav1.CreateOptions{}); err != nil {
		return err
	}
	config.Labels = map[string]string{"created": "true"}
	_, err := hooks.Update(ctx, config, metav1.UpdateOptions{}) // want `this update always fails: a new ValidatingWebhookConfiguration has no resourceVersion`
	return err
}

// Each of a list that somebody has put together.
func (r *reconciler) each(ctx context.Context, all []*v1.Backup) error {
	for _, backup := range all {
		found := &v1.Backup{}
		err := r.Get(ctx, client.ObjectKeyFromObject(backup), found)
		if err == nil {
			if err := r.Update(ctx, backup); err != nil { // want `this update always fails: a new Backup has no resourceVersion`
				return err
			}
			continue
		}
		if apierrors.IsNotFound(err) {
			if err := r.Create(ctx, backup); err != nil {
				return err
			}
		}
	}
	return nil
}

// Another error than the one that says whether it was found is asked about.
func (r *reconciler) askedAnother(ctx context.Context, key client.ObjectKey) error {
	backup := &v1.Backup{}
	err := r.Get(ctx, key, backup)
	if apierrors.IsNotFound(err) {
		backup = &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: key.Name}}
	} else if err != nil {
		return err
	}
	err = r.Get(ctx, key, &v1.Cluster{})
	if apierrors.IsNotFound(err) {
		return r.Create(ctx, backup)
	}
	return r.Update(ctx, backup) // want `no-resource-version`
}

// unretried need not have a first round.
func (r *reconciler) unretried(ctx context.Context, key client.ObjectKey, attempts int) error {
	var err error
	found := &v1.Backup{}
	for i := 0; i < attempts; i++ {
		if err = r.Get(ctx, key, found); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	found.Name = key.Name
	return r.Update(ctx, found) // want `this update always fails: a new Backup has no resourceVersion`
}
