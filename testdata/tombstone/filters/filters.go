// Package filters has filters in front of delete handlers.
package filters

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

type controller struct {
	informer cache.SharedIndexInformer
	queue    workqueue.TypedRateLimitingInterface[string]
	settings map[string]string
}

func (c *controller) add(obj any)       {}
func (c *controller) update(_, obj any) {}
func (c *controller) reset(any)         { clear(c.settings) }

func rejects(c *controller) {
	c.informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			cm, ok := obj.(*corev1.ConfigMap) // want `a missed deletion never reaches DeleteFunc \(filters\.go:\d+\): the tombstone is no \*v1\.ConfigMap; unwrap cache\.DeletedFinalStateUnknown \(tombstone/dropped\)`
			if ok && cm.Name == "settings" {
				return true
			}
			return false
		},
		Handler: cache.ResourceEventHandlerFuncs{AddFunc: c.add, DeleteFunc: c.reset},
	})
}

func isSettings(obj any) bool {
	cm, ok := obj.(*corev1.ConfigMap) // want `a missed deletion never reaches DeleteFunc \(filters\.go:\d+\): the tombstone is no \*v1\.ConfigMap.*tombstone/dropped`
	return ok && cm.Name == "settings"
}

func namedFilter(c *controller) {
	handler := cache.ResourceEventHandlerFuncs{AddFunc: c.add, UpdateFunc: c.update, DeleteFunc: c.reset}
	c.informer.AddEventHandler(&cache.FilteringResourceEventHandler{FilterFunc: isSettings, Handler: handler})
}

func panics(c *controller) {
	c.informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool { return obj.(*corev1.Pod).Spec.NodeName != "" }, // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod; unwrap cache\.DeletedFinalStateUnknown \(tombstone/panic\)`
		Handler:    cache.ResourceEventHandlerFuncs{AddFunc: c.add},
	})
}

func letsThroughWhatPanics(c *controller) {
	c.informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool { return true },
		Handler: cache.ResourceEventHandlerFuncs{
			DeleteFunc: func(obj any) { c.queue.Add(obj.(*corev1.Pod).Name) }, // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod.*tombstone/panic`
		},
	})
}

func unwrapsForItselfOnly(c *controller) {
	c.informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			if t, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = t.Obj
			}
			_, ok := obj.(*corev1.Pod)
			return ok
		},
		Handler: cache.ResourceEventHandlerFuncs{
			DeleteFunc: func(obj any) { c.queue.Add(obj.(*corev1.Pod).Name) }, // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod.*tombstone/panic`
		},
	})
}

// handler implements cache.ResourceEventHandler.
type handler struct{ *controller }

func (h handler) OnAdd(any, bool)   {}
func (h handler) OnUpdate(_, _ any) {}
func (h handler) OnDelete(obj any)  { h.queue.Add("settings") }

func ownType(c *controller) {
	c.informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			m, ok := obj.(metav1.Object) // want `a missed deletion never reaches OnDelete \(filters\.go:\d+\): the tombstone is no v1\.Object.*tombstone/dropped`
			if !ok {
				klog.Errorf("no object: %T", obj)
				return false
			}
			return m.GetName() == "settings"
		},
		Handler: handler{c},
	})
}

// What follows is right.

func nothingToDelete(c *controller) {
	c.informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			cm, ok := obj.(*corev1.ConfigMap)
			return ok && cm.Name == "settings"
		},
		Handler: cache.ResourceEventHandlerFuncs{AddFunc: c.add, UpdateFunc: c.update},
	})
}

func deleteOnlyLogs(c *controller) {
	c.informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			_, ok := obj.(*corev1.ConfigMap)
			return ok
		},
		Handler: cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) { klog.Info("gone") }},
	})
}

// The filter keeps the delete handler from seeing tombstones, and says so.
func neverSeesThem(c *controller) {
	c.informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			if _, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				return false // the reconciler lists everything every minute
			}
			return true
		},
		Handler: cache.ResourceEventHandlerFuncs{
			DeleteFunc: func(obj any) { c.queue.Add(obj.(*corev1.Pod).Name) },
		},
	})
}

func handlesBoth(c *controller) {
	c.informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			switch o := obj.(type) {
			case *corev1.Pod:
				return o.Spec.NodeName != ""
			case cache.DeletedFinalStateUnknown:
				pod, ok := o.Obj.(*corev1.Pod)
				return ok && pod.Spec.NodeName != ""
			default:
				return false
			}
		},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc: c.add,
			DeleteFunc: func(obj any) {
				switch o := obj.(type) {
				case *corev1.Pod:
					c.queue.Add(o.Name)
				case cache.DeletedFinalStateUnknown:
					c.queue.Add(o.Key)
				}
			},
		},
	})
}

// refusesEverything asks for a value, where informers hand over pointers: no deletion reaches the
// handler, missed or not.
func refusesEverything(c *controller) {
	c.informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			labels, ok := obj.(metav1.ObjectMeta)
			return ok && labels.Name == "settings"
		},
		Handler: cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
			if pod, ok := obj.(*corev1.Pod); ok {
				delete(c.settings, pod.Name)
			}
		}},
	})
}
