// Package lib has functions whose summaries other packages see.
package lib

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
)

// Get returns the cached object.
//
// want result 0: cached
func Get(lister corelisters.NodeLister) (*corev1.Node, error) { return lister.Get("a") }

// List returns the lister's slice.
//
// want result 0: cached behind [].*
func List(lister corelisters.NodeLister) ([]*corev1.Node, error) {
	return lister.List(labels.Everything())
}

// Label writes to the node's map.
//
// want node: writes ObjectMeta.Labels.*
func Label(node *corev1.Node) { node.Labels["a"] = "b" }

// Each calls f with the cached objects.
//
// want f: called with cached
func Each(lister corelisters.NodeLister, f func(*corev1.Node)) {
	nodes, _ := lister.List(labels.Everything())
	for _, node := range nodes {
		f(node)
	}
}
