package waits_test

import (
	"strings"
	"testing"

	"github.com/opvet/opvet/internal/passes/waits"
	"github.com/opvet/opvet/internal/testing/passtest"
)

const declarations = `
import (
	"context"
	"math/rand"
	"net/http"
	"time"
)
var _ = context.Background
var _ = http.Get
var _ = rand.Intn
var _ = time.Now
var interval = 3 * time.Second
var Interval = 4 * time.Second
func done(ctx context.Context) bool { return ctx.Err() != nil }
func try(ctx context.Context) error { return ctx.Err() }
type clock struct{}
func (clock) Now() time.Time { return time.Now() }
func (clock) Sleep(d time.Duration) {}
func (clock) After(d time.Duration) <-chan time.Time { return nil }
type other struct{}
func (other) Sleep(d time.Duration) {}
`

// describe writes the pauses of the function f.
func describe(info *waits.Waits) string {
	var all []string
	for _, fn := range info.Funcs() {
		if fn.Name() != "f" {
			continue
		}
		for _, p := range info.Pauses(fn) {
			words := []string{"?"}
			if p.Known {
				words[0] = p.For.String()
			}
			for word, set := range map[string]bool{"brief": p.Brief, "again": p.Again()} {
				if set {
					words = append(words, word)
				}
			}
			switch {
			case p.Listens:
				words = append(words, "listens")
			case p.Fails:
				words = append(words, "fails")
			}
			if p.Over {
				words = append(words, "over")
			}
			if p.Ticks {
				words = append(words, "ticks")
			}
			all = append(all, strings.Join(words, " "))
		}
	}
	return strings.Join(all, ", ")
}

