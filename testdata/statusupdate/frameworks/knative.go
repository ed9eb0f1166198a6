// Package frameworks has reconcilers of frameworks that store the status
// themselves, after the reconciler has returned.
package frameworks

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"knative.dev/pkg/reconciler"

	exampleclient "github.com/opvet/opvet/testdata/api/client"
	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

// knativeReconciler is called by a generated reconciler, which compares the
// status before and after and stores it.
type knativeReconciler struct {
	example exampleclient.Interface
}

func (r *knativeReconciler) ReconcileKind(ctx context.Context, b *v1.Backup) reconciler.Event {
	b.Status.ObservedGeneration = b.Generation
	if b.Spec.Source == "" {
		b.MarkFailed("no source")
		return reconciler.NewEvent("Warning", "InvalidSource", "backup %s has no source", b.Name)
	}
	if err := r.label(ctx, b); err != nil {
		return err
	}
	b.SetCondition(helpers.Ready("Reconciled"))
	return nil
}

// The typed client leaves its argument alone, and the framework stores the
// status of the object that it handed in.
func (r *knativeReconciler) label(ctx context.Context, b *v1.Backup) error {
	if b.Labels["example.opvet.dev/seen"] != "" {
		return nil
	}
	labelled := b.DeepCopy()
	metav1.SetMetaDataLabel(&labelled.ObjectMeta, "example.opvet.dev/seen", "true")
	_, err := r.example.ExampleV1().Backups(b.Namespace).Update(ctx, labelled, metav1.UpdateOptions{})
	return err
}

func (r *knativeReconciler) FinalizeKind(ctx context.Context, b *v1.Backup) reconciler.Event {
	b.Status.Message = "cleaning up"
	return nil
}

// An object that the framework did not hand in: nobody else stores its status.
func (r *knativeReconciler) failChild(ctx context.Context, name, namespace string) error {
	child, err := r.example.ExampleV1().Backups(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	child = child.DeepCopy()
	child.MarkFailed("the parent is gone")
	_, err = r.example.ExampleV1().Backups(namespace).Update(ctx, child, metav1.UpdateOptions{}) // want `dropped.*\(statusupdate/dropped-by-update\)`
	return err
}

// annotatingReconciler writes the object itself, and the framework the status.
type annotatingReconciler struct {
	example exampleclient.Interface
}

func (r *annotatingReconciler) ReconcileKind(ctx context.Context, b *v1.Backup) reconciler.Event {
	b.SetCondition(helpers.Ready("Reconciled"))
	metav1.SetMetaDataAnnotation(&b.ObjectMeta, "example.opvet.dev/seen", "true")
	_, err := r.example.ExampleV1().Backups(b.Namespace).Update(ctx, b, metav1.UpdateOptions{})
	return err
}
