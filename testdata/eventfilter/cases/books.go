package cases

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

const (
	seenAnnotation    = "example.opvet.dev/seen"
	restartAnnotation = "example.opvet.dev/restart"
)

func digest(backup *v1.Backup) string {
	sum := sha256.Sum256([]byte(backup.Spec.Source))
	return hex.EncodeToString(sum[:])
}

// noting compares with what it has noted at start: the specs wake it.
type noting struct {
	client.Client
}

func (r *noting) start(ctx context.Context) error {
	var list v1.BackupList
	if err := r.List(ctx, &list); err != nil {
		return err
	}
	for i := range list.Items {
		metav1.SetMetaDataAnnotation(&list.Items[i].ObjectMeta, seenAnnotation, digest(&list.Items[i]))
		if err := r.Update(ctx, &list.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *noting) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.Annotations[seenAnnotation] != digest(backup) {
		return ctrl.Result{}, r.Create(ctx, &appsv1.Deployment{})
	}
	return ctrl.Result{}, nil
}

func notes(ctx context.Context, mgr manager.Manager, r *noting) error {
	if err := r.start(ctx); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})). // want `hygiene: the filter drops changes of annotation .*opvet.dev/seen, which Reconcile tests`
		Complete(r)
}

// restarting waits for what asking asks of it.
type restarting struct{ client.Client }

func (r *restarting) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.Annotations[restartAnnotation] != "" {
		return ctrl.Result{}, r.Create(ctx, &appsv1.Deployment{})
	}
	return ctrl.Result{}, nil
}

func (r *restarting) ask(ctx context.Context, backup *v1.Backup, by string) error {
	metav1.SetMetaDataAnnotation(&backup.ObjectMeta, restartAnnotation, by)
	return r.Update(ctx, backup)
}

type asking struct{ other *restarting }

func (r *asking) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, r.other.ask(ctx, &v1.Backup{}, req.Name)
}

func asks(mgr manager.Manager, r *restarting) error {
	if err := ctrl.NewControllerManagedBy(mgr).For(&appsv1.Deployment{}).Complete(&asking{r}); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})). // want `hygiene: the filter drops changes of annotation .*opvet.dev/restart, which Reconcile tests`
		Complete(r)
}
