package cases

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Helpers set the time and write it, each time.

type stamps struct{ client.Client }

func (r *stamps) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{}, r.finish(ctx, backup)
}

func (r *stamps) finish(ctx context.Context, backup *v1.Backup) error {
	now := metav1.Now()
	backup.Status.StartTime = &now // want `a reconcile of a Backup changes its status, which runs it again`
	return r.Status().Update(ctx, backup)
}

func (r *stamps) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

type parts struct{ client.Client }

func (r *parts) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	touch(&backup.Status, metav1.Now())
	if err := r.save(ctx, backup); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func touch(status *v1.BackupStatus, now metav1.Time) {
	status.StartTime = &now // want `a reconcile of a Backup changes its status, which runs it again`
}

func (r *parts) save(ctx context.Context, backup *v1.Backup) error {
	return r.Status().Update(ctx, backup)
}

func (r *parts) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

// Right: the helper decides whether to, the other one whether to write, and a third is
// given what the API server has.

type decides struct{ client.Client }

func (r *decides) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.start(ctx, backup); err != nil {
		return ctrl.Result{}, err
	}
	old := backup.DeepCopy()
	touchBackup(backup, metav1.Now())
	return ctrl.Result{}, r.saveChanged(ctx, old, backup)
}

func (r *decides) start(ctx context.Context, backup *v1.Backup) error {
	if backup.Status.StartTime != nil {
		return nil
	}
	now := metav1.Now()
	backup.Status.StartTime = &now
	return r.Status().Update(ctx, backup)
}

func touchBackup(backup *v1.Backup, now metav1.Time) { backup.Status.StartTime = &now }

func (r *decides) saveChanged(ctx context.Context, old, backup *v1.Backup) error {
	if equality.Semantic.DeepEqual(old.Status.Conditions, backup.Status.Conditions) {
		return nil
	}
	return r.Status().Update(ctx, backup)
}

func (r *decides) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

type another struct{ client.Client }

func (r *another) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	r.note(backup.DeepCopy())
	return ctrl.Result{}, r.write(ctx, backup)
}

// note changes a copy that nobody writes.
func (r *another) note(backup *v1.Backup) {
	now := metav1.Now()
	backup.Status.StartTime = &now
}

// write has a status of its own.
func (r *another) write(ctx context.Context, backup *v1.Backup) error {
	start := backup.CreationTimestamp
	backup.Status.StartTime = &start
	return r.Status().Update(ctx, backup)
}

func (r *another) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

// What has an interval of its own is only sometimes called.
type sometimes struct{ client.Client }

func (r *sometimes) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.Status.Phase != "Done" {
		return ctrl.Result{}, (&stamps{r.Client}).finish(ctx, backup)
	}
	return ctrl.Result{}, nil
}

func (r *sometimes) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}
