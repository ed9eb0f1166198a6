package channels_test

import (
	"testing"

	"github.com/opvet/opvet/internal/passes/channels"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// channel returns the only channel that the snippet makes.
func channel(t *testing.T, src string) (*channels.Channels, *channels.Channel) {
	t.Helper()
	info := passtest.Source[*channels.Channels](t, channels.Analyzer, src)
	var found *channels.Channel
	for _, ch := range info.Channels {
		if ch.Made == nil {
			continue
		}
		if found != nil {
			t.Fatal("the snippet makes several channels")
		}
		found = ch
	}
	if found == nil {
		t.Fatal("the snippet makes no channel")
	}
	return info, found
}

func TestWhereChannelsGo(t *testing.T) {
	for name, c := range map[string]struct {
		src     string
		local   bool
		escapes bool
		ops     int
	}{
		"captured":       {`func f() { ch := make(chan int); go func() { ch <- 1 }(); <-ch }`, true, false, 2},
		"parameter":      {`func f() { ch := make(chan int); go g(ch); <-ch }; func g(c chan<- int) { c <- 1; close(c) }`, true, false, 3},
		"result":         {`func f() { <-g() }; func g() <-chan int { ch := make(chan int); go func() { ch <- 1 }(); return ch }`, true, false, 2},
		"variable":       {`func f() { var ch chan int; ch = make(chan int); select { case <-ch: default: } }`, true, false, 1},
		"field":          {`type t struct{ ch chan int }; func f() { x := &t{ch: make(chan int)}; go x.g(); <-x.ch }; func (x *t) g() { x.ch <- 1 }`, false, false, 2},
		"public":         {`func F() <-chan int { ch := make(chan int); go func() { ch <- 1 }(); return ch }`, false, false, 1},
		"exported field": {`type T struct{ Ch chan int }; func f() *T { return &T{Ch: make(chan int)} }`, false, true, 0},
		"map":            {`var m = map[int]chan int{}; func f() { ch := make(chan int); m[0] = ch; <-ch }`, false, true, 1},
		"interface":      {`func g(any); func f() { ch := make(chan int); g(ch) }`, false, true, 0},
		"sent":           {`func f(to chan chan int) { ch := make(chan int); to <- ch }`, false, true, 0},
		"unknown code":   {`import "os"; import "os/signal"; func f() { ch := make(chan os.Signal, 1); signal.Notify(ch); <-ch }`, false, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, ch := channel(t, c.src)
			if ch.Local() != c.local || ch.Escapes != c.escapes || len(ch.Ops) != c.ops {
				t.Errorf("local %t, escapes %t, %d operations; want %t, %t, %d", ch.Local(), ch.Escapes, len(ch.Ops), c.local, c.escapes, c.ops)
			}
		})
	}
}

func TestNames(t *testing.T) {
	for name, src := range map[string]string{
		"ch":    `func f() { ch := make(chan int); <-ch }`,
		"other": `func f() { var other = make(chan int); go func() { other <- 1 }(); <-other }`,
		"":      `func f() { g(make(chan int)) }; func g(c chan int) { <-c }`,
	} {
		if _, ch := channel(t, src); ch.Name != name {
			t.Errorf("%s: the name is %q, want %q", src, ch.Name, name)
		}
	}
}

func TestActivities(t *testing.T) {
	const rest = `; <-ch }; func each(f func()) { f() }; func all(f func()) { for range 9 { f() } }; type later interface{ do(func()) }`
	for name, c := range map[string]struct {
		src                          string
		own, callback, several, many bool
	}{
		"itself":             {`func f() { ch := make(chan int, 1); ch <- 1` + rest, true, false, false, false},
		"itself, repeatedly": {`func f() { ch := make(chan int, 9); for i := range 9 { ch <- i }` + rest, true, false, false, true},
		"goroutine":          {`func f() { ch := make(chan int); go func() { ch <- 1 }()` + rest, false, false, false, false},
		"loop in goroutine":  {`func f() { ch := make(chan int); go func() { for { ch <- 1 } }()` + rest, false, false, false, true},
		"goroutines":         {`func f() { ch := make(chan int); for range 9 { go func() { ch <- 1 }() }` + rest, false, false, true, true},
		"callback":           {`func f(l later) { ch := make(chan int); l.do(func() { ch <- 1 })` + rest, false, true, false, true},
		"one round":          {`func f() { ch := make(chan int); for _, n := range []int{1} { go func() { ch <- n }() }` + rest, false, false, false, false},
		"helper in place":    {`func f() { ch := make(chan int, 1); each(func() { ch <- 1 })` + rest, true, false, false, false},
		"helper with rounds": {`func f() { ch := make(chan int, 1); all(func() { ch <- 1 })` + rest, true, false, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			info, ch := channel(t, c.src)
			for _, op := range ch.Ops {
				if op.Kind != channels.Send {
					continue
				}
				a, ok := info.ActivityOf(op, ch.Frames()...)
				if !ok || a.Own() != c.own || a.Callback != c.callback || a.Several != c.several || a.Many != c.many {
					t.Errorf("known %t, own %t, callback %t, several %t, many %t", ok, a.Own(), a.Callback, a.Several, a.Many)
				}
			}
		})
	}
}

func TestLeaves(t *testing.T) {
	const (
		once  = `import ("context"; "time"); var _ time.Duration; func f(ctx context.Context) error { ch := make(chan error); go func() { ch <- nil }(); `
		often = `import ("context"; "time"); var _ time.Duration; func g(error) error; func f(ctx context.Context) error { ch := make(chan error); go func() { for { ch <- nil } }(); `
	)
	for name, c := range map[string]struct {
		src, reason string
	}{
		"stays":               {once + `return <-ch }`, ""},
		"context":             {once + `select { case err := <-ch: return err; case <-ctx.Done(): return nil } }`, "its context is done"},
		"timer":               {once + `select { case err := <-ch: return err; case <-time.After(1): return nil } }`, "its time is up"},
		"default":             {once + `select { case err := <-ch: return err; default: return nil } }`, "nothing is there yet"},
		"return":              {once + `if ctx == nil { return nil }; return <-ch }`, "it returns"},
		"asks again":          {once + `for { select { case err := <-ch: return err; case <-time.After(1): } } }`, ""},
		"takes it in the end": {once + `select { case err := <-ch: return err; case <-ctx.Done(): return <-ch } }`, ""},
		"range":               {often + `for range ch { }; return nil }`, ""},
		"range that fails":    {often + `for err := range ch { if err := g(err); err != nil { return err } }; return nil }`, "it fails"},
		"last message":        {often + `for err := range ch { if err == context.Canceled { return err } }; return nil }`, ""},
		"loop until done":     {often + `for { select { case <-ch: case <-ctx.Done(): return nil } } }`, "its context is done"},
		"loop with a tick":    {often + `for { select { case _, ok := <-ch: if !ok { return nil }; case <-time.After(1): } } }`, ""},
		"drains":              {often + `for { select { case <-ch: case <-ctx.Done(): for range ch { }; return nil } } }`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			info, ch := channel(t, c.src)
			for _, op := range ch.Ops {
				if op.Kind != channels.Send {
					continue
				}
				a, ok := info.ActivityOf(op, ch.Frames()...)
				if !ok {
					t.Fatal("the activity of the sender is not known")
				}
				reason := ""
				if leave := info.Leaves(ch, a.Frame, a.Start, channels.Question{Many: a.Many}); leave != nil {
					reason = leave.Reason()
				}
				if reason != c.reason {
					t.Errorf("it leaves since %q, want %q", reason, c.reason)
				}
			}
		})
	}
}
