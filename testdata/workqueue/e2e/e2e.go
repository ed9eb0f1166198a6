// Package e2e serves tests: its queue lives as long as one of them.
package e2e

import "k8s.io/client-go/util/workqueue"

func log(events workqueue.TypedRateLimitingInterface[string]) {
	for {
		event, shutdown := events.Get()
		if shutdown {
			return
		}
		println(event)
	}
}
