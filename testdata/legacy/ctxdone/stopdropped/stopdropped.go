// Package stopdropped passes on what never ends, with the pollers of the time
// before PollUntilContextTimeout.
package stopdropped

import (
	"context"
	"math"
	"os/exec"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// poll takes no context.
func poll(ctx context.Context, ready func() (bool, error)) error {
	return wait.Poll(time.Second, time.Minute, func() (bool, error) { // want `hygiene: wait\.Poll goes on until its timeout when ctx has ended: it takes no context; use wait\.PollWithContext with ctx`
		return ready()
	})
}

// pollImmediateInfinite never gives up.
func pollImmediateInfinite(ctx context.Context, ready func() (bool, error)) error {
	return wait.PollImmediateInfinite(time.Second, func() (bool, error) { // want `use wait.PollImmediateInfiniteWithContext with ctx`
		return ready()
	})
}

// backOff goes on for very long.
func backOff(ctx context.Context, ready func() (bool, error)) error {
	backoff := wait.Backoff{Duration: time.Second, Steps: math.MaxInt32}
	return wait.ExponentialBackoff(backoff, func() (bool, error) { // want `hygiene: wait\.ExponentialBackoff goes on until its timeout when ctx has ended: it takes no context`
		return ready()
	})
}

// run has a stop channel.
func run(stopCh <-chan struct{}, factory informers.SharedInformerFactory, synced cache.InformerSynced, work func()) {
	factory.Start(wait.NeverStop)                        // want `Start goes on forever when stopCh has ended: it is given wait\.NeverStop; pass stopCh`
	if !cache.WaitForCacheSync(wait.NeverStop, synced) { // want `hygiene: cache\.WaitForCacheSync goes on forever when stopCh has ended: it is given wait\.NeverStop`
		return
	}
	wait.Until(work, time.Second, stopCh)
}

// dump waits for a process that its context does not kill.
func dump(ctx context.Context) error {
	return exec.Command("pg_dump").Run() // want `hygiene: nothing kills this process: its caller waits for it when ctx has ended`
}

// passed gives its context on: not a finding.
func passed(ctx context.Context, work func(), ready func(context.Context) (bool, error)) error {
	go wait.Until(work, time.Second, ctx.Done())
	return wait.PollImmediateInfiniteWithContext(ctx, time.Second, ready)
}

// nothingAtHand has no choice: not a finding.
func nothingAtHand(factory informers.SharedInformerFactory) {
	factory.Start(wait.NeverStop)
}

// soon gives up by itself: not a finding.
func soon(ctx context.Context, ready func() (bool, error)) error {
	return wait.PollImmediate(100*time.Millisecond, 2*time.Second, ready)
}
