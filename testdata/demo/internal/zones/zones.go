// Package zones labels nodes and pods with the zone that they are in.
package zones

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// podRequest asks for a pod's label.
type podRequest struct{ namespace, name string }

// Labeller labels nodes and the pods on them.
type Labeller struct {
	kube  kubernetes.Interface
	nodes corelisters.NodeLister
	pods  corelisters.PodLister

	nodeQueue    workqueue.TypedRateLimitingInterface[string]
	podQueue     workqueue.TypedRateLimitingInterface[*podRequest]
	removedQueue workqueue.TypedInterface[string]
	volumeQueue  workqueue.TypedRateLimitingInterface[string]
}

// New makes a Labeller and registers its handlers.
func New(kube kubernetes.Interface, nodes coreinformers.NodeInformer, pods coreinformers.PodInformer) (*Labeller, error) {
	l := &Labeller{
		kube:         kube,
		nodes:        nodes.Lister(),
		pods:         pods.Lister(),
		nodeQueue:    workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
		podQueue:     workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[*podRequest]()),
		removedQueue: workqueue.NewTyped[string](),
		volumeQueue:  workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
	}
	_, err := nodes.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    l.nodeAdded,
		UpdateFunc: l.nodeUpdated,
		DeleteFunc: l.nodeDeleted,
	})
	if err != nil {
		return nil, fmt.Errorf("registering the handlers of nodes: %w", err)
	}
	if _, err := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: l.podAdded}); err != nil {
		return nil, fmt.Errorf("registering the handlers of pods: %w", err)
	}
	return l, nil
}

// Run labels until the context ends.
func (l *Labeller) Run(ctx context.Context) {
	defer l.shutdown()
	go wait.UntilWithContext(ctx, l.labelNodes, time.Second)
	go wait.UntilWithContext(ctx, l.labelPods, time.Second)
	go wait.UntilWithContext(ctx, l.cleanUp, time.Second)
	go wait.UntilWithContext(ctx, l.labelVolumes, time.Second)
	<-ctx.Done()
}

func (l *Labeller) shutdown() {
	l.nodeQueue.ShutDown()
	l.podQueue.ShutDown()
	l.volumeQueue.ShutDown()
}

func (l *Labeller) nodeAdded(obj any) {
	if node, ok := obj.(*corev1.Node); ok {
		l.nodeQueue.AddRateLimited(node.Name)
	}
}

func (l *Labeller) nodeUpdated(_, cur any) {
	if node, ok := cur.(*corev1.Node); ok && node.Labels[corev1.LabelTopologyZone] == "" {
		if err := l.labelNode(context.Background(), node.Name); err != nil {
			utilruntime.HandleError(err)
		}
	}
}

func (l *Labeller) nodeDeleted(obj any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
		l.removedQueue.Add(key)
	}
}

func (l *Labeller) podAdded(obj any) {
	if pod, ok := obj.(*corev1.Pod); ok {
		l.podQueue.Add(&podRequest{pod.Namespace, pod.Name})
	}
}

func (l *Labeller) labelNodes(ctx context.Context) {
	for {
		name, quit := l.nodeQueue.Get()
		if quit {
			return
		}
		if err := l.labelNode(ctx, name); err != nil {
			utilruntime.HandleError(err)
			l.nodeQueue.AddRateLimited(name)
			continue
		}
		l.nodeQueue.Forget(name)
		l.nodeQueue.Done(name)
	}
}

func (l *Labeller) labelPods(ctx context.Context) {
	for {
		req, quit := l.podQueue.Get()
		if quit {
			return
		}
		if err := l.labelPod(ctx, req); err != nil {
			utilruntime.HandleError(err)
			l.podQueue.AddRateLimited(req)
		}
		l.podQueue.Done(req)
	}
}

func (l *Labeller) cleanUp(ctx context.Context) {
	for {
		name, quit := l.removedQueue.Get()
		if quit {
			return
		}
		err := l.kube.StorageV1().CSINodes().Delete(ctx, name, metav1.DeleteOptions{})
		if err != nil {
			utilruntime.HandleError(err)
			l.removedQueue.Add(name)
		}
		l.removedQueue.Done(name)
	}
}

func (l *Labeller) labelNode(ctx context.Context, name string) error {
	node, err := l.nodes.Get(name)
	if err != nil {
		return fmt.Errorf("reading node %s: %w", name, err)
	}
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, corev1.LabelTopologyZone, node.Annotations[corev1.LabelTopologyZone])
	if _, err := l.kube.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("labelling node %s: %w", name, err)
	}
	return nil
}

func (l *Labeller) labelPod(ctx context.Context, req *podRequest) error {
	pod, err := l.pods.Pods(req.namespace).Get(req.name)
	if err != nil {
		return fmt.Errorf("reading pod %s/%s: %w", req.namespace, req.name, err)
	}
	node, err := l.nodes.Get(pod.Spec.NodeName)
	if err != nil {
		return fmt.Errorf("reading node %s: %w", pod.Spec.NodeName, err)
	}
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, corev1.LabelTopologyZone, node.Labels[corev1.LabelTopologyZone])
	if _, err := l.kube.CoreV1().Pods(req.namespace).Patch(ctx, req.name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("labelling pod %s/%s: %w", req.namespace, req.name, err)
	}
	return nil
}
