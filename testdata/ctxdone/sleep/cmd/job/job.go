// Package job has what a program does, which lies above it.
package job

import (
	"context"
	"time"

	"k8s.io/klog/v2"
)

// Run backs off between its pages: the program ends with it.
func Run(ctx context.Context, pages int) {
	for page := range pages {
		klog.Info("page ", page)
		time.Sleep(5 * time.Second)
	}
}
