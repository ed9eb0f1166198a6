// Package silent has the cases of reconcileresult/swallowed.
package silent

import (
	"context"
	"log/slog"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type update struct{ client.Client }

func (r *update) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.Update(ctx, b); err != nil { // want `loss: a failed Update is not retried: .*Reconcile returns success on line \d+.*\(reconcileresult/swallowed\)`
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

type status struct{ client.Client }

func (r *status) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	err := r.Get(ctx, req.NamespacedName, b)
	if err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	err = r.Status().Update(ctx, b) // want `\(reconcileresult/swallowed\)`
	if err != nil {
		return ctrl.Result{Requeue: false}, nil
	}
	return ctrl.Result{RequeueAfter: time.Minute}, nil
}

type inner struct{ client.Client }

func (r *inner) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return r.remove(ctx, &v1.Backup{})
}

func (r *inner) remove(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if err := r.Delete(ctx, b); err != nil { // want `a failed Delete is not retried: .*remove returns success`
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

// Somebody hears of it.

type logged struct{ client.Client }

func (r *logged) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Update(ctx, &v1.Backup{}); err != nil { // want `hygiene: a failed Update is not retried: Reconcile returns success`
		log.FromContext(ctx).Error(err, "update")
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

// A recorder that takes an event for one value.
type told struct {
	client.Client
	recorder interface{ Event(client.Object, notice) }
}

type notice struct{ Type, Text string }

func warning(err error) notice { return notice{"Warning", err.Error()} }

func (r *told) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Update(ctx, b); err != nil { // want `hygiene: a failed Update is not retried: Reconcile returns success`
		r.recorder.Event(b, warning(err))
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

// Traps: it is tried again, or was thought of.

type loggedAndRequeued struct{ client.Client }

func (r *loggedAndRequeued) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Update(ctx, &v1.Backup{}); err != nil {
		log.FromContext(ctx).Error(err, "update")
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	return ctrl.Result{}, nil
}

type explainedAndLogged struct{ client.Client }

func (r *explainedAndLogged) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Update(ctx, &v1.Backup{}); err != nil {
		log.FromContext(ctx).Error(err, "update")
		// The next event writes it.
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

type requeued struct{ client.Client }

func (r *requeued) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Update(ctx, &v1.Backup{}); err != nil {
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	return ctrl.Result{}, nil
}

type classified struct{ client.Client }

func (r *classified) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Create(ctx, &v1.Backup{}); apierrors.IsAlreadyExists(err) {
		return ctrl.Result{}, nil
	} else if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Delete(ctx, &v1.Backup{}); client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

type event struct {
	client.Client
	record.EventRecorder
}

func (r *event) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Update(ctx, b); err != nil { // want `hygiene: a failed Update is not retried: Reconcile returns success`
		r.Event(b, "Warning", "Failed", err.Error())
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

type condition struct{ client.Client }

func (r *condition) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	defer func() { _ = r.Status().Update(ctx, b) }()
	if err := r.Update(ctx, b); err != nil {
		meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{Type: "Failed"})
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

// What is read is no write.
type read struct{ client.Client }

func (r *read) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Get(ctx, req.NamespacedName, &v1.Backup{}); err != nil {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

// A comment says why.
type explained struct{ client.Client }

func (r *explained) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Update(ctx, &v1.Backup{}); err != nil {
		// The webhook refuses it until it is complete.
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

// A comment in the branch of the failure says why, and it is logged if there is a log.
type noted struct {
	client.Client
	log *slog.Logger
}

func (r *noted) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Status().Update(ctx, backup); err != nil {
		// The condition only keeps a counter from being raised twice.
		if backup.Name == "" {
			return ctrl.Result{}, nil
		}
	}
	return ctrl.Result{}, nil
}

// It is logged if there is a log.
type logging struct {
	client.Client
	log *slog.Logger
}

func (r *logging) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Update(ctx, &v1.Backup{}); err != nil { // want `^hygiene: a failed Update is not retried`
		if r.log != nil {
			r.log.Warn("update", "error", err)
		}
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

// What belongs to the object that was deleted before the garbage collector deletes, too.
type following struct {
	client.Client
	kube kubernetes.Interface
}

func (r *following) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, r.cleanUp(ctx, &v1.BackupList{})
}

func (r *following) cleanUp(ctx context.Context, old *v1.BackupList) error {
	for i := range old.Items {
		if err := r.Delete(ctx, &old.Items[i]); err != nil {
			return err
		}
		if name, ok := old.Items[i].Annotations["secret"]; ok {
			err := r.kube.CoreV1().Secrets(old.Items[i].Namespace).Delete(ctx, name, metav1.DeleteOptions{})
			if err == nil {
				log.FromContext(ctx).Info("deleted", "secret", name)
			}
		}
	}
	return nil
}

// Nothing else was deleted before.
type leading struct{ client.Client }

func (r *leading) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, r.cleanUp(ctx, &corev1.Secret{})
}

func (r *leading) cleanUp(ctx context.Context, secret *corev1.Secret) error {
	err := r.Delete(ctx, secret) // want `a failed Delete is not retried`
	if err == nil {
		log.FromContext(ctx).Info("deleted")
	}
	return nil
}

// Both are deleted in helpers.
type followingInHelpers struct {
	client.Client
	kube kubernetes.Interface
}

func (r *followingInHelpers) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, r.cleanUp(ctx, &v1.Backup{})
}

func (r *followingInHelpers) cleanUp(ctx context.Context, b *v1.Backup) error {
	if err := r.deleteBackup(ctx, b); err != nil {
		return err
	}
	err := r.deleteSecret(ctx, b)
	if err == nil {
		log.FromContext(ctx).Info("deleted")
	}
	return nil
}

func (r *followingInHelpers) deleteBackup(ctx context.Context, b *v1.Backup) error {
	return r.Delete(ctx, b)
}

func (r *followingInHelpers) deleteSecret(ctx context.Context, b *v1.Backup) error {
	return r.kube.CoreV1().Secrets(b.Namespace).Delete(ctx, b.Name, metav1.DeleteOptions{})
}

// The other way around, what is forgotten is the object itself.
type leadingInHelpers struct{ followingInHelpers }

func (r *leadingInHelpers) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, r.cleanUpBackwards(ctx, &v1.Backup{})
}

func (r *leadingInHelpers) cleanUpBackwards(ctx context.Context, b *v1.Backup) error {
	if err := r.deleteSecret(ctx, b); err != nil {
		return err
	}
	err := r.deleteBackup(ctx, b) // want `a failed deleteBackup is not retried`
	if err == nil {
		log.FromContext(ctx).Info("deleted")
	}
	return nil
}
