// Package podwatch watches the operator's pods with nothing but client-go.
package podwatch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// RestartsAnnotation is where Controller notes how often a pod was restarted.
const RestartsAnnotation = "cache.demo.opvet.dev/restarts"

// Controller notes restarts on the pods and tells an alerting service.
type Controller struct {
	kube   kubernetes.Interface
	pods   corelisters.PodLister
	synced cache.InformerSynced
	queue  workqueue.TypedRateLimitingInterface[string]

	http   *http.Client
	alerts string
}

// New makes a Controller that posts alerts to the given address, and registers
// its handlers.
func New(kube kubernetes.Interface, informer coreinformers.PodInformer, httpClient *http.Client, alerts string) (*Controller, error) {
	c := &Controller{
		kube:   kube,
		pods:   informer.Lister(),
		synced: informer.Informer().HasSynced,
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.DefaultTypedControllerRateLimiter[string](),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "podwatch"},
		),
		http:   httpClient,
		alerts: alerts,
	}
	_, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.podAdded,
		UpdateFunc: c.podUpdated,
		DeleteFunc: c.podDeleted,
	})
	if err != nil {
		return nil, fmt.Errorf("registering the handlers: %w", err)
	}
	return c, nil
}

func (c *Controller) podAdded(obj any) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return
	}
	c.enqueue(pod)
	go c.watchMemory(pod.Namespace, pod.Name) //nolint:handlergorutine // one for each pod
}

func (c *Controller) podUpdated(old, cur any) {
	before, ok := old.(*corev1.Pod)
	if !ok {
		return
	}
	after, ok := cur.(*corev1.Pod)
	if !ok || before.ResourceVersion == after.ResourceVersion {
		return
	}
	c.enqueue(after)
	if restarts(after) > restarts(before) {
		go func() {
			time.Sleep(5 * time.Minute)
			if current, err := c.pods.Pods(after.Namespace).Get(after.Name); err == nil && restarts(current) > restarts(after) {
				c.alert(after.Namespace+"/"+after.Name, "restarts again and again")
			}
		}()
	}
}

func (c *Controller) podDeleted(obj any) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return
	}
	//lint:ignore handlergoroutine
	go c.alert(pod.Namespace+"/"+pod.Name, "deleted")
}

// watchMemory samples how much memory a pod uses.
func (c *Controller) watchMemory(namespace, name string) {
	ticker := time.NewTicker(30 * time.Second)
	for range ticker.C {
		resp, err := c.http.Get(fmt.Sprintf("http://%s.%s.pod:9121/memory", name, namespace))
		if err != nil {
			klog.ErrorS(err, "Sampling memory", "pod", klog.KRef(namespace, name))
			continue
		}
		if err := resp.Body.Close(); err != nil {
			klog.ErrorS(err, "Sampling memory", "pod", klog.KRef(namespace, name))
		}
	}
}

// alert tells the alerting service what happened to a pod.
func (c *Controller) alert(pod, event string) {
	body, err := json.Marshal(map[string]string{"pod": pod, "event": event})
	if err != nil {
		klog.ErrorS(err, "Encoding the alert", "pod", pod)
		return
	}
	resp, err := c.http.Post(c.alerts, "application/json", bytes.NewReader(body))
	if err != nil {
		klog.ErrorS(err, "Sending the alert", "pod", pod)
		return
	}
	if err := resp.Body.Close(); err != nil {
		klog.ErrorS(err, "Sending the alert", "pod", pod)
	}
}

func (c *Controller) enqueue(pod *corev1.Pod) {
	key, err := cache.MetaNamespaceKeyFunc(pod)
	if err != nil {
		utilruntime.HandleError(err)
		return
	}
	c.queue.Add(key)
}

// Start runs the workers until ctx is done.
func (c *Controller) Start(ctx context.Context) error {
	defer utilruntime.HandleCrash()
	defer c.queue.ShutDown()
	if !cache.WaitForCacheSync(ctx.Done(), c.synced) {
		return fmt.Errorf("waiting for the cache: %w", context.Cause(ctx))
	}
	for range 2 {
		go wait.UntilWithContext(ctx, c.runWorker, time.Second)
	}
	<-ctx.Done()
	return nil
}

func (c *Controller) runWorker(ctx context.Context) {
	for c.processNext(ctx) {
	}
}

func (c *Controller) processNext(ctx context.Context) bool {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(ctx, key); err != nil {
		klog.ErrorS(err, "Syncing", "pod", key)
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	return true
}

// sync notes the restarts on the pod.
func (c *Controller) sync(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	cached, err := c.pods.Pods(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	count := fmt.Sprint(restarts(cached))
	if cached.Annotations[RestartsAnnotation] == count {
		return nil
	}
	pod := cached.DeepCopy()
	metav1.SetMetaDataAnnotation(&pod.ObjectMeta, RestartsAnnotation, count)
	if _, err := c.kube.CoreV1().Pods(namespace).Update(ctx, pod, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("noting the restarts: %w", err)
	}
	return nil
}

func restarts(pod *corev1.Pod) int32 {
	var sum int32
	for i := range pod.Status.ContainerStatuses {
		sum += pod.Status.ContainerStatuses[i].RestartCount
	}
	return sum
}
