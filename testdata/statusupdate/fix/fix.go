// Package fix has the cases of the suggested fix: it is offered only where the
// status is all that has changed.
package fix

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	exampleclient "github.com/opvet/opvet/testdata/api/client"
	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

type reconciler struct {
	client.Client
}

func (r *reconciler) embedded(ctx context.Context, key client.ObjectKey) error {
	var b v1.Backup
	if err := r.Get(ctx, key, &b); err != nil {
		return client.IgnoreNotFound(err)
	}
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, &b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) embeddedByName(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Client.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	b.MarkFailed("no source")
	if err := r.Client.Update(ctx, b); err != nil { // want `dropped.*\(statusupdate/dropped-by-update\)`
		return err
	}
	return nil
}

func inAVariable(ctx context.Context, c client.Client, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := c.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	b.Status.Message = "started"
	return c.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func typedOfOurKind(ctx context.Context, backups exampleclient.BackupInterface, name string) (*v1.Backup, error) {
	b, err := backups.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	b.Status.Phase = v1.BackupRunning
	return backups.Update(ctx, b, metav1.UpdateOptions{}) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func typedOfABuiltin(ctx context.Context, kube kubernetes.Interface, namespace, name string) error {
	pod, err := kube.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	pod.Status.Phase = corev1.PodFailed
	_, err = kube.CoreV1().Pods(namespace).Update(ctx, pod, metav1.UpdateOptions{}) // want `dropped.*\(statusupdate/dropped-by-update\)`
	return err
}

// No fix: the label would be lost instead.
func (r *reconciler) labelToo(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	b.Status.Phase = v1.BackupRunning
	metav1.SetMetaDataLabel(&b.ObjectMeta, "phase", "running")
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

// No fix: this part of a client has no status endpoint, and the code would
// not compile.
func onlyReaderAndWriter(ctx context.Context, c interface {
	client.Reader
	client.Writer
}, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := c.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	b.Status.Phase = v1.BackupRunning
	return c.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

// No fix: the options of the one endpoint do not fit the other.
func withOptions(ctx context.Context, c client.Client, key client.ObjectKey, opts ...client.UpdateOption) error {
	b := &v1.Backup{}
	if err := c.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	b.Status.Phase = v1.BackupRunning
	return c.Update(ctx, b, opts...) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

// No fix: a helper in another package changes the labels.
func (r *reconciler) helperChangesLabels(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	b.Status.Phase = v1.BackupRunning
	helpers.SetOwner(b, "team-a")
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

// No fix: a caller can have changed more than the status.
func (r *reconciler) parameter(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}
