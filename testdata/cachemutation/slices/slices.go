// Package slices has slices that are sorted, filtered or shortened.
package slices

import (
	"math/rand"
	"slices"
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
)

type controller struct {
	pods  corelisters.PodLister
	nodes corelisters.NodeLister
}

// Mistakes.

func (c *controller) sorted(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	taints := node.Spec.Taints
	sort.Slice(taints, func(i, j int) bool { return taints[i].Key < taints[j].Key }) // want `^loss: readers may miss elements: sorting taints reorders the informer cache's slice \(c\.nodes\.Get, line \d+\).*cachemutation/slice-in-place`
}

func (c *controller) sortedStrings(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	sort.Sort(sort.Reverse(sort.StringSlice(node.Spec.PodCIDRs))) // want `cachemutation/slice-in-place`
	slices.Sort(node.Finalizers)
}

func (c *controller) filtered(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	_ = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == "a" }) // want `^loss: readers may miss elements: overwriting node\.Spec\.Taints changes the informer cache's slice \(c\.nodes\.Get, line \d+\).*cachemutation/slice-in-place`
}

func (c *controller) filteredByHand(name string) []corev1.Taint {
	node, err := c.nodes.Get(name)
	if err != nil {
		return nil
	}
	kept := node.Spec.Taints[:0]
	for _, taint := range node.Spec.Taints {
		if taint.Key != "a" {
			kept = append(kept, taint) // want `overwriting kept changes`
		}
	}
	return kept
}

func (c *controller) cutOut(name string) []corev1.Taint {
	node, err := c.nodes.Get(name)
	if err != nil {
		return nil
	}
	for i := range node.Spec.Taints {
		return append(node.Spec.Taints[:i], node.Spec.Taints[i+1:]...) // want `cachemutation/slice-in-place`
	}
	return nil
}

// Right.

func (c *controller) listSorted() {
	pods, _ := c.pods.List(labels.Everything())
	sort.Slice(pods[:], func(i, j int) bool { return pods[i].Name < pods[j].Name })
	slices.SortFunc(pods, func(a, b *corev1.Pod) int { return len(a.Name) - len(b.Name) })
	rand.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
	pods = slices.DeleteFunc(pods, func(p *corev1.Pod) bool { return p.Name == "" })
	kept := pods[:0]
	for _, pod := range pods {
		kept = append(kept, pod)
	}
	_ = kept
}

func (c *controller) copySorted(name string) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return
	}
	taints := slices.Clone(node.Spec.Taints)
	sort.Slice(taints, func(i, j int) bool { return taints[i].Key < taints[j].Key })
	names := append([]string{}, node.Finalizers...)
	sort.Strings(names)
	var all []string
	all = append(all, node.Finalizers...)
	slices.Sort(all)
	_ = slices.Sorted(slices.Values(node.Finalizers))
}

func (c *controller) filteredIntoNew(name string) []corev1.Taint {
	node, err := c.nodes.Get(name)
	if err != nil {
		return nil
	}
	var kept []corev1.Taint
	for _, taint := range node.Spec.Taints {
		kept = append(kept, taint)
	}
	kept[0].Key = "a"
	whole := append(node.Spec.Taints[:0:0], node.Spec.Taints...)
	whole[0].Key = "a"
	return kept
}
