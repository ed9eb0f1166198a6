// Package middle calls a helper that sleeps.
package middle

import (
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
)

// Apply sleeps in a function that it calls.
func Apply(work func() error) error { return apply(work) }

func apply(work func() error) error {
	for range 3 {
		if err := work(); err == nil || errors.IsNotFound(err) {
			return nil
		}
		time.Sleep(4 * time.Second)
	}
	return work()
}
