package early

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func (c *collector) lister(ctx context.Context) (listers.PodLister, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	factory := informers.NewSharedInformerFactory(c.clients, 0)
	lister := factory.Core().V1().Pods().Lister()
	factory.Start(ctx.Done()) // want `what lister returns never sees a change: its informers are stopped on return \(line \d+\); start them with a context that lives as long as their readers.*nestedtimeout/cancelled-early`
	for _, ok := range factory.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return nil, errors.New("not synced")
		}
	}
	return lister, nil
}

// podReader reads from an informer.
type podReader struct{ pods listers.PodLister }

func (c *collector) reader(ctx context.Context) (*podReader, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	informer := informers.NewSharedInformerFactory(c.clients, 0).Core().V1().Pods().Informer()
	go informer.Run(ctx.Done()) // want `what reader returns never sees a change: its informers are stopped on return \(line \d+\)`
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return nil, errors.New("not synced")
	}
	return &podReader{pods: listers.NewPodLister(informer.GetIndexer())}, nil
}

// started runs with the caller's context; only the wait is limited.
func (c *collector) started(ctx context.Context) (listers.PodLister, error) {
	factory := informers.NewSharedInformerFactory(c.clients, 0)
	lister := factory.Core().V1().Pods().Lister()
	factory.Start(ctx.Done())
	syncCtx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, ok := range factory.WaitForCacheSync(syncCtx.Done()) {
		if !ok {
			return nil, errors.New("not synced")
		}
	}
	return lister, nil
}

// count needs the informer no longer than the function runs.
func (c *collector) count(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	informer := informers.NewSharedInformerFactory(c.clients, 0).Core().V1().Pods().Informer()
	go informer.Run(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return 0, errors.New("not synced")
	}
	return len(informer.GetStore().List()), nil
}

// first returns what it has read.
func (c *collector) first(ctx context.Context, name string) (*corev1.Pod, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	factory := informers.NewSharedInformerFactory(c.clients, 0)
	lister := factory.Core().V1().Pods().Lister()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return lister.Pods("").Get(name)
}
