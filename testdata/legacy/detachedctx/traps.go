package detachedctx

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
	"github.com/opvet/opvet/testdata/legacy/detachedctx/helpers"
)

func (r *Reconciler) deferred(ctx context.Context, name string) error {
	defer func() {
		_ = r.kube.CoreV1().Pods("default").Delete(context.Background(), name, metav1.DeleteOptions{})
	}()
	return r.List(ctx, &v1.BackupList{})
}

func (r *Reconciler) afterDone(ctx context.Context, backup *v1.Backup) error {
	<-ctx.Done()
	return r.Delete(context.Background(), backup)
}

func (r *Reconciler) nilGuard(ctx context.Context, backup *v1.Backup) error {
	if ctx == nil {
		ctx = context.Background()
	}
	return r.Update(ctx, backup)
}

func (r *Reconciler) reason(ctx context.Context, backup *v1.Backup) error {
	// detached: must be written in any case
	return r.Update(context.Background(), backup)
}

// SetupWithManager gets no context, as was usual.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return mgr.GetFieldIndexer().IndexField(context.Background(), &v1.Backup{}, "spec.name", func(client.Object) []string { return nil })
}

// Map functions had no context.
func (r *Reconciler) mapped() handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(obj client.Object) []reconcile.Request {
		_ = r.List(context.TODO(), &v1.BackupList{})
		return nil
	})
}

// Validators had no context.
type validator struct{ client client.Client }

func (v *validator) ValidateDelete() error {
	return v.client.List(context.TODO(), &v1.BackupList{})
}

func (r *Reconciler) Start(ctx context.Context, informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: r.onAdd})
	_ = helpers.UpdateStatus(r.Client, &v1.Backup{})
	informer.Run(ctx.Done())
	_ = helpers.UpdateStatus(r.Client, &v1.Backup{})
}

func (r *Reconciler) onAdd(obj any) {
	_ = r.List(context.TODO(), &v1.BackupList{})
}
