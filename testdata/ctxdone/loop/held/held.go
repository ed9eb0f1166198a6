// Package held has endless loops in what queues, informers and the API server
// call.
package held

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type controller struct {
	queue    workqueue.TypedRateLimitingInterface[string]
	pods     corelisters.PodLister
	services corelisters.ServiceLister
}

func (c *controller) processNext() bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(key); err != nil {
		c.queue.AddRateLimited(key)
	}
	return true
}

// sync waits until the pod runs, or its service is gone.
func (c *controller) sync(key string) error {
	for { // want `workqueue worker processNext holds its worker forever: nothing but success ends this loop; return and let the queue try again later`
		pod, err := c.pods.Pods("default").Get(key)
		if err != nil {
			time.Sleep(time.Second)
		}
		if pod != nil {
			return nil
		}
		if _, err := c.services.Services("default").Get(key); err != nil {
			if apierrors.IsNotFound(err) {
				return nil
			}
			return err
		}
	}
}

func (c *controller) register(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { c.wait(obj.(*corev1.Pod).Name) },
	})
}

func (c *controller) wait(name string) {
	for { // want `AddFunc keeps all later events waiting: nothing but success ends this loop`
		if pod, err := c.pods.Pods("default").Get(name); err == nil && pod.Status.Phase == corev1.PodRunning {
			return
		}
		time.Sleep(time.Second)
	}
}

type reconciler struct{ client.Client }

// Reconcile waits until the object is ready.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	pod := new(corev1.Pod)
	for pod.Status.Phase != corev1.PodRunning { // want `Reconcile holds its worker forever: nothing but success ends this loop, not even ctx`
		if err := r.Get(ctx, req.NamespacedName, pod); err != nil {
			time.Sleep(time.Second)
			continue
		}
	}
	return r.right(ctx, req)
}

// right asks once and comes again.
func (r *reconciler) right(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	pod := new(corev1.Pod)
	if err := r.Get(ctx, req.NamespacedName, pod); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if pod.Status.Phase != corev1.PodRunning {
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	return ctrl.Result{}, nil
}

// deaf ignores that the queue was shut down.
func (c *controller) deaf() {
	for { // want `this worker spins at full speed once its queue is shut down, since Get returns at once then; return when its last result is true`
		key, _ := c.queue.Get()
		if err := c.sync(key); err != nil {
			c.queue.AddRateLimited(key)
		}
		c.queue.Done(key)
	}
}

func (c *controller) Run(ctx context.Context) {
	go c.deaf()
	<-ctx.Done()
	c.queue.ShutDown()
}

// skips leaves when the queue says so, and goes on with the next item
// otherwise.
func (c *controller) skips(ctx context.Context) {
	for {
		key, quit := c.queue.Get()
		if quit {
			break
		}
		if _, err := c.pods.Pods("default").Get(key); err != nil {
			c.queue.Done(key)
			continue
		}
		c.queue.Done(key)
	}
}
