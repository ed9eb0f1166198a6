// Package clashes has goroutines that share variables and objects with those who started them,
// and go on at the same time.
package clashes

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/handlergoroutine/clashes/lib"
	"github.com/opvet/opvet/testdata/handlergoroutine/lostwrites/background"
)

type reconciler struct {
	client.Client
	kube  kubernetes.Interface
	write func(*v1.Backup) error
}

func newReconciler() *reconciler {
	r := new(reconciler)
	r.write = r.writeStatus
	return r
}

// Reconcile deletes the pods at once, and takes the errors for complete.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	var errs []error
	for i := range pods.Items {
		go func() { // want `^loss: Reconcile reads errs on line \d+ while the goroutine that sets it still runs: its result is missed, and they race; wait for it.*per-reconcile`
			if err := r.Delete(context.Background(), &pods.Items[i]); err != nil {
				errs = append(errs, fmt.Errorf("deleting: %w", err))
			}
		}()
	}
	return ctrl.Result{}, utilerrors.NewAggregate(errs)
}

// funcs makes reconcilers of the cases below.
func (r *reconciler) funcs() []reconcile.Func {
	return []reconcile.Func{
		r.result, r.intoMap, r.byHelper, r.changed, r.changedByHelper, r.handedOver, r.bothWrite, r.elsewhere,
		r.ownVariable, r.nobodyReads, r.waited, r.received, r.locked, r.eachRound, r.setBefore, r.readBefore,
		r.copied, r.changedBefore, r.otherObject, r.onlyName, r.eachObject,
	}
}

func (r *reconciler) result(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	found := false
	go func() { // want `^loss: Reconcile reads found on line \d+ while`
		_, err := r.kube.CoreV1().Pods(req.Namespace).Get(context.Background(), req.Name, metav1.GetOptions{})
		found = err == nil
	}()
	if found {
		klog.Info("there already")
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) intoMap(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	versions := make(map[string]string)
	for _, name := range []string{"a", "b"} {
		go func() { // want `^loss: Reconcile reads versions on line \d+ while`
			pod, err := r.kube.CoreV1().Pods(req.Namespace).Get(context.Background(), name, metav1.GetOptions{})
			if err == nil {
				versions[name] = pod.ResourceVersion
			}
		}()
	}
	versions = prune(versions)
	klog.Info(len(versions))
	return ctrl.Result{}, nil
}

func prune(m map[string]string) map[string]string { delete(m, ""); return m }

// byHelper: a helper of another package starts it.
func (r *reconciler) byHelper(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	var failed error
	background.Run(func() { // want `^loss: Run \(from Reconcile\) reads failed on line \d+ while|^loss: Run reads failed on line \d+ while`
		_, failed = r.kube.CoreV1().Pods(req.Namespace).Get(context.Background(), req.Name, metav1.GetOptions{})
	})
	return ctrl.Result{}, failed
}

// changed sets the status of what is just being written.
func (r *reconciler) changed(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	shared := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, shared); err != nil {
		return ctrl.Result{}, err
	}
	backup := shared.DeepCopy()
	go func() { // want `^loss: Reconcile changes the Backup on line \d+ while a goroutine it started writes it: a crash, or half of it is stored; write it inline.*per-reconcile`
		if err := r.write(backup); err != nil {
			klog.Error(err)
		}
	}()
	backup.Status.Phase = v1.BackupRunning
	return ctrl.Result{}, nil
}

func (r *reconciler) writeStatus(backup *v1.Backup) error {
	return r.Status().Update(context.Background(), backup)
}

func (r *reconciler) changedByHelper(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, err
	}
	go func() { // want `^loss: Reconcile changes the Backup on line \d+ while`
		_ = r.Update(context.Background(), backup)
	}()
	begin(backup)
	return ctrl.Result{}, nil
}

func begin(backup *v1.Backup) {
	if backup.Labels == nil {
		backup.Labels = make(map[string]string)
	}
	backup.Labels["phase"] = "begun"
}

// handedOver: a parameter is the same object.
func (r *reconciler) handedOver(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, err
	}
	r.inBackground(backup)
	backup.Spec.Paused = true
	return ctrl.Result{}, nil
}

func (r *reconciler) inBackground(backup *v1.Backup) {
	go r.writeStatus(backup) // want `^loss: .*changes the Backup on line \d+ while`
}

// bothWrite: the answer to each write is stored into the object.
func (r *reconciler) bothWrite(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, err
	}
	go r.writeStatus(backup) // want `^loss: .*changes the Backup on line \d+ while`
	return ctrl.Result{}, r.Update(ctx, backup)
}

// elsewhere: another package does not wait.
func (r *reconciler) elsewhere(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	err := lib.DeleteAll(ctx, r.kube, req.Namespace, []string{"a", "b"}) // want `^loss: DeleteAll.* reads errs on lib/lib.go:\d+ while`
	return ctrl.Result{}, err
}
