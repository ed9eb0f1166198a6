// Package lib keeps what it is handed.
package lib

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
)

// Registry keeps pods for ever.
type Registry struct {
	mu   sync.Mutex
	pods map[string]*corev1.Pod
}

// NewRegistry makes a registry.
func NewRegistry() *Registry { return &Registry{pods: make(map[string]*corev1.Pod)} }

// Register keeps a pod.
func (r *Registry) Register(pod *corev1.Pod) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.put(pod.Name, pod)
}

func (r *Registry) put(name string, pod *corev1.Pod) { r.pods[name] = pod }

// Names lists them.
func (r *Registry) Names() []string {
	var names []string
	for name := range r.pods {
		names = append(names, name)
	}
	return names
}

// Tidy forgets pods again.
type Tidy struct{ pods map[string]*corev1.Pod }

// NewTidy makes one.
func NewTidy() *Tidy { return &Tidy{pods: make(map[string]*corev1.Pod)} }

// Register keeps a pod.
func (t *Tidy) Register(pod *corev1.Pod) { t.pods[pod.Name] = pod }

// Forget lets go of it.
func (t *Tidy) Forget(name string) { delete(t.pods, name) }

var known = map[string]any{}

// Know keeps anything.
func Know(name string, obj any) { known[name] = obj }
