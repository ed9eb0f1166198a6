package setups

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// Services is a controller of client-go alone.
type Services struct {
	kube     kubernetes.Interface
	services corelisters.ServiceLister
	queue    workqueue.TypedRateLimitingInterface[string]
	sync     func(ctx context.Context, key string) error
}

// NewServices watches services, the pods that belong to one, and some of the endpoints.
func NewServices(kube kubernetes.Interface, services coreinformers.ServiceInformer, pods coreinformers.PodInformer, factory informers.SharedInformerFactory) *Services {
	s := &Services{
		kube: kube, services: services.Lister(),
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.DefaultTypedControllerRateLimiter[string](), workqueue.TypedRateLimitingQueueConfig[string]{Name: "services"},
		),
	}
	s.sync = s.syncService
	services.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    s.enqueue,
		UpdateFunc: func(_, obj any) { s.enqueue(obj) },
		DeleteFunc: s.enqueue,
	})
	pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: s.podAdded})
	informer := factory.Core().V1().Endpoints().Informer()
	informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: isNamed,
		Handler:    cache.ResourceEventHandlerFuncs{AddFunc: s.enqueue},
	})
	if kube != nil {
		informer := factory.Core().V1().Secrets().Informer()
		informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: s.enqueue})
	}
	// Logs alone wake nothing.
	factory.Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) {}})
	return s
}

func isNamed(obj any) bool {
	endpoints, ok := obj.(*corev1.Endpoints)
	return ok && endpoints.Name != ""
}

func (s *Services) enqueue(obj any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
		s.queue.Add(key)
	}
}

func (s *Services) podAdded(obj any) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return
	}
	if owner := metav1.GetControllerOf(pod); owner != nil {
		s.queue.Add(pod.Namespace + "/" + owner.Name)
	}
}

// Run works until the context ends.
func (s *Services) Run(ctx context.Context, workers int) {
	defer s.queue.ShutDown()
	for range workers {
		go wait.UntilWithContext(ctx, s.work, time.Second)
	}
	<-ctx.Done()
}

func (s *Services) work(ctx context.Context) {
	for s.next(ctx) {
	}
}

func (s *Services) next(ctx context.Context) bool {
	key, quit := s.queue.Get()
	if quit {
		return false
	}
	defer s.queue.Done(key)
	if err := s.sync(ctx, key); err != nil {
		s.queue.AddRateLimited(key)
		return true
	}
	s.queue.Forget(key)
	return true
}

func (s *Services) syncService(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	service, err := s.services.Services(namespace).Get(name)
	if err != nil {
		return err
	}
	service = service.DeepCopy()
	_, err = s.kube.CoreV1().Services(namespace).UpdateStatus(ctx, service, metav1.UpdateOptions{})
	return err
}

// Both has two queues, which one map of handlers fills, and three workers.
type Both struct {
	kube  kubernetes.Interface
	nodes workqueue.TypedInterface[string]
	pods  workqueue.TypedInterface[string]
}

// NewBoth watches nodes and pods.
func NewBoth(kube kubernetes.Interface, factory informers.SharedInformerFactory) *Both {
	b := &Both{kube: kube, nodes: workqueue.NewTyped[string](), pods: workqueue.NewTyped[string]()}
	for informer, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		factory.Core().V1().Nodes().Informer(): cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { put(b.nodes, obj) }},
		factory.Core().V1().Pods().Informer():  cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { put(b.pods, obj) }},
	} {
		informer.AddEventHandler(handler)
	}
	return b
}

func put(queue workqueue.TypedInterface[string], obj any) {
	if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
		queue.Add(key)
	}
}

// Run starts a worker for nodes, and two for pods.
func (b *Both) Run(ctx context.Context) {
	go b.workNodes(ctx)
	for i := 0; i < 2; i++ {
		go b.workPods(ctx)
	}
	<-ctx.Done()
}

func (b *Both) workNodes(ctx context.Context) {
	for {
		name, quit := b.nodes.Get()
		if quit {
			return
		}
		_ = b.kube.CoreV1().Nodes().Delete(ctx, name, metav1.DeleteOptions{})
		b.nodes.Done(name)
	}
}

func (b *Both) workPods(ctx context.Context) {
	for {
		name, quit := b.pods.Get()
		if quit {
			return
		}
		_ = b.kube.CoreV1().Pods("default").Delete(ctx, name, metav1.DeleteOptions{})
		b.pods.Done(name)
	}
}
