package mistakes

import (
	"context"
	"reflect"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type podController struct {
	queue workqueue.TypedInterface[string]
}

func (c *podController) enqueue(obj any) {
	if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
		c.queue.Add(key)
	}
}

// One of the two handlers takes what a resync hands out.
func oneDrops(ctx context.Context, client kubernetes.Interface, c *podController) {
	factory := informers.NewSharedInformerFactory(client, 30*time.Second) // want `^hygiene: every 30s all update handlers get all objects of informers\.NewSharedInformerFactory again.*resync/too-often`
	_, _ = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(oldObj, newObj any) {
			if newObj.(*corev1.Pod).ResourceVersion == oldObj.(*corev1.Pod).ResourceVersion {
				return
			}
			c.enqueue(newObj)
		},
	})
	_, _ = factory.Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, newObj any) { c.enqueue(newObj) },
	})
	factory.Start(ctx.Done())
}

// Nothing is done with what a resync hands out: it is for nothing.
func allDrop(ctx context.Context, client kubernetes.Interface, c *podController) {
	factory := informers.NewSharedInformerFactory(client, 30*time.Second) // want `^hygiene: every 30s .*`
	_, _ = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(oldObj, newObj any) {
			if newObj.(*corev1.Pod).ResourceVersion != oldObj.(*corev1.Pod).ResourceVersion {
				c.enqueue(newObj)
			}
		},
	})
	factory.Start(ctx.Done())
}

// It works before it looks.
func dropsLate(ctx context.Context, client kubernetes.Interface, c *podController) {
	factory := informers.NewSharedInformerFactory(client, 30*time.Second) // want `^hygiene: every 30s all update handlers get all objects of informers\.NewSharedInformerFactory again.*resync/too-often`
	_, _ = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(oldObj, newObj any) {
			c.enqueue(newObj)
			if newObj.(*corev1.Pod).ResourceVersion == oldObj.(*corev1.Pod).ResourceVersion {
				return
			}
			c.enqueue(oldObj)
		},
	})
	factory.Start(ctx.Done())
}

// It compares only where there are labels.
func dropsSome(ctx context.Context, client kubernetes.Interface, c *podController) {
	factory := informers.NewSharedInformerFactory(client, 30*time.Second) // want `^hygiene: every 30s all update handlers get all objects of informers\.NewSharedInformerFactory again.*resync/too-often`
	_, _ = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(oldObj, newObj any) {
			before, after := oldObj.(*corev1.Pod), newObj.(*corev1.Pod)
			if len(after.Labels) > 0 && reflect.DeepEqual(before.Labels, after.Labels) {
				return
			}
			c.enqueue(newObj)
		},
	})
	factory.Start(ctx.Done())
}

// What is the same as before is left alone, whatever is compared.
func compares(ctx context.Context, client kubernetes.Interface, c *podController) {
	factory := informers.NewSharedInformerFactory(client, 30*time.Second) // want `^hygiene: every 30s .*`
	_, _ = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(oldObj, newObj any) {
			before, after := oldObj.(*corev1.Pod), newObj.(*corev1.Pod)
			if before.Spec.NodeName != after.Spec.NodeName || !reflect.DeepEqual(before.Labels, after.Labels) {
				c.enqueue(newObj)
			}
		},
	})
	factory.Start(ctx.Done())
}

// A method is handed both.
func comparesElsewhere(ctx context.Context, client kubernetes.Interface, c *podController) {
	factory := informers.NewSharedInformerFactory(client, 30*time.Second) // want `^hygiene: every 30s .*`
	_, _ = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(oldObj, newObj any) { c.update(oldObj.(*corev1.Pod), newObj.(*corev1.Pod)) },
	})
	factory.Start(ctx.Done())
}

func (c *podController) update(before, after *corev1.Pod) {
	if equality.Semantic.DeepEqual(before.Spec, after.Spec) {
		return
	}
	c.enqueue(after)
}

type known struct {
	mu   sync.Mutex
	pods map[string]*corev1.Pod
}

// What a resync hands out goes into a map once more, which costs nothing.
func (k *known) watch(ctx context.Context, client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(client, 5*time.Second) // want `^hygiene: every 5s .*`
	_, _ = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, newObj any) {
			pod, ok := newObj.(*corev1.Pod)
			if !ok {
				return
			}
			k.mu.Lock()
			defer k.mu.Unlock()
			k.pods[pod.Name] = pod
		},
	})
	factory.Start(ctx.Done())
}

// Nobody asks for what it is told.
func nobody(ctx context.Context, client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(client, 30*time.Second) // want `^hygiene: every 30s .*`
	factory.Core().V1().Pods().Lister()
	factory.Start(ctx.Done())
}
