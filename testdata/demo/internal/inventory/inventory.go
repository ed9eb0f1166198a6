// Package inventory keeps count of what the servers run on, with informers of
// client-go alone.
package inventory

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// Inventory has what is there, by name.
type Inventory struct {
	factory informers.SharedInformerFactory
	queue   workqueue.TypedRateLimitingInterface[string]

	mu      sync.Mutex
	nodes   map[string]bool
	volumes map[string]bool
	tokens  map[string]bool
}

// New makes an Inventory and registers its handlers.
func New(factory informers.SharedInformerFactory) (*Inventory, error) {
	inv := &Inventory{
		factory: factory,
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.DefaultTypedControllerRateLimiter[string](),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "inventory"},
		),
		nodes: make(map[string]bool), volumes: make(map[string]bool), tokens: make(map[string]bool),
	}
	core := factory.Core().V1()
	for informer, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		core.Nodes().Informer():             cache.ResourceEventHandlerFuncs{AddFunc: inv.nodeAdded, DeleteFunc: inv.nodeDeleted},
		core.PersistentVolumes().Informer(): cache.ResourceEventHandlerFuncs{AddFunc: inv.volumeAdded, DeleteFunc: inv.volumeDeleted},
		core.Services().Informer():          cache.ResourceEventHandlerFuncs{AddFunc: inv.enqueue, DeleteFunc: inv.enqueue},
		core.ConfigMaps().Informer():        cache.ResourceEventHandlerFuncs{DeleteFunc: inv.settingsDeleted},
		core.Secrets().Informer(): cache.FilteringResourceEventHandler{
			FilterFunc: isToken,
			Handler:    cache.ResourceEventHandlerFuncs{AddFunc: inv.tokenAdded, DeleteFunc: inv.tokenDeleted},
		},
	} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			return nil, fmt.Errorf("registering a handler: %w", err)
		}
	}
	return inv, nil
}

// Start logs what has changed until ctx is done.
func (inv *Inventory) Start(ctx context.Context) error {
	inv.factory.StartWithContext(ctx)
	defer inv.factory.Shutdown()
	defer inv.queue.ShutDown()
	go wait.UntilWithContext(ctx, func(context.Context) {
		for inv.next() {
		}
	}, time.Second)
	<-ctx.Done()
	return nil
}

func (inv *Inventory) next() bool {
	key, shutdown := inv.queue.Get()
	if shutdown {
		return false
	}
	defer inv.queue.Done(key)
	inv.mu.Lock()
	defer inv.mu.Unlock()
	klog.InfoS("Changed", "object", key, "nodes", len(inv.nodes), "volumes", len(inv.volumes), "tokens", len(inv.tokens))
	inv.queue.Forget(key)
	return true
}

func (inv *Inventory) set(of map[string]bool, name string, there bool) {
	inv.mu.Lock()
	defer inv.mu.Unlock()
	if there {
		of[name] = true
	} else {
		delete(of, name)
	}
}

func (inv *Inventory) nodeAdded(obj any) { inv.set(inv.nodes, obj.(*corev1.Node).Name, true) }

func (inv *Inventory) nodeDeleted(obj any) { inv.set(inv.nodes, obj.(*corev1.Node).Name, false) }

func (inv *Inventory) volumeAdded(obj any) {
	inv.set(inv.volumes, obj.(*corev1.PersistentVolume).Name, true)
}

func (inv *Inventory) volumeDeleted(obj any) {
	volume, ok := obj.(*corev1.PersistentVolume)
	if !ok {
		tombstone, ok := obj.(*cache.DeletedFinalStateUnknown)
		if !ok {
			klog.Errorf("Unexpected object %T", obj)
			return
		}
		if volume, ok = tombstone.Obj.(*corev1.PersistentVolume); !ok {
			return
		}
	}
	inv.set(inv.volumes, volume.Name, false)
}

func (inv *Inventory) enqueue(obj any) {
	key, err := cache.MetaNamespaceKeyFunc(obj)
	if err != nil {
		utilruntime.HandleError(err)
		return
	}
	inv.queue.Add(key)
}

func (inv *Inventory) settingsDeleted(obj any) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		klog.Infof("Missed the deletion of %s", tombstone.Key)
	}
	settings, err := meta.Accessor(obj)
	if err != nil {
		return
	}
	inv.queue.Add(settings.GetNamespace() + "/" + settings.GetName())
}

func isToken(obj any) bool {
	secret, ok := obj.(*corev1.Secret)
	return ok && secret.Type == corev1.SecretTypeServiceAccountToken
}

func (inv *Inventory) tokenAdded(obj any) { inv.set(inv.tokens, obj.(*corev1.Secret).Name, true) }

func (inv *Inventory) tokenDeleted(obj any) {
	name, err := cache.DeletionHandlingObjectToName(obj)
	if err != nil {
		utilruntime.HandleError(err)
		return
	}
	inv.set(inv.tokens, name.Name, false)
}
