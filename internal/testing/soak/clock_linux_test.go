package soak

import (
	"runtime"
	"syscall"
	"time"
)

// startClock measures the processor time of the calling goroutine, which has
// its thread for itself until the result is called: what else runs on the
// machine makes no difference.
func startClock() (stop func() time.Duration) {
	runtime.LockOSThread()
	start := threadTime()
	return func() time.Duration {
		defer runtime.UnlockOSThread()
		return threadTime() - start
	}
}

func threadTime() time.Duration {
	const rusageThread = 1 // of getrusage(2); package syscall has no name for it
	var usage syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
