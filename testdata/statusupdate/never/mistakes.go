package never

import (
	"context"
	"errors"
	"log"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var b v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	b.Status.Phase = v1.BackupCompleted // want `\(statusupdate/never-persisted\)`
	b.Status.ObservedGeneration = b.Generation
	return ctrl.Result{}, nil
}

func (r *reconciler) setter(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if b.Spec.Source == "" {
		b.MarkFailed("no source") // want `\(statusupdate/never-persisted\)`
		return errors.New("no source")
	}
	return nil
}

func (r *reconciler) helperInAnotherPackage(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	helpers.SetReady(b) // want `\(statusupdate/never-persisted\)`
	log.Printf("backup %s is ready", key)
	return nil
}

func (r *reconciler) everyItemOfAList(ctx context.Context) error {
	var list v1.BackupList
	if err := r.List(ctx, &list); err != nil {
		return err
	}
	for i := range list.Items {
		list.Items[i].Status.Phase = v1.BackupFailed // want `\(statusupdate/never-persisted\)`
	}
	return nil
}

func (c *controller) typedClient(ctx context.Context, namespace, name string) error {
	b, err := c.example.ExampleV1().Backups(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	b.SetCondition(helpers.Ready("Seen")) // want `\(statusupdate/never-persisted\)`
	return nil
}

func (c *controller) copyOfACachedObject(key string) error {
	obj, exists, err := c.indexer.GetByKey(key)
	if err != nil || !exists {
		return err
	}
	b := obj.(*v1.Backup).DeepCopy()
	b.Status.Phase = v1.BackupRunning // want `\(statusupdate/never-persisted\)`
	return nil
}

// The status of another module's kind is for its controller to set.
func (r *reconciler) othersKind(ctx context.Context, key client.ObjectKey) error {
	d := &appsv1.Deployment{}
	if err := r.Get(ctx, key, d); err != nil {
		return err
	}
	d.Status.Replicas = 1 // want `^hygiene: .*\(statusupdate/never-persisted\)`
	return nil
}
