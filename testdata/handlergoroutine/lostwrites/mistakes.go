// Package lostwrites has goroutines that write to the API server, and nobody hears how it went.
package lostwrites

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/retry"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/handlergoroutine/lostwrites/background"
)

type controller struct {
	client.Client
	kube     kubernetes.Interface
	recorder record.EventRecorder
	queue    workqueue.TypedRateLimitingInterface[string]
	failures chan error
	provider provider
	store    *background.Store
	write    func(*v1.Backup) error
	failed   map[string]bool
}

func newController() *controller {
	c := new(controller)
	c.write = c.writeLater
	return c
}

func (c *controller) register(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: c.updated, AddFunc: c.added})
}

func (c *controller) updated(_, obj any) {
	pod := obj.(*corev1.Pod)
	if pod.Status.Reason != "Evicted" {
		return
	}
	go func() { // want `^loss: UpdateFunc starts a goroutine nobody waits for: if Delete on line \d+ fails nobody tries again; enqueue the key, work in the reconciler.*per-event`
		err := c.kube.CoreV1().Pods(pod.Namespace).Delete(context.TODO(), pod.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			klog.Errorf("deleting the evicted pod %s/%s: %v", pod.Namespace, pod.Name, err)
		}
	}()
}

// Reconcile deletes the pods of a backup all at once.
func (c *controller) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var pods corev1.PodList
	if err := c.List(ctx, &pods, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	for i := range pods.Items {
		go func() { // want `^loss: Reconcile starts a goroutine nobody waits for: if Delete on line \d+ fails nobody tries again; do it inline and return the error.*per-reconcile`
			if err := c.Delete(context.Background(), &pods.Items[i]); err != nil {
				log.FromContext(ctx).Error(err, "not deleted")
			}
		}()
	}
	return ctrl.Result{}, nil
}

// funcs makes reconcilers of the cases below.
func (c *controller) funcs() []reconcile.Func {
	return []reconcile.Func{
		c.bareCall, c.errorOfTheFunction, c.throughHelpers, c.conflictsOnly, c.throughField, c.deferred, c.eachOfAList,
		c.generic, c.literal, c.createsOrUpdates, c.requeuesElsewhere, c.firstOfTwo, c.elsewhere,
	}
}

func (c *controller) bareCall(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	go c.Delete(context.WithoutCancel(ctx), pod) // want `^loss: .*if Delete on line \d+ fails`
	return ctrl.Result{}, nil
}

func (c *controller) errorOfTheFunction(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go c.remove(req.Namespace, req.Name) // want `^loss: .*if Delete on line \d+ fails`
	return ctrl.Result{}, nil
}

func (c *controller) remove(namespace, name string) error {
	if err := c.kube.CoreV1().ConfigMaps(namespace).Delete(context.TODO(), name, metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("removing %s: %w", name, err)
	}
	return nil
}

// throughHelpers: one starts the goroutine, another one logs.
func (c *controller) throughHelpers(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	c.removeInBackground(req)
	return ctrl.Result{}, nil
}

func (c *controller) removeInBackground(req ctrl.Request) {
	go c.removeLoudly(req) // want `^loss: removeInBackground \(from Reconcile\) starts .*if Delete on line \d+ fails`
}

func (c *controller) removeLoudly(req ctrl.Request) {
	if err := c.remove(req.Namespace, req.Name); err != nil {
		c.complain(req, err)
	}
}

func (c *controller) complain(req ctrl.Request, err error) {
	klog.ErrorS(err, "failed", "name", req.Name)
}

// conflictsOnly: other errors end it.
func (c *controller) conflictsOnly(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^loss: .*if Status\(\)\.Update on line \d+ fails`
		err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
			latest := new(v1.Backup)
			if err := c.Get(context.Background(), req.NamespacedName, latest); err != nil {
				return err
			}
			latest.Status.Phase = v1.BackupRunning
			return c.Status().Update(context.Background(), latest)
		})
		if err != nil {
			log.FromContext(ctx).Error(err, "status not written")
		}
	}()
	return ctrl.Result{}, nil
}

func (c *controller) throughField(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := new(v1.Backup)
	if err := c.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, c.write(backup.DeepCopy())
}

func (c *controller) writeLater(backup *v1.Backup) error {
	go c.Update(context.Background(), backup) // want `^loss: .*if Update on line \d+ fails`
	return nil
}

func (c *controller) deferred(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	defer func() {
		go c.remove(req.Namespace, req.Name) // want `^loss: .*if Delete on line \d+ fails`
	}()
	return ctrl.Result{}, nil
}

// eachOfAList: a loop over a list comes to each element once.
func (c *controller) eachOfAList(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^loss: .*if Create on line \d+ fails`
		for _, name := range []string{"a", "b"} {
			claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: name}}
			if err := c.Create(context.Background(), claim); err != nil {
				c.recorder.Eventf(claim, "Warning", "Failed", "creating: %v", err)
				continue
			}
		}
	}()
	return ctrl.Result{}, nil
}

func (c *controller) generic(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	background.ForEach([]string{"a", "b"}, func(name string) error { // want `^loss: ForEach \(from Reconcile\) starts a goroutine \(background/background.go:\d+\) nobody waits for: if Delete on line \d+ fails|^loss: ForEach starts a goroutine \(background/background.go:\d+\) nobody waits for: if Delete on line \d+ fails`
		return c.kube.CoreV1().Secrets(req.Namespace).Delete(ctx, name, metav1.DeleteOptions{})
	})
	return ctrl.Result{}, nil
}

func (c *controller) literal(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	background.Run(func() { c.removeLoudly(req) }) // want `^loss: Run.*if Delete on line \d+ fails`
	return ctrl.Result{}, nil
}

func (c *controller) createsOrUpdates(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	go func() { // want `^loss: .*if CreateOrUpdate on line \d+ fails`
		_, err := controllerutil.CreateOrUpdate(context.WithoutCancel(ctx), c.Client, service, func() error {
			service.Spec.Type = corev1.ServiceTypeClusterIP
			return nil
		})
		if err != nil {
			klog.Error(err)
		}
	}()
	return ctrl.Result{}, nil
}

// requeuesElsewhere comes back on another way than that of the goroutine.
func (c *controller) requeuesElsewhere(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	if req.Name == "" {
		return ctrl.Result{Requeue: true}, nil
	}
	go c.remove(req.Namespace, req.Name) // want `^loss: .*if Delete on line \d+ fails`
	return ctrl.Result{}, nil
}

// firstOfTwo: that something else is done about another write is no help.
func (c *controller) firstOfTwo(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	go func() { // want `^loss: .*if Delete on line \d+ fails`
		_ = c.remove(req.Namespace, req.Name)
		if err := c.remove(req.Namespace, req.Name+"-old"); err != nil {
			c.failed[req.Name] = true
		}
	}()
	return ctrl.Result{}, nil
}

// elsewhere: another package writes, and says whether that has failed.
func (c *controller) elsewhere(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	go func() { // want `^loss: .*if Keep on line \d+ fails`
		if err := c.store.Keep(context.WithoutCancel(ctx), backup); err != nil {
			klog.Error(err)
		}
	}()
	return ctrl.Result{}, nil
}
