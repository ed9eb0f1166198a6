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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/tombstone/several/queue"
)

// secretController deletes what belongs to a key: that is no read of anything.
type secretController struct {
	queue     *queue.Queue
	clientset kubernetes.Interface
}

func newSecretController(informer cache.SharedIndexInformer, clientset kubernetes.Interface) *secretController {
	c := &secretController{clientset: clientset}
	c.queue = queue.New(c.reconcile)
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.onDelete})
	return c
}

func (c *secretController) onDelete(obj any) {
	node, ok := obj.(*corev1.Node) // want `loss: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	c.queue.Add(types.NamespacedName{Namespace: "default", Name: node.Name})
}

func (c *secretController) reconcile(key types.NamespacedName) error {
	err := c.clientset.CoreV1().Secrets(key.Namespace).Delete(context.Background(), key.Name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// feeder puts keys on the queue of another controller.
type feeder struct {
	queue   *queue.Queue
	secrets *secretController
	client  client.Client
}

func (f *feeder) register(informer cache.SharedIndexInformer) {
	f.queue = queue.New(f.reconcile)
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: f.onDelete})
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: f.onDeleteOwn})
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: f.onDeleteOfTemplate})
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: f.onDeleteReplaced})
}

func (f *feeder) onDelete(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `loss: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	f.secrets.queue.Add(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name})
}

func (f *feeder) onDeleteOwn(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `hygiene: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	f.queue.Add(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name})
}

// The key is that of what the template makes.
func (f *feeder) onDeleteOfTemplate(obj any) {
	set, ok := obj.(*appsv1.StatefulSet) // want `loss: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	f.queue.Add(types.NamespacedName{Namespace: set.Namespace, Name: set.Spec.Template.Name})
}

func (f *feeder) onDeleteReplaced(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `loss: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	var key types.NamespacedName
	key.Namespace, key.Name = pod.Namespace, pod.Name
	if pod.Spec.NodeName != "" {
		key = types.NamespacedName{Name: pod.Spec.NodeName}
	}
	f.queue.Add(key)
}

func (f *feeder) reconcile(key types.NamespacedName) error {
	pod := &corev1.Pod{}
	if err := f.client.Get(context.Background(), types.NamespacedName{Namespace: key.Namespace, Name: key.Name}, pod); err != nil {
		return client.IgnoreNotFound(err)
	}
	pod.Labels["seen"] = "true"
	return f.client.Update(context.Background(), pod)
}
