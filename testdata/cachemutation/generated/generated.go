// Package generated has a file that somebody's tool has made.
package generated

import corelisters "k8s.io/client-go/listers/core/v1"

func written(lister corelisters.NodeLister) {
	made(lister)
	node, err := lister.Get("a")
	if err != nil {
		return
	}
	node.Labels = nil // want `cachemutation/lister-object`
}
