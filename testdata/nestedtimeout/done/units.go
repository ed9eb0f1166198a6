package done

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A number in another unit than nanoseconds makes a timeout that has passed at once.

const seconds = 60

func (s *server) bare(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, seconds) // want `^loss: the timeout of 60ns is over before anything is done: the number counts nanoseconds; multiply it by time\.Second, or the unit meant.*already-done`
	defer cancel()
	return s.Update(short, s.pod)
}

func (s *server) converted(ctx context.Context, limit metav1.Duration) error {
	short, cancel := context.WithTimeout(ctx, time.Duration(limit.Seconds())) // want `^loss: the timeout is over before anything is done: the number that Seconds returns is taken for nanoseconds; pass the duration itself`
	defer cancel()
	return s.Update(short, s.pod)
}

func (s *server) inSteps(ctx context.Context, limit time.Duration) error {
	millis := int(limit.Milliseconds())
	limit = time.Duration(millis)
	short, cancel := context.WithTimeout(ctx, limit) // want `the number that Milliseconds returns is taken for nanoseconds`
	defer cancel()
	return s.Update(short, s.pod)
}

type limited struct {
	server
	minutes float64
}

func newLimited(limit time.Duration) *limited { return &limited{minutes: limit.Minutes()} }

func (l *limited) save(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, time.Duration(l.minutes)) // want `the number that Minutes returns is taken for nanoseconds`
	defer cancel()
	return l.Update(short, l.pod)
}

// trapOfMultiplied has the unit.
func (s *server) trapOfMultiplied(ctx context.Context, limit time.Duration) error {
	short, cancel := context.WithTimeout(ctx, time.Duration(limit.Seconds())*time.Second)
	defer cancel()
	return s.Update(short, s.pod)
}

// trapOfConstant has it, too.
func (s *server) trapOfConstant(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, seconds*time.Second)
	defer cancel()
	return s.Update(short, s.pod)
}

// trapOfMinutes multiplies a field.
func (l *limited) trapOfMinutes(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, time.Duration(l.minutes)*time.Minute)
	defer cancel()
	return l.Update(short, l.pod)
}

// trapOfNanoseconds are what is meant.
func (s *server) trapOfNanoseconds(ctx context.Context, limit time.Duration) error {
	short, cancel := context.WithTimeout(ctx, time.Duration(limit.Nanoseconds()))
	defer cancel()
	return s.Update(short, s.pod)
}

// trapOfNone is meant to have ended.
func (s *server) trapOfNone(ctx context.Context) error {
	ended, cancel := context.WithTimeout(ctx, 0)
	defer cancel()
	if err := s.Update(ended, s.pod); err == nil {
		return nil
	}
	ended, cancelAgain := context.WithTimeout(ctx, time.Nanosecond)
	defer cancelAgain()
	return s.Update(ended, s.pod)
}

// trapOfUnknown comes from elsewhere.
func (s *server) trapOfUnknown(ctx context.Context, limit int64) error {
	short, cancel := context.WithTimeout(ctx, time.Duration(limit))
	defer cancel()
	return s.Update(short, s.pod)
}
