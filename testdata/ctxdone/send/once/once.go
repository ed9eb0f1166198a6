// Package main runs once: what it leaves behind goes with the process.
package main

import (
	"context"
	"os"
	"os/signal"

	"sigs.k8s.io/controller-runtime/pkg/manager"
)

func main() {
	failed := make(chan error)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	go func() { failed <- run(context.Background()) }()
	go func() { _ = serve() }()
	select {
	case <-signals:
	case <-failed:
	}
}

func run(context.Context) error { return nil }

var _ manager.Runnable = &server{}
