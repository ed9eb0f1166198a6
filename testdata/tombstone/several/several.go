// Package several has several controllers, each with a worker of its own.
package several

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/tombstone/several/queue"
)

type podController struct {
	queue     *queue.Queue
	clientset kubernetes.Interface
}

func newPodController(informer cache.SharedIndexInformer, clientset kubernetes.Interface) *podController {
	c := &podController{clientset: clientset}
	c.queue = queue.New(c.reconcile)
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			pod, ok := obj.(*corev1.Pod) // want `hygiene: a missed deletion is lost: .*tombstone/dropped`
			if !ok {
				return
			}
			c.queue.Add(types.NamespacedName{Namespace: "default", Name: pod.Name})
		},
	})
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			pod, ok := obj.(*corev1.Pod) // want `loss: a missed deletion is lost: .*tombstone/dropped`
			if !ok {
				return
			}
			c.queue.Add(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Spec.NodeName})
		},
	})
	return c
}

// reconcile does nothing for a Pod that is gone.
func (c *podController) reconcile(key types.NamespacedName) error {
	klog.Infof("reconciling %s", key)
	pod, err := c.clientset.CoreV1().Pods(key.Namespace).Get(context.Background(), key.Name, metav1.GetOptions{})
	if err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	pod.Labels = map[string]string{"seen": "true"}
	_, err = c.clientset.CoreV1().Pods(pod.Namespace).Update(context.Background(), pod, metav1.UpdateOptions{})
	return err
}

type runner interface {
	reconcile(types.NamespacedName) error
}

type setController struct {
	queue  *queue.Queue
	client client.Client
}

func newSetController(informer cache.SharedIndexInformer, kube client.Client) runner {
	c := &setController{client: kube}
	c.queue = queue.New(c.reconcile)
	enqueue := func(obj any) {
		if set, ok := obj.(*appsv1.StatefulSet); ok {
			c.queue.Add(client.ObjectKeyFromObject(set))
		}
	}
	informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			set, ok := obj.(*appsv1.StatefulSet) // want `hygiene: a missed deletion never reaches DeleteFunc.*tombstone/dropped`
			return ok && set.Labels != nil
		},
		Handler: cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) { enqueue(obj) }},
	})
	return c
}

func (c *setController) reconcile(key types.NamespacedName) error {
	set := &appsv1.StatefulSet{}
	if err := c.client.Get(context.Background(), key, set); err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	set.Labels["seen"] = "true"
	return c.client.Update(context.Background(), set)
}

// mapController cleans up after what is gone.
type mapController struct {
	queue  *queue.Queue
	client client.Client
	known  map[types.NamespacedName]string
}

func newMapController(informer cache.SharedIndexInformer, kube client.Client) *mapController {
	c := &mapController{client: kube, known: make(map[types.NamespacedName]string)}
	c.queue = queue.New(c.reconcile)
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.onDelete})
	return c
}

func (c *mapController) onDelete(obj any) {
	settings, ok := obj.(*corev1.ConfigMap) // want `loss: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	c.queue.Add(types.NamespacedName{Namespace: settings.GetNamespace(), Name: settings.GetName()})
}

func (c *mapController) reconcile(key types.NamespacedName) error {
	settings := &corev1.ConfigMap{}
	if err := c.client.Get(context.Background(), key, settings); err != nil {
		if apierrors.IsNotFound(err) {
			delete(c.known, key)
			return nil
		}
		return err
	}
	c.known[key] = settings.ResourceVersion
	return nil
}
