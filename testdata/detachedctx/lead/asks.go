package lead

import (
	"context"
	"os"
	"time"

	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The work goes on as long as the request is not answered, which it is not where the lead was lost
// for that reason.
func (o *operator) unlabels(ctx context.Context, cancel context.CancelFunc) {
	o.config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(_ context.Context) {
			o.run(ctx) // want `loss: two leaders: run runs under ctx and goes on when the lead is lost, until Update is answered; pass the context that OnStartedLeading gets \(detachedctx/lead\)`
		},
		OnStoppedLeading: func() {
			klog.Info("no leader any more")
			if err := o.client.Update(ctx, &v1.Backup{}); err != nil {
				klog.Error(err)
			}
			cancel()
		},
	}
	leaderelection.RunOrDie(ctx, o.config)
}

// An exit that comes too late is the same.
func (o *operator) exitsLate(ctx context.Context) {
	o.config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(leading context.Context) {
			o.run(ctx) // want `loss: two leaders: run runs under ctx and goes on when the lead is lost, until Patch is answered`
		},
		OnStoppedLeading: func() {
			_ = o.client.Patch(ctx, &v1.Backup{}, client.Merge)
			os.Exit(1)
		},
	}
	leaderelection.RunOrDie(ctx, o.config)
}

// The request is over soon.
func (o *operator) hurries(ctx context.Context, cancel context.CancelFunc) {
	o.config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(context.Context) { o.run(ctx) },
		OnStoppedLeading: func() {
			short, done := context.WithTimeout(context.Background(), time.Second)
			defer done()
			_ = o.client.Update(short, &v1.Backup{})
			cancel()
		},
	}
	leaderelection.RunOrDie(ctx, o.config)
}

// The work is ended first.
func (o *operator) endsFirst(ctx context.Context, cancel context.CancelFunc) {
	o.config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(context.Context) { o.run(ctx) },
		OnStoppedLeading: func() {
			cancel()
			_ = o.client.Update(context.Background(), &v1.Backup{})
			os.Exit(0)
		},
	}
	leaderelection.RunOrDie(ctx, o.config)
}

// It works under the context that it gets, and has both.
func (o *operator) usesBoth(ctx context.Context, cancel context.CancelFunc) {
	o.config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(leading context.Context) {
			go func() {
				<-leading.Done()
				cancel()
			}()
			o.run(ctx)
		},
		OnStoppedLeading: func() {
			_ = o.client.Update(ctx, &v1.Backup{})
			cancel()
		},
	}
	leaderelection.RunOrDie(ctx, o.config)
}

// Nothing is done but to say so.
func (o *operator) onlyTells(ctx context.Context, cancel context.CancelFunc) {
	o.config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(context.Context) { klog.InfoS("leading", "since", time.Now()) },
		OnStoppedLeading: func() {
			_ = o.client.Update(ctx, &v1.Backup{})
			cancel()
		},
	}
	leaderelection.RunOrDie(ctx, o.config)
}
