// Command has loops that end with the process: a signal kills it.
package main

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

func main() {
	ctx := context.Background()
	go report(ctx)
	for {
		klog.Info("working")
		time.Sleep(time.Second)
	}
}

// report gets a context that nothing ends.
func report(ctx context.Context) {
	for range time.Tick(time.Minute) {
		klog.Info(wait.Jitter(time.Second, 1))
	}
}
