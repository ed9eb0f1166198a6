package right

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type controller struct {
	queue workqueue.TypedInterface[string]
}

func (c *controller) enqueue(obj any) {
	if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
		c.queue.Add(key)
	}
}

// The handlers drop what a resync hands out.
func sampleController(ctx context.Context, client kubernetes.Interface, c *controller) {
	factory := informers.NewSharedInformerFactory(client, 30*time.Second)
	c.watch(factory.Core().V1().Pods())
	_, _ = factory.Core().V1().Secrets().Informer().AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool { return true },
		Handler:    cache.ResourceEventHandlerFuncs{AddFunc: c.enqueue, UpdateFunc: c.secretChanged},
	})
	factory.Start(ctx.Done())
}

func (c *controller) watch(pods coreinformers.PodInformer) {
	_, _ = pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: c.enqueue,
		UpdateFunc: func(oldObj, newObj any) {
			before, after := oldObj.(*corev1.Pod), newObj.(*corev1.Pod)
			if after.ResourceVersion == before.ResourceVersion {
				// A resync: nothing has changed.
				return
			}
			c.enqueue(newObj)
		},
	})
}

func (c *controller) secretChanged(oldObj, newObj any) {
	before, _ := meta.Accessor(oldObj)
	after, _ := meta.Accessor(newObj)
	klog.V(4).Info("secret")
	if before.GetGeneration() != after.GetGeneration() {
		c.enqueue(newObj)
	}
}

// The command waits for one object that it lists itself.
type ownList struct {
	cache.ListerWatcher
	client    client.Client
	namespace string
}

func command(ctx context.Context, client client.Client, done chan<- *corev1.Pod) {
	lw := &ownList{client: client, namespace: "ours"}
	informer := cache.NewSharedInformer(lw, &corev1.Pod{}, time.Second)
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, obj any) { done <- obj.(*corev1.Pod) },
	})
	informer.Run(ctx.Done())
}
