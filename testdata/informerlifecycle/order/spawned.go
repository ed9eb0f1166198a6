package order

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// The factory is started beside the request, which may come too late for it. What the
// server asks for later comes too late in any case.
func spawned(ctx context.Context, client kubernetes.Interface, serve func(corelisters.SecretLister)) {
	factory := informers.NewSharedInformerFactory(client, time.Minute)
	secrets := factory.Core().V1().Secrets()
	go factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), secrets.Informer().HasSynced) // want `the informer of Secrets never runs`
	go wait.Forever(func() { serve(secrets.Lister()) }, time.Second)
}

// The literal may have run before the factory is started.
func askedByLiteral(ctx context.Context, client kubernetes.Interface, each func(func())) {
	factory := informers.NewSharedInformerFactory(client, time.Minute)
	secrets := factory.Core().V1().Secrets()
	each(func() { secrets.Informer() })
	factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), secrets.Informer().HasSynced)
}

// The same, where the factory is started in a loop after the literal was made.
func askedInLoop(ctx context.Context, client kubernetes.Interface, each func(func())) {
	factory := informers.NewSharedInformerFactory(client, time.Minute)
	secrets := factory.Core().V1().Secrets()
	for range 2 {
		factory.Start(ctx.Done())
		each(func() { secrets.Informer() })
	}
	cache.WaitForCacheSync(ctx.Done(), secrets.Informer().HasSynced)
}
