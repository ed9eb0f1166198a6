// Package strict has what is doubtful.
package strict

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// nodeLister is an interface that anybody may implement, with copies perhaps.
type nodeLister interface {
	Get(name string) (*corev1.Node, error)
	List(labels.Selector) ([]*corev1.Node, error)
}

func fromInterface(lister nodeLister) {
	node, err := lister.Get("a")
	if err != nil {
		return
	}
	node.Labels["a"] = "b" // want `^crash: crash if the map is read meanwhile: node\.Labels\["a"\] belongs to the informer cache \(lister\.Get, line \d+\).*cachemutation/lister-object`
}

// The array behind the slice may have room for another element.
func appended(lister corelisters.NodeLister) []corev1.Taint {
	node, err := lister.Get("a")
	if err != nil {
		return nil
	}
	return append(node.Spec.Taints, corev1.Taint{}) // want `^loss: an append to node\.Spec\.Taints may write into the array of the informer cache's object \(lister\.Get, line \d+\).*cachemutation/slice-in-place`
}

// Visit may be called with a store of the caller's own.
func Visit(store cache.Store) {
	for _, obj := range store.List() {
		obj.(*corev1.Node).Labels["a"] = "b" // want `^crash: crash if the map is read meanwhile: obj\.\(\*corev1\.Node\)\.Labels\["a"\] belongs to the informer cache \(store\.List, line \d+\).*cachemutation/lister-object`
	}
}
