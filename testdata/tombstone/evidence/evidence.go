// Package evidence has handlers that lose more or less with a deletion that they miss.
package evidence

import (
	"context"
	"log"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type keeper struct {
	mu       sync.Mutex
	known    map[string]*corev1.Pod
	shared   sync.Map
	cancels  map[string]context.CancelFunc
	wake     chan struct{}
	events   chan event
	profile  string
	defaults *corev1.ConfigMap
	queue    workqueue.TypedInterface[string]
	changed  func(profile int)
}

type event struct {
	pod  *corev1.Pod
	gone bool
}

func (k *keeper) setUp(informer cache.SharedIndexInformer) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: k.forget})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: k.forgetShared})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: k.stop})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: k.tell})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: k.clear})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: k.restore})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: k.nudge})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: k.compare})
	_, _ = informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			_, ok := obj.(*corev1.Secret) // want `^hygiene: a missed deletion never reaches DeleteFunc`
			return ok
		},
		Handler: cache.ResourceEventHandlerFuncs{DeleteFunc: func(any) { k.trigger() }},
	})
}

// The mistakes.

func (k *keeper) forget(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `^loss: a missed deletion is lost`
	if !ok {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.known, pod.Name)
}

func (k *keeper) forgetShared(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `^loss: a missed deletion is lost`
	if !ok {
		log.Printf("no pod: %v", obj)
		return
	}
	k.shared.Delete(pod.Name)
}

// stop ends what works for the object.
func (k *keeper) stop(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `^loss: a missed deletion is lost`
	if !ok {
		return
	}
	if cancel := k.cancels[pod.Name]; cancel != nil {
		cancel()
	}
}

// tell says which object is gone.
func (k *keeper) tell(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `^loss: a missed deletion is lost`
	if !ok {
		return
	}
	k.events <- event{pod, true}
}

// clear goes back to the defaults.
func (k *keeper) clear(obj any) {
	config, ok := obj.(*corev1.ConfigMap) // want `^loss: a missed deletion is lost`
	if !ok {
		return
	}
	log.Printf("%s is gone", config.Name)
	k.defaults = nil
}

// restore has the one worker make it again.
func (k *keeper) restore(obj any) {
	secret, ok := obj.(*corev1.Secret) // want `^loss: a missed deletion is lost`
	if !ok {
		return
	}
	log.Printf("%s is gone", secret.Name)
	k.queue.Add("all")
}

// The traps.

// nudge wakes a loop that looks at everything.
func (k *keeper) nudge(obj any) {
	secret, ok := obj.(*corev1.Secret) // want `^hygiene: a missed deletion is lost`
	if !ok {
		return
	}
	log.Printf("%s is gone", secret.Name)
	k.trigger()
}

func (k *keeper) trigger() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// compare looks whether what it has seen last has changed: a deletion says nothing new.
func (k *keeper) compare(obj any) {
	config, ok := obj.(*corev1.ConfigMap) // want `^hygiene: a missed deletion is lost`
	if !ok || config.Data["profile"] == k.profile {
		return
	}
	k.profile = config.Data["profile"]
	k.changed(len(k.profile))
}
