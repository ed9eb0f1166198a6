// Package lib has wrappers around listers, and functions that change what they
// are given.
package lib

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	corelisters "k8s.io/client-go/listers/core/v1"
)

// Store wraps listers.
type Store struct{ Nodes corelisters.NodeLister }

// NodeRO returns the cached object.
func (s *Store) NodeRO(name string) (*corev1.Node, error) { return s.Nodes.Get(name) }

// Node returns a copy.
func (s *Store) Node(name string) (*corev1.Node, error) {
	node, err := s.NodeRO(name)
	if err != nil {
		return nil, err
	}
	return node.DeepCopy(), nil
}

// ListRO returns the cached objects by name.
func (s *Store) ListRO() (map[string]*corev1.Node, error) {
	list, err := s.Nodes.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	nodes := make(map[string]*corev1.Node, len(list))
	for _, node := range list {
		nodes[node.Name] = node
	}
	return nodes, nil
}

// List returns copies.
func (s *Store) List() ([]*corev1.Node, error) {
	list, err := s.Nodes.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	nodes := make([]*corev1.Node, 0, len(list))
	for _, node := range list {
		nodes = append(nodes, node.DeepCopy())
	}
	return nodes, nil
}

// Each calls f with each cached object.
func (s *Store) Each(f func(*corev1.Node)) {
	list, _ := s.Nodes.List(labels.Everything())
	for _, node := range list {
		f(node)
	}
}

// Verified returns what get returns.
func Verified(get func() (runtime.Object, error)) (runtime.Object, error) {
	obj, err := get()
	if err != nil {
		return nil, err
	}
	return obj, nil
}

// SetLabel changes the node.
func SetLabel(node *corev1.Node, key string) {
	if node.Labels == nil {
		node.Labels = map[string]string{}
	}
	node.Labels[key] = "x"
}

// WithLabel changes a copy.
func WithLabel(node *corev1.Node, key string) *corev1.Node {
	node = node.DeepCopy()
	node.Labels[key] = "x"
	return node
}

// Labels returns the node's own map.
func Labels(node *corev1.Node) map[string]string { return node.Labels }

// DropLabels takes a label off if it is told to.
func DropLabels(node *corev1.Node, really bool) bool {
	if !really {
		return false
	}
	delete(node.Labels, "a")
	return true
}
