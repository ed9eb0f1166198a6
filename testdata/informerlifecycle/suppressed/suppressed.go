// Package suppressed silences mistakes.
package suppressed

import (
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func byAnalyzer(informer cache.SharedIndexInformer) {
	go informer.Run(wait.NeverStop) //nolint:informerlifecycle // as long as the process
}

func byReason(factory informers.SharedInformerFactory) {
	//lint:ignore informerlifecycle as long as the process
	factory.Start(wait.NeverStop)
}
