// Package tombstones has functions that may be given tombstones; the comments
// say what facts are made of them.
package tombstones

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

type Queue = workqueue.TypedInterface[string]

func Enqueue(obj any, q Queue) { // want Enqueue:`takes\(0: raw-key for its key\)`
	if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
		q.Add(key)
	}
}

func EnqueueAll(obj any, q Queue) { // want EnqueueAll:`takes\(0: refused-but-works\)`
	if _, ok := obj.(*corev1.Pod); !ok {
		klog.Error("no pod")
	}
	q.Add("all")
}

func Must(obj any) *corev1.Pod { return obj.(*corev1.Pod) } // want Must:`takes\(0: panics\)` Must:`idle`

func Unwrap(obj any) any { // want Unwrap:`takes\(0: recognised\)` Unwrap:`idle`
	if t, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		return t.Obj
	}
	return obj
}

func Meta(obj any) (string, error) { // want Meta:`takes\(0: recognised\)` Meta:`idle`
	if m, err := meta.Accessor(obj); err == nil {
		return m.GetName(), nil
	}
	if t, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		return t.Key, nil
	}
	return "", errors.New("no object")
}

// Hands the tombstone to a function that it is given.
func Call(obj any, f func(any)) { f(obj) } // want Call:`takes\(0: ends\)`

func Handler(f func(any)) cache.ResourceEventHandler { // want Handler:`registers\[0\]` Handler:`idle`
	return cache.ResourceEventHandlerFuncs{DeleteFunc: f}
}

var KeyFunc = cache.DeletionHandlingMetaNamespaceKeyFunc // want KeyFunc:`holds\(k8s.io/client-go/tools/cache.DeletionHandlingMetaNamespaceKeyFunc\)`

func Log(pod *corev1.Pod) { klog.Info(pod.GetName()) } // want Log:`idle`

func Forget(pods map[string]bool, name string) { delete(pods, name) }

// Unknown does what its queue does with an object; nothing is told.
func Unknown(obj any, store interface{ Remove(any) }) { store.Remove(obj) }

// Syncer works keys off.
type Syncer struct {
	Pods     listers.PodLister
	Services listers.ServiceLister
	known    map[string]bool
}

func (s *Syncer) Sync(key string) error { // want Sync:`^reads\(k8s.io/api/core/v1.Pod or nothing, k8s.io/api/core/v1.Service\)$`
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	if _, err := s.Pods.Pods(namespace).Get(name); apierrors.IsNotFound(err) {
		return nil
	}
	if _, err := s.Services.Services(namespace).Get(name); apierrors.IsNotFound(err) {
		delete(s.known, key)
	}
	return nil
}

func (s *Syncer) SyncAgain(key string) error { return s.Sync(key) } // want SyncAgain:`^reads\(`

// Get leaves it to its caller.
func (s *Syncer) Get(namespace, name string) (*corev1.Pod, error) { // want Get:`^idle$`
	pod, err := s.Pods.Pods(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return pod, err
}
