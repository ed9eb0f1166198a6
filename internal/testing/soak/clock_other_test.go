//go:build !linux

package soak

import "time"

func startClock() (stop func() time.Duration) {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
