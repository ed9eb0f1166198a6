package dropped

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	exampleclient "github.com/opvet/opvet/testdata/api/client"
	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

func (c *controller) evict(ctx context.Context, pod *corev1.Pod) error {
	pod = pod.DeepCopy()
	pod.Status.Phase = corev1.PodFailed
	pod.Status.Reason = "Evicted"
	_, err := c.core.CoreV1().Pods(pod.Namespace).Update(ctx, pod, metav1.UpdateOptions{}) // want `dropped.*\(statusupdate/dropped-by-update\)`
	return err
}

func (c *controller) typedClientOfOurKind(ctx context.Context, namespace, name string) (*v1.Backup, error) {
	b, err := c.example.ExampleV1().Backups(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	b.SetCondition(helpers.Ready("Done"))
	return c.example.ExampleV1().Backups(namespace).Update(ctx, b, metav1.UpdateOptions{}) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (c *controller) typedRetry(ctx context.Context, name string) error {
	clusters := c.example.ExampleV1().Clusters()
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		cluster, err := clusters.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		cluster.Status = &v1.ClusterStatus{Ready: true}
		_, err = clusters.Update(ctx, cluster, metav1.UpdateOptions{}) // want `dropped.*\(statusupdate/dropped-by-update\)`
		return err
	})
}

func (c *controller) typedCreate(ctx context.Context, namespace string) error {
	_, err := c.example.ExampleV1().Backups(namespace).Create(ctx, &v1.Backup{ // want `dropped.*\(statusupdate/dropped-by-update\)`
		ObjectMeta: metav1.ObjectMeta{GenerateName: "nightly-"},
		Status:     v1.BackupStatus{Phase: v1.BackupPending},
	}, metav1.CreateOptions{})
	return err
}

func typedDeferred(ctx context.Context, client exampleclient.BackupInterface, cached *v1.Backup) (err error) {
	b := cached.DeepCopy()
	defer func() {
		if _, updateErr := client.Update(ctx, b, metav1.UpdateOptions{}); updateErr != nil { // want `dropped.*\(statusupdate/dropped-by-update\)`
			err = updateErr
		}
	}()
	b.Status.Phase = v1.BackupRunning
	return nil
}

// The write happens just where the status has changed.
func (c *controller) writesTheDifference(ctx context.Context, stored *v1.Backup) error {
	b := stored.DeepCopy()
	b.Status.Phase = v1.BackupRunning
	if equality.Semantic.DeepEqual(stored.Status, b.Status) {
		return nil
	}
	return c.kube.Update(ctx, b) // want `status set on line \d+ is dropped.*\(statusupdate/dropped-by-update\)`
}

// What is compared is not what has changed.
func (c *controller) whereAnotherFieldDiffers(ctx context.Context, stored *v1.Backup) error {
	b := stored.DeepCopy()
	b.Status.Phase = v1.BackupRunning
	if b.Status.Message != stored.Status.Message {
		return c.kube.Status().Update(ctx, b)
	}
	return c.kube.Update(ctx, b) // want `status set on line \d+ is dropped.*\(statusupdate/dropped-by-update\)`
}

// One that gets a finalizer stays.
func (c *controller) held(ctx context.Context, key client.ObjectKey) error {
	var b v1.Backup
	if err := c.kube.Get(ctx, key, &b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupRunning
	controllerutil.AddFinalizer(&b, v1.Finalizer)
	return c.kube.Update(ctx, &b) // want `status set on line \d+ is dropped.*\(statusupdate/dropped-by-update\)`
}
