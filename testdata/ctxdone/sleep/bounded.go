package sleep

import (
	"context"
	"math"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
)

// Pauses of loops that count their rounds add up.

type bounded struct {
	trier
	table map[string]string
}

// Reconcile holds its worker for a while.
func (b *bounded) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b.thrice(ctx)
	b.doubling(ctx)
	b.backOff(ctx)
	b.shifted(ctx)
	b.capped(ctx)
	b.powers(ctx)
	b.untilLong(ctx)
	b.often(ctx)
	b.minutes(ctx)
	b.aMinute(ctx)
	b.untilSet()
	b.manyMinutes(ctx)
	b.nested(ctx)
	b.started(ctx)
	b.startedHelper(ctx)
	b.captured(ctx)
	b.capturedLong(ctx)
	return ctrl.Result{}, nil
}

type trier struct{}

func (trier) try(context.Context) bool { return time.Now().Nanosecond() > 0 }

// thrice sleeps for 600ms in all.
func (b *bounded) thrice(ctx context.Context) {
	for range 3 {
		if b.try(ctx) {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// doubling sleeps for 1.5s in all: 100, 200, 400 and 800 milliseconds.
func (b *bounded) doubling(ctx context.Context) {
	pause := 100 * time.Millisecond
	for attempt := 0; attempt < 4; attempt++ {
		if b.try(ctx) {
			return
		}
		time.Sleep(pause)
		pause *= 2
	}
}

// shifted sleeps for 1.5s in all.
func (b *bounded) shifted(ctx context.Context) {
	const pause = 100 * time.Millisecond
	for i := 0; i < 4; i++ {
		if b.try(ctx) {
			return
		}
		time.Sleep(pause << i)
	}
}

// capped sleeps for 1, 2, 4, 5 and 5 seconds.
func (b *bounded) capped(ctx context.Context) {
	pause := time.Second
	for i := 0; i < 5; i++ {
		if b.try(ctx) {
			return
		}
		time.Sleep(pause) // want `capped \(from Reconcile\) sleeps for up to 17s in a loop and holds a worker`
		if pause *= 2; pause > 5*time.Second {
			pause = 5 * time.Second
		}
	}
}

// powers sleeps for 1, 2, 4 and 8 seconds.
func (b *bounded) powers(ctx context.Context) {
	for i := 1; i <= 4; i++ {
		if b.try(ctx) {
			return
		}
		time.Sleep(time.Duration(math.Pow(2, float64(i-1))) * time.Second) // want `powers \(from Reconcile\) sleeps for up to 15s in a loop and holds a worker`
	}
}

// untilLong ends when the pause is long.
func (b *bounded) untilLong(ctx context.Context) {
	for pause := time.Second; pause < 10*time.Second; pause *= 2 {
		if b.try(ctx) {
			return
		}
		time.Sleep(pause) // want `untilLong \(from Reconcile\) sleeps for up to 15s in a loop and holds a worker`
	}
}

// often sleeps for a short time, but often.
func (b *bounded) often(ctx context.Context) {
	for range 100 {
		if b.try(ctx) {
			return
		}
		time.Sleep(100 * time.Millisecond) // want `often \(from Reconcile\) sleeps for up to 10s in a loop and holds a worker`
	}
}

// minutes is long.
func (b *bounded) minutes(context.Context) {
	time.Sleep(2 * time.Minute) // told with manyMinutes
}

// aMinute is what an operator that waits in place has chosen.
func (b *bounded) aMinute(ctx context.Context) {
	for range 12 {
		if b.try(ctx) {
			return
		}
		time.Sleep(5 * time.Second) // want `hygiene: aMinute \(from Reconcile\) sleeps for up to 1m in a loop and holds a worker`
	}
}

// untilSet looks at a field that is set before anything is reconciled.
func (b *bounded) untilSet() {
	for range 20 {
		if b.table != nil {
			return
		}
		time.Sleep(10 * time.Second) // want `hygiene: untilSet \(from Reconcile\) sleeps for up to 3m20s in a loop and holds a worker`
	}
}

// manyMinutes is as long, step by step.
func (b *bounded) manyMinutes(ctx context.Context) {
	for attempts := 0; ; attempts++ {
		if b.try(ctx) || attempts >= 60 {
			return
		}
		time.Sleep(5 * time.Second) // want `stuck: manyMinutes \(from Reconcile\) sleeps for up to 5m5s in a loop and holds a worker, as line \d+ does; return and requeue with RequeueAfter`
	}
}

// nested counts in two loops.
func (b *bounded) nested(ctx context.Context) {
	for range 4 {
		for range 5 {
			if b.try(ctx) {
				return
			}
			time.Sleep(time.Second) // want `nested \(from Reconcile\) sleeps for up to 20s in a loop and holds a worker`
		}
	}
}

// started sleeps in a goroutine, which holds nobody up.
func (b *bounded) started(ctx context.Context) {
	go func() {
		time.Sleep(time.Minute)
		b.try(ctx)
	}()
}

// startedHelper does so in a function that a goroutine calls.
func (b *bounded) startedHelper(ctx context.Context) {
	go func() {
		b.settle()
		b.try(ctx)
	}()
}

func (b *bounded) settle() {
	time.Sleep(time.Minute)
}

// captured sleeps for 1.5s in all: a literal pauses for as long as a variable says that
// doubles.
func (b *bounded) captured(ctx context.Context) {
	pause := 100 * time.Millisecond
	rest := func() { time.Sleep(pause) }
	for range 4 {
		if b.try(ctx) {
			return
		}
		rest()
		pause *= 2
	}
}
