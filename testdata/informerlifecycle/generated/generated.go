// Package generated has a mistake in generated code, which is not reported,
// and one beside it, which is.
package generated

import (
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
)

func byHand(informer cache.SharedIndexInformer) {
	go informer.Run(wait.NeverStop) // want `never-stopped`
}
