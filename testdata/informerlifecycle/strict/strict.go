// Package strict has what is reported with the strict flag only.
package strict

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

func run(ctx context.Context, client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(ctx.Done()) // want `run returns while the informers that it has started still run: handlers may be called after that; call Shutdown of the factory when the stop channel is closed, it waits for them`
	factory.WaitForCacheSync(ctx.Done())
	<-ctx.Done()
}

// begin returns at once: its caller waits.
func begin(ctx context.Context, factory informers.SharedInformerFactory) {
	factory.Start(ctx.Done())
}
