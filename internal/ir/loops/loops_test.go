package loops_test

import (
	"go/token"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/testing/passtest"
)

const prelude = `
import (
	"context"
	"time"
)

func work() error { return nil }
func fails() error { return nil }
func flag() bool { return true }

var (
	_ context.Context
	_ time.Duration
)

`

// function builds a snippet and returns the function f of it.
func function(t *testing.T, src string) *ssa.Function {
	t.Helper()
	graph := passtest.Source[*calls.Graph](t, calls.Analyzer, prelude+src)
	return graph.Pkg.Func("f")
}

// calls reports whether v is a call of the function of that name.
func hasCall(v ssa.Value, name string) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	callee := kubeapi.Callee(call.Common())
	return callee != nil && callee.Name() == name
}

func TestNested(t *testing.T) {
	fn := function(t, `func f(n int) { for flag() { for i := range n { _ = i; work() }; fails() } }`)
	found := loops.Of(fn)
	if len(found) != 2 {
		t.Fatalf("%d loops, want 2", len(found))
	}
	inner, outer := found[0], found[1]
	if len(inner.Blocks) > len(outer.Blocks) {
		inner, outer = outer, inner
	}
	for block := range inner.Blocks {
		if !outer.Blocks[block] {
			t.Errorf("block %d of the inner loop is not in the outer one", block.Index)
		}
	}
}

func TestWaysOut(t *testing.T) {
	for _, test := range []struct {
		name, src            string
		exits                int
		never, told, return_ bool
	}{
		{"none", `func f() { for { work() } }`, 0, true, true, false},
		{"condition", `func f() { for flag() { work() } }`, 1, false, false, true},
		{"ticker", `func f(t *time.Ticker) { for range t.C { work() } }`, 1, true, true, true},
		{"channel", `func f(c chan int) { for range c { work() } }`, 1, false, true, true},
		{"select of one that goes on", `func f(c chan int) { for { select { case <-c: work() } } }`, 0, true, true, false},
		{"done", `func f(ctx context.Context, c chan int) { for { select { case <-c: work(); case <-ctx.Done(): return } } }`, 1, false, true, true},
		{"a timer", `func f(ctx context.Context, c chan int) { for { select { case <-c: work(); case <-time.After(1): return } } }`, 1, false, false, true},
		{"err", `func f(ctx context.Context) { for ctx.Err() == nil { work() } }`, 1, false, true, true},
		{"panic", `func f(c chan int) { for { <-c; if flag() { panic("f") } } }`, 1, false, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			fn := function(t, test.src)
			loop := loops.Of(fn)[0]
			if got := len(loop.Exits()); got != test.exits {
				t.Errorf("%d ways out, want %d", got, test.exits)
			}
			if got := loop.NeverLeft(); got != test.never {
				t.Errorf("never left: %v", got)
			}
			if got := loop.LeftOnlyWhenTold(func(ssa.Value) bool { return false }); got != test.told {
				t.Errorf("left only when told: %v", got)
			}
			if got := loops.CanReturn(fn); got != test.return_ {
				t.Errorf("can return: %v", got)
			}
		})
	}
}

