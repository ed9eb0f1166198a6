// Package suppressed has findings that somebody has silenced.
package suppressed

import corelisters "k8s.io/client-go/listers/core/v1"

func silenced(lister corelisters.NodeLister) {
	node, err := lister.Get("a")
	if err != nil {
		return
	}
	node.Labels = nil //nolint:cachemutation // nobody else reads nodes
}

func reported(lister corelisters.NodeLister) {
	node, err := lister.Get("a")
	if err != nil {
		return
	}
	node.Labels = nil // want `cachemutation/lister-object`
}
