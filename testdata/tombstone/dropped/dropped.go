// Package dropped has delete handlers that ignore what is no object.
package dropped

import (
	"errors"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

type controller struct {
	informer cache.SharedIndexInformer
	queue    workqueue.TypedRateLimitingInterface[string]
	mu       sync.Mutex
	secret   *corev1.Secret
}

func logged(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.deleteSecret})
}

func (c *controller) deleteSecret(obj interface{}) {
	secret, ok := obj.(*corev1.Secret) // want `a missed deletion is lost: the tombstone is no \*v1\.Secret; unwrap cache\.DeletedFinalStateUnknown \(tombstone/dropped\)`
	if !ok {
		klog.Errorf("could not convert to *v1.Secret")
		return
	}
	klog.Infof("secret deleted %s", secret.GetName())
	c.secret = nil
}

func silently(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if pod, ok := obj.(*corev1.Pod); ok { // want `a missed deletion is lost: the tombstone is no \*v1\.Pod.*tombstone/dropped`
				c.queue.Add(pod.Name)
			}
		},
	})
}

func underALock(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			c.mu.Lock()
			defer c.mu.Unlock()
			meta, ok := obj.(metav1.Object) // want `a missed deletion is lost: the tombstone is no v1\.Object.*tombstone/dropped`
			if !ok {
				return
			}
			c.queue.Add(meta.GetName())
		},
	})
}

func typeSwitch(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			switch o := obj.(type) {
			case *corev1.Pod:
				c.queue.Add("pod/" + o.Name)
			case *corev1.Node: // want `a missed deletion is lost: the tombstone is no \*v1\.Node.*tombstone/dropped`
				c.queue.Add("node/" + o.Name)
			default:
				klog.Warningf("unexpected %T", o)
			}
		},
	})
}

func conversion(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if pod := toPod(obj); pod != nil {
				c.queue.Add(pod.Name)
			}
		},
	})
}

func toPod(obj any) *corev1.Pod {
	switch o := obj.(type) {
	case *corev1.Pod: // want `a missed deletion is lost: the tombstone is no \*v1\.Pod.*tombstone/dropped`
		return o
	}
	klog.Errorf("no pod: %v", obj)
	return nil
}

func conversionWithError(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			node, err := toNode(obj)
			if err != nil {
				klog.Error(err)
				return
			}
			c.queue.Add(node.Name)
		},
	})
}

func toNode(obj any) (*corev1.Node, error) {
	node, ok := obj.(*corev1.Node) // want `a missed deletion is lost: the tombstone is no \*v1\.Node.*tombstone/dropped`
	if !ok {
		return nil, errUnexpected()
	}
	return node, nil
}

func errUnexpected() error { return errors.New("unexpected object") }

// as converts to any kind.
func as[T metav1.Object](obj any) (T, bool) {
	o, ok := obj.(T) // want `a missed deletion is lost: the tombstone is no T.*tombstone/dropped`
	return o, ok
}

func generic(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			pod, ok := as[*corev1.Pod](obj)
			if !ok {
				return
			}
			c.queue.Add(pod.Name)
		},
	})
}

func readsBefore(c *controller, indexer cache.Indexer) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			keys := indexer.ListKeys()
			node, ok := obj.(*corev1.Node) // want `a missed deletion is lost: the tombstone is no \*v1\.Node.*tombstone/dropped`
			if !ok {
				klog.Error("expected node")
				return
			}
			for _, key := range keys {
				c.queue.Add(node.Name + key)
			}
		},
	})
}
