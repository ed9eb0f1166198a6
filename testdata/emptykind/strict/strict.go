// Package strict reads kinds that go out of sight.
package strict

import corelisters "k8s.io/client-go/listers/core/v1"

func keyOf(pods corelisters.PodLister, ns, name string, seen map[string]bool) error {
	pod, err := pods.Pods(ns).Get(name)
	if err != nil {
		return err
	}
	seen[pod.Kind+"/"+pod.Name] = true // want `this is empty: a Pod from a typed client or lister has no kind; name it, or use apiutil\.GVKForObject \(emptykind/lost-gvk\)`
	return nil
}
