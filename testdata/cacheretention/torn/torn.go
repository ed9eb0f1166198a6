// Package torn reads what handlers keep.
package torn

import (
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

type manager struct{ secret *corev1.Secret }

func newManager(informer cache.SharedIndexInformer) *manager {
	m := &manager{}
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: m.add, DeleteFunc: m.remove})
	return m
}

func (m *manager) add(obj any) {
	if secret, ok := obj.(*corev1.Secret); ok {
		m.secret = secret // want `^crash: nil dereference: a handler sets m\.secret to nil \(line \d+\) while Token tests it \(line \d+\) and reads it again \(line \d+\).*cacheretention/torn-read`
	}
}

func (m *manager) remove(obj any) {
	if _, ok := obj.(*corev1.Secret); ok {
		m.secret = nil
	}
}

// Token is called by HTTP handlers.
func (m *manager) Token() string {
	if m.secret == nil {
		return ""
	}
	return string(m.secret.Data["token"])
}

// Right: under a lock.
type locked struct {
	mu     sync.RWMutex
	secret *corev1.Secret
}

func (l *locked) OnAdd(obj any, _ bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.secret, _ = obj.(*corev1.Secret)
}

func (l *locked) OnUpdate(_, obj any) { l.OnAdd(obj, false) }

func (l *locked) OnDelete(any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.secret = nil
}

// Token is called by HTTP handlers.
func (l *locked) Token() string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.secret == nil {
		return ""
	}
	return string(l.secret.Data["token"])
}

// Right: read once.
type readOnce struct{ secret *corev1.Secret }

func (r *readOnce) OnAdd(obj any, _ bool) { r.secret = obj.(*corev1.Secret) }
func (r *readOnce) OnUpdate(_, obj any)   { r.secret = obj.(*corev1.Secret) }
func (r *readOnce) OnDelete(any)          { r.secret = nil }

// Token is called by HTTP handlers.
func (r *readOnce) Token() string {
	if secret := r.secret; secret != nil {
		return string(secret.Data["token"])
	}
	return ""
}

// Right: atomic.
type swapped struct{ secret atomic.Pointer[corev1.Secret] }

func (s *swapped) OnAdd(obj any, _ bool) { s.secret.Store(obj.(*corev1.Secret)) }
func (s *swapped) OnUpdate(_, obj any)   { s.secret.Store(obj.(*corev1.Secret)) }
func (s *swapped) OnDelete(any)          { s.secret.Store(nil) }

// Token is called by HTTP handlers.
func (s *swapped) Token() string {
	if secret := s.secret.Load(); secret != nil {
		return string(secret.Data["token"])
	}
	return ""
}

// Right: never set to nil, so that what was tested is there.
type set struct{ secret *corev1.Secret }

func (s *set) OnAdd(obj any, _ bool) { s.secret = obj.(*corev1.Secret) }
func (s *set) OnUpdate(_, _ any)     {}
func (s *set) OnDelete(any)          {}

// Token is called by HTTP handlers.
func (s *set) Token() string {
	if s.secret == nil {
		return ""
	}
	return string(s.secret.Data["token"])
}
