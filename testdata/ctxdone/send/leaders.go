package send

import (
	"context"

	"k8s.io/client-go/tools/leaderelection"
)

// UntilLeading receives until this process leads. Who leads after it is told to nobody: a goroutine
// for each new leader, of whom there are few.
func UntilLeading(ctx context.Context, id string, config leaderelection.LeaderElectionConfig) {
	leaders := make(chan string)
	config.Callbacks = leaderelection.LeaderCallbacks{
		OnNewLeader: func(leader string) {
			leaders <- leader // want `^hygiene: OnNewLeader hangs in its send on leaders if UntilLeading stops receiving`
		},
	}
	go leaderelection.RunOrDie(ctx, config)
	for leader := range leaders {
		if leader == id {
			return
		}
	}
}

// UntilTold does the same where somebody waits for the callback: the election goes on when it returns.
func UntilTold(ctx context.Context, config leaderelection.LeaderElectionConfig) {
	stopped := make(chan struct{})
	config.Callbacks = leaderelection.LeaderCallbacks{
		OnStoppedLeading: func() {
			stopped <- struct{}{} // want `^leak: OnStoppedLeading hangs in its send on stopped if UntilTold stops receiving`
		},
	}
	go leaderelection.RunOrDie(ctx, config)
	select {
	case <-stopped:
	case <-ctx.Done():
	}
}