func TestPauses(t *testing.T) {
	cases := []struct{ name, src, want string }{
		{"sleep", "func f() { time.Sleep(5 * time.Second) }", "5s"},
		{"deferred", "func f() { defer time.Sleep(time.Second) }", "1s"},
		{"clock", "func f(c clock) { c.Sleep(time.Second) }", "1s"},
		{"another Sleep", "func f(o other) { o.Sleep(time.Second) }", ""},
		{"after", "func f() { <-time.After(time.Minute) }", "1m0s"},
		{"clock's after", "func f(c clock) { <-c.After(time.Minute) }", "1m0s"},
		{"timer", "func f() { <-time.NewTimer(time.Minute).C }", "1m0s"},
		{"ticker", "func f(t *time.Ticker) { for { <-t.C } }", "? again ticks"},
		{"ranged ticker", "func f(t *time.Ticker) { for range t.C { } }", ""},
		{"select", "func f(ctx context.Context) { select { case <-time.After(time.Second): case <-ctx.Done(): } }", ""},
		{"drained", "func f(t *time.Timer) { if !t.Stop() { <-t.C } }", ""},
		{"another channel", "func f(ch chan int) { <-ch }", ""},
		{"loop", "func f() { for range 3 { time.Sleep(time.Second) } }", "1s again"},
		{"listens", "func f(ctx context.Context) { for ctx.Err() == nil { time.Sleep(time.Second) } }", "1s again listens"},
		{"listens by a select", "func f(stop chan struct{}) { for { select { case <-stop: return; default: }; time.Sleep(time.Second) } }", "1s again listens"},
		{"listens by a helper", "func f(ctx context.Context) { for { if done(ctx) { return }; time.Sleep(time.Second) } }", "1s again listens"},
		{"ends with its channel", "func f(ch chan int) { for range ch { time.Sleep(time.Second) } }", "1s again listens"},
		{"fails", "func f(c *http.Client, g func(context.Context) error, ctx context.Context) { for { if err := g(ctx); err != nil { return }; time.Sleep(time.Second) } }", "1s again fails"},
		{"goes on when it fails", "func f(g func(context.Context) error, ctx context.Context) { for { if err := g(ctx); err == nil { return }; time.Sleep(time.Second) } }", "1s again"},
		{"after the end", "func f(ctx context.Context) { <-ctx.Done(); time.Sleep(time.Second) }", "1s over"},
		{"before the end", "func f(ctx context.Context) { time.Sleep(time.Second); <-ctx.Done() }", "1s"},
		{"in the case of the end", "func f(ctx context.Context, ch chan int) { select { case <-ctx.Done(): time.Sleep(time.Second); case <-ch: } }", "1s over"},
		{"in another case", "func f(ctx context.Context, ch chan int) { select { case <-ctx.Done(): case <-ch: time.Sleep(time.Second) } }", "1s"},
		{"behind Err", "func f(ctx context.Context) { if ctx.Err() != nil { time.Sleep(time.Second) } }", "1s over"},
		{"without Err", "func f(ctx context.Context) { if ctx.Err() == nil { time.Sleep(time.Second) } }", "1s"},
		{"after a helper that waits for the end", "func f(ctx context.Context) { await(ctx); time.Sleep(time.Second) }; func await(ctx context.Context) { <-ctx.Done() }", "1s over"},
		{"after a helper that may wait for the end", "func f(ctx context.Context) { await(ctx); time.Sleep(time.Second) }; func await(ctx context.Context) { select { case <-ctx.Done(): default: } }", "1s"},
		{"no context", "func f(ctx context.Context) { if ctx == nil { time.Sleep(time.Second) } }", "1s over"},
		{"variable", "func f() { time.Sleep(interval) }", "3s"},
		{"exported variable", "func f() { time.Sleep(Interval) }", "4s"},
		{"random", "func f() { time.Sleep(time.Duration(rand.Intn(5)) * time.Second) }", "5s"},
		{"choice", "func f(b bool) { d := time.Second; if b { d = time.Minute }; time.Sleep(d) }", "1m0s"},
		{"doubled", "func f() { d := time.Second; for range 9 { time.Sleep(d); d *= 2 } }", "? again"},
		{"milliseconds", "func f(n int) { time.Sleep(time.Duration(n) * time.Millisecond) }", "? brief"},
		{"seconds", "func f(n int) { time.Sleep(time.Duration(n) * time.Second) }", "?"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := describe(passtest.Source[*waits.Waits](t, waits.Analyzer, declarations+c.src)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	cases := []struct{ name, src, want string }{
		{"nobody", "func f() { time.Sleep(time.Second) }", ""},
		{"parameter", "func f(ctx context.Context) { time.Sleep(time.Second) }", "ctx"},
		{"caller", "func f() { time.Sleep(time.Second) }; func g(ctx context.Context) { f() }", "ctx of g"},
		{"caller's caller", "func f() { time.Sleep(time.Second) }; func h() { f() }; func g(ctx context.Context) { h() }", "ctx of g"},
		{"starter", "func f() { time.Sleep(time.Second) }; func g(ctx context.Context) { go f() }", " started"},
		{"handler", "func f() { time.Sleep(time.Second) }; func g(w http.ResponseWriter, r *http.Request) { f() }; func init() { http.HandleFunc(\"/\", g) }", "r.Context() of g by HTTP handler"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			info := passtest.Source[*waits.Waits](t, waits.Analyzer, declarations+c.src)
			got := ""
			for _, fn := range info.Funcs() {
				a := info.Answers(fn, info.Pauses(fn)[0].At)
				if a.Source != nil {
					got = a.Source.Expr
				}
				if a.Caller != nil {
					got += " of " + a.Caller.Name()
				}
				if a.Path != nil {
					got += " by " + a.Path.Entry.Kind.String()
				}
				if a.Started {
					got += " started"
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestAlong checks what callers know of a pause.
func TestAlong(t *testing.T) {
	cases := []struct{ name, src, want string }{
		{"called once", "func f() { time.Sleep(time.Second) }; func g(ctx context.Context) { f() }", "1s"},
		{"called in a loop", "func f() { time.Sleep(time.Second) }; func g(ctx context.Context) { for range 3 { f() } }", "3s again"},
		{"called in a loop that listens", "func f() { time.Sleep(time.Second) }; func g(ctx context.Context) { for ctx.Err() == nil { f() } }", "? again listens"},
		{"called after the end", "func f() { time.Sleep(time.Second) }; func g(ctx context.Context) { <-ctx.Done(); f() }", "1s over"},
		{"by a caller's caller", "func f() { time.Sleep(time.Second) }; func h() { f() }; func g(ctx context.Context) { <-ctx.Done(); h() }", "1s over"},
		{"captured", "func g(ctx context.Context) { d := time.Second; f := func() { time.Sleep(d) }; for range 3 { f(); d *= 2 } }", "7s again"},
		{"captured, doubled first", "func g(ctx context.Context) { d := time.Second; f := func() { time.Sleep(d) }; for range 3 { d *= 2; f() } }", "14s again"},
		{"captured, doubled now and then", "func g(ctx context.Context, b bool) { d := time.Second; f := func() { time.Sleep(d) }; for range 3 { if b { d *= 2 }; f() } }", "? again"},
		{"captured, set by the literal", "func g(ctx context.Context) { d := time.Second; f := func() { time.Sleep(d); d *= 2 }; for range 3 { f() } }", "? again"},
		{"captured twice", "func g(ctx context.Context) { d := time.Second; f := func() { h := func() { time.Sleep(d) }; h() }; for range 3 { f(); d *= 2 } }", "7s again"},
		{"captured parameter", "func h(d time.Duration) { f := func() { time.Sleep(d) }; f() }; func g(ctx context.Context) { h(time.Minute) }", "1m0s"},
		{"literal", "func g(ctx context.Context) { f := func() { time.Sleep(time.Second) }; <-ctx.Done(); f() }", "1s over"},
		{"literal that is called twice", "func g(ctx context.Context) { f := func() { time.Sleep(time.Second) }; f(); <-ctx.Done(); f() }", "1s"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			info := passtest.Source[*waits.Waits](t, waits.Analyzer, declarations+c.src)
			fn := info.Funcs()[0]
			p := info.Pauses(fn)[0]
			p = info.Along(p, info.Answers(fn, p.At))
			got := "?"
			if total, known := p.Total(); known {
				got = total.String()
			}
			for _, word := range []struct {
				word string
				set  bool
			}{{"again", p.Again()}, {"listens", p.Listens}, {"over", p.Over}} {
				if word.set {
					got += " " + word.word
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
