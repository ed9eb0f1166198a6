// Package accessors changes objects of several kinds that one accessor hands out: the copy is
// missing there, and one finding says so.
package accessors

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/opvet/opvet/testdata/cachemutation/accessors/store"
)

type controller struct {
	pods  *store.Watcher[*corev1.Pod]
	nodes *store.Watcher[*corev1.Node]
}

func (c *controller) cordon() {
	for _, node := range c.nodes.List() {
		node.Spec.Unschedulable = true // the same from there
	}
}

func (c *controller) label() {
	for _, pod := range c.pods.List() {
		pod.Labels["a"] = "b" // want `^crash: crash if the map is read meanwhile: pod\.Labels\["a"\] belongs to the informer cache`
	}
}

func (c *controller) copied() {
	for _, pod := range c.pods.List() {
		pod = pod.DeepCopy()
		pod.Labels["a"] = "b"
	}
}
