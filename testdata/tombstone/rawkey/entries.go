package rawkey

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// members keeps the keys of the pods of each node, and goes on after the key has failed.
type members struct {
	controller
	mu     sync.Mutex
	byNode map[string]map[string]bool
}

func (m *members) deleted(obj any) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		tombstone, ok := obj.(cache.DeletedFinalStateUnknown)
		if !ok {
			return
		}
		if pod, ok = tombstone.Obj.(*corev1.Pod); !ok {
			return
		}
	}
	key, _ := cache.MetaNamespaceKeyFunc(obj) // want `loss: the map keeps the entry of a missed deletion: cache\.MetaNamespaceKeyFunc gets the tombstone itself and fails; use its Obj`
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.byNode[pod.Spec.NodeName], key)
	m.queue.Add(pod.Spec.NodeName)
}

func registerMembers(m *members) {
	m.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: m.deleted})
}

// The key is asked for in a helper.
func (m *members) forget(obj any, node string) {
	key, _ := cache.MetaNamespaceKeyFunc(obj) // want `loss: the map keeps the entry of a missed deletion: cache\.MetaNamespaceKeyFunc gets the tombstone itself and fails`
	delete(m.byNode[node], key)
}

func (m *members) deletedByHelper(obj any) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		tombstone, ok := obj.(cache.DeletedFinalStateUnknown)
		if !ok {
			return
		}
		if pod, ok = tombstone.Obj.(*corev1.Pod); !ok {
			return
		}
	}
	m.forget(obj, pod.Spec.NodeName)
	m.queue.Add(pod.Spec.NodeName)
}

func registerHelper(m *members) {
	m.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: m.deletedByHelper})
}

// The key is that of the object that was unwrapped.
func (m *members) trapOfUnwrapped(obj any) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		tombstone, ok := obj.(cache.DeletedFinalStateUnknown)
		if !ok {
			return
		}
		if pod, ok = tombstone.Obj.(*corev1.Pod); !ok {
			return
		}
	}
	key, _ := cache.MetaNamespaceKeyFunc(pod)
	delete(m.byNode[pod.Spec.NodeName], key)
	m.queue.Add(pod.Spec.NodeName)
}

// The key is the tombstone's.
func (m *members) trapOfKeyFunc(obj any) {
	key, _ := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	delete(m.byNode["all"], key)
	m.queue.Add("all")
}

// The name for the log may be empty; the entry goes by another key.
func (m *members) trapOfLog(obj any) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		tombstone, ok := obj.(cache.DeletedFinalStateUnknown)
		if !ok {
			return
		}
		if pod, ok = tombstone.Obj.(*corev1.Pod); !ok {
			return
		}
	}
	name, _ := cache.MetaNamespaceKeyFunc(obj)
	println("deleted", name)
	delete(m.byNode[pod.Spec.NodeName], pod.Namespace+"/"+pod.Name)
	m.queue.Add(pod.Spec.NodeName)
}

func registerTraps(m *members) {
	m.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: m.trapOfUnwrapped})
	m.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: m.trapOfKeyFunc})
	m.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: m.trapOfLog})
}
