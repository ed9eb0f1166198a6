// Package sweep removes what old Caches have left behind, in one process of all.
package sweep

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Sweeper removes the volumes of deleted Caches.
type Sweeper struct {
	Client client.Client
	Lock   resourcelock.Interface
}

// Run sweeps while this process has the lead, and waits for the lead else.
func (s *Sweeper) Run(ctx context.Context) {
	for ctx.Err() == nil {
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: s.Lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { s.sweep(ctx) },
				OnStoppedLeading: func() { klog.Info("Another process sweeps now") },
			},
		})
	}
}

// sweep removes what is left behind, every hour.
func (s *Sweeper) sweep(ctx context.Context) {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		err := s.Client.DeleteAllOf(ctx, &corev1.PersistentVolumeClaim{}, client.InNamespace("cache-system"), client.MatchingLabels{"cache.demo.opvet.dev/deleted": "true"})
		if err != nil {
			klog.ErrorS(err, "Sweeping")
		}
	}, time.Hour)
}
