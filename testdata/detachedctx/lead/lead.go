// Package lead has programs that do something while they have the lead.
package lead

import (
	"context"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type operator struct {
	client client.Client
	config leaderelection.LeaderElectionConfig
}

func (o *operator) run(ctx context.Context) {
	wait.UntilWithContext(ctx, func(ctx context.Context) { _ = o.client.Create(ctx, &v1.Backup{}) }, time.Minute)
}

func (o *operator) save(ctx context.Context) error { return o.client.Create(ctx, &v1.Backup{}) }

// The process goes on, and so does the work.
func (o *operator) again(ctx context.Context) {
	o.config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(context.Context) {
			o.run(ctx) // want `loss: two leaders: run runs under ctx and goes on when the lead is lost; pass the context that OnStartedLeading gets \(detachedctx/lead\)`
		},
		OnStoppedLeading: func() { klog.Info("no leader any more") },
	}
	for ctx.Err() == nil {
		leaderelection.RunOrDie(ctx, o.config)
	}
}

// In a goroutine it is the same.
func (o *operator) beside(ctx context.Context) {
	o.config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(leading context.Context) {
			_ = o.save(context.Background()) // want `loss: two leaders: save runs under context.Background\(\).*detachedctx/lead`
		},
		OnStoppedLeading: func() {},
	}
	go leaderelection.RunOrDie(ctx, o.config)
	<-ctx.Done()
}

// A literal that runs it again and again.
func (o *operator) periodic(ctx context.Context) {
	o.config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(context.Context) {
			go o.run(ctx) // want `loss: two leaders: run runs under ctx`
		},
		OnStoppedLeading: func() { klog.Info("no leader any more") },
	}
	go wait.Until(func() { leaderelection.RunOrDie(ctx, o.config) }, time.Second, ctx.Done())
	<-ctx.Done()
}

// The process ends with the lead.
func (o *operator) exits(ctx context.Context) {
	o.config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(context.Context) { o.run(ctx) },
		OnStoppedLeading: func() { os.Exit(1) },
	}
	go leaderelection.RunOrDie(ctx, o.config)
	<-ctx.Done()
}

func (o *operator) exitsInHelper(ctx context.Context) {
	o.config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(context.Context) { o.run(ctx) },
		OnStoppedLeading: func() { o.lost() },
	}
	go leaderelection.RunOrDie(ctx, o.config)
	<-ctx.Done()
}

func (o *operator) lost() { klog.Fatal("the lead is lost") }

// The context is cancelled with the lead.
func (o *operator) cancels(ctx context.Context) {
	own, cancel := context.WithCancel(ctx)
	o.config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(context.Context) { o.run(own) },
		OnStoppedLeading: func() { cancel() },
	}
	go leaderelection.RunOrDie(ctx, o.config)
	<-ctx.Done()
}

// The program ends when the election does.
func (o *operator) returns(ctx context.Context) {
	o.config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(context.Context) { o.run(ctx) },
		OnStoppedLeading: func() { klog.Info("no leader any more") },
	}
	leaderelection.RunOrDie(ctx, o.config)
}

// It works under the context that it gets.
func (o *operator) passes(ctx context.Context) {
	o.config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(ctx context.Context) { o.run(ctx) },
		OnStoppedLeading: func() { klog.Info("no leader any more") },
	}
	go leaderelection.RunOrDie(ctx, o.config)
	<-ctx.Done()
}