// TestWorlds explores loops where fails always returns an error.
func TestWorlds(t *testing.T) {
	world := func(v ssa.Value) paths.Truth {
		if hasCall(v, "fails") {
			return paths.True
		}
		return paths.Unknown
	}
	for _, test := range []struct {
		name, src string
		exits     int
	}{
		{"left on success", `func f() { for { if fails() == nil { return } } }`, 0},
		{"left on failure", `func f() { for { if fails() != nil { return } } }`, 1},
		{"variable", `func f() { for { err := fails(); if err == nil { return }; work() } }`, 0},
		{"condition", `func f() { err := fails(); for err != nil { work(); err = fails() } }`, 0},
		{"flag set on success", `func f() { ok := false; for !ok { if err := fails(); err == nil { ok = true } } }`, 0},
		{"flag set on failure", `func f() { bad := false; for !bad { if err := fails(); err != nil { bad = true } } }`, 1},
		{"captured variable", `func f() { var err error; defer func() { println(err) }(); for { if err = fails(); err == nil { return } } }`, 0},
		{"variable that a literal sets", `func f() { var err error; set := func() { err = nil }; for { err = fails(); set(); if err == nil { return } } }`, 1},
		{"something else", `func f() { for { if fails() != nil && flag() { return } } }`, 1},
		{"asked twice", `func f() { for { ok := flag(); if ok && fails() == nil { return }; if !ok && fails() == nil { return } } }`, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			loop := loops.Of(function(t, test.src))[0]
			explorer := &loops.Explorer{Loop: loop, World: world}
			remaining, ok := explorer.Exits()
			if !ok || len(remaining) != test.exits {
				t.Errorf("%d ways out remain (known: %v), want %d", len(remaining), ok, test.exits)
			}
		})
	}
}

func TestTooLarge(t *testing.T) {
	// Each flag doubles what can be known at the end.
	var src strings.Builder
	src.WriteString("func f() { for {\n")
	for i := range 16 {
		name := "x" + string(rune('a'+i))
		src.WriteString(name + " := flag()\nif " + name + " { work() }\ndefer func(bool) {}(" + name + ")\nif " + name + " { work() }\n")
	}
	src.WriteString("if fails() == nil { return }\n} }")
	loop := loops.Of(function(t, src.String()))[0]
	explorer := &loops.Explorer{Loop: loop, World: func(ssa.Value) paths.Truth { return paths.Unknown }}
	if _, ok := explorer.Exits(); ok {
		t.Error("explored, although it should have given up")
	}
}

func TestWaits(t *testing.T) {
	for _, test := range []struct {
		name, src    string
		waits, timed int
	}{
		{"computation", `func f() { for flag() { work() } }`, 0, 0},
		{"sleep", `func f() { for flag() { time.Sleep(1) } }`, 1, 1},
		{"timer", `func f() { for flag() { <-time.After(1) } }`, 1, 1},
		{"channel", `func f(c chan int) { for flag() { <-c } }`, 1, 0},
		{"timers only", `func f(t *time.Ticker) { for { select { case <-t.C: return; case <-time.After(1): } } }`, 1, 1},
		{"select", `func f(c chan int) { for { select { case <-c: return; case <-time.After(1): } } }`, 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			timed, waits := 0, loops.Of(function(t, test.src))[0].Waits()
			for _, wait := range waits {
				if wait.Timed {
					timed++
				}
			}
			if len(waits) != test.waits || timed != test.timed {
				t.Errorf("%d waits, %d of them for time, want %d and %d", len(waits), timed, test.waits, test.timed)
			}
		})
	}
}

func TestStatement(t *testing.T) {
	fn := function(t, `func f(n int) {
	for flag() {
		for i := range n {
			_ = i
			work()
		}
		fails()
	}
again:
	if flag() {
		goto again
	}
}`)
	var found []string
	for _, loop := range loops.Of(fn) {
		stmt := loop.Stmt()
		if stmt == nil {
			found = append(found, "none")
			continue
		}
		found = append(found, line(fn.Prog.Fset.Position(stmt.Pos())))
	}
	first := fn.Prog.Fset.Position(fn.Pos()).Line
	want := []int{first + 1, first + 2}
	if len(found) != 3 {
		t.Fatalf("loops at %v, want three", found)
	}
	for _, at := range want {
		if !strings.Contains(strings.Join(found, " "), line(token.Position{Line: at})) {
			t.Errorf("loops at %v, want one on line %d", found, at)
		}
	}
	if !strings.Contains(strings.Join(found, " "), "none") {
		t.Errorf("loops at %v, want one without a statement", found)
	}
}

func line(p token.Position) string {
	return "line " + string(rune('0'+p.Line/10)) + string(rune('0'+p.Line%10))
}
