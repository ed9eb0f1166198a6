// Command cmd runs in the foreground.
package main

import (
	"context"
	"time"

	"k8s.io/klog/v2"
)

func main() {
	run(context.Background())
}

// run waits in a program that ends with its signal: not a finding.
func run(ctx context.Context) {
	for range 5 {
		klog.Info("waiting")
		time.Sleep(5 * time.Second)
	}
}
