package blocks_test

import (
	"slices"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/testing/passtest"
)

const prelude = `
func a() bool { return true }
func b() bool { return true }
func c() bool { return true }
func first() {}
func second() {}

`

// function builds the function f of a snippet, and finds the calls in it by name.
func function(t *testing.T, src string) map[string]ssa.Instruction {
	t.Helper()
	graph := passtest.Source[*calls.Graph](t, calls.Analyzer, prelude+src)
	found := make(map[string]ssa.Instruction)
	for _, block := range graph.Pkg.Func("f").Blocks {
		for _, instr := range block.Instrs {
			if call, ok := instr.(*ssa.Call); ok && call.Call.StaticCallee() != nil {
				found[call.Call.StaticCallee().Name()] = instr
			}
		}
	}
	return found
}

// asked is the name of the function whose answer a branch asks for.
func asked(branch *ssa.If) string { return branch.Cond.(*ssa.Call).Call.StaticCallee().Name() }

func TestDecided(t *testing.T) {
	for _, test := range []struct {
		name, src            string
		above, held, notHeld []string
	}{
		{"inside", `func f() { if a() { first() } }`, []string{"a"}, []string{"a"}, nil},
		{"else", `func f() { if a() { second() } else { first() } }`, []string{"a"}, nil, []string{"a"}},
		{"nearest first", `func f() { if a() { if b() { first() } } }`, []string{"b", "a"}, []string{"b", "a"}, nil},
		{"early return", `func f() { if a() { return }; first() }`, []string{"a"}, nil, []string{"a"}},
		{"met again", `func f() { if a() { second() }; first() }`, []string{"a"}, nil, nil},
		{"and", `func f() { if a() && b() { first() } }`, []string{"b", "a"}, []string{"b", "a"}, nil},
		{"or", `func f() { if a() || b() { first() } }`, []string{"a"}, nil, nil},
		{"not of all ways", `func f() { if c() { if a() { return } }; first() }`, []string{"c"}, nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			block := function(t, test.src)["first"].Block()
			var above, held, notHeld []string
			for branch := range blocks.Above(block) {
				above = append(above, asked(branch))
			}
			for branch, yes := range blocks.Decided(block) {
				if blocks.Side(branch, yes) == blocks.Side(branch, !yes) {
					t.Error("a branch whose sides are one was decided")
				}
				if yes {
					held = append(held, asked(branch))
				} else {
					notHeld = append(notHeld, asked(branch))
				}
			}
			if !slices.Equal(above, test.above) || !slices.Equal(held, test.held) || !slices.Equal(notHeld, test.notHeld) {
				t.Errorf("above %v, held %v, not held %v; want %v, %v, %v", above, held, notHeld, test.above, test.held, test.notHeld)
			}
		})
	}
}

func TestOrder(t *testing.T) {
	for _, test := range []struct {
		name, src                               string
		precedes, follows, backwards, repeating bool // second after first; first after second; second again
	}{
		{"one block", `func f() { first(); second() }`, true, true, false, false},
		{"branch", `func f() { if a() { first() }; second() }`, false, true, false, false},
		{"other branch", `func f() { if a() { first() } else { second() } }`, false, false, false, false},
		{"loop", `func f() { for a() { first(); second() } }`, true, true, true, true},
		{"behind a loop", `func f() { for a() { first() }; second() }`, false, true, false, false},
		{"in a loop", `func f() { first(); for a() { second() } }`, true, true, false, true},
		{"left at once", `func f() { for { first(); if a() { second(); return } } }`, true, true, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := function(t, test.src)
			first, second := found["first"], found["second"]
			if got := blocks.Precedes(first, second); got != test.precedes {
				t.Errorf("Precedes is %v", got)
			}
			if got := blocks.Follows(first, second); got != test.follows {
				t.Errorf("Follows is %v", got)
			}
			if got := blocks.Follows(second, first); got != test.backwards {
				t.Errorf("Follows backwards is %v", got)
			}
			if got := blocks.Repeats(second.Block()); got != test.repeating || got != blocks.Follows(second, second) {
				t.Errorf("Repeats is %v", got)
			}
		})
	}
}

func TestIsStoredTo(t *testing.T) {
	const decls = `
type inner struct{ n int; p *inner }
type outer struct{ in inner }
func use(inner) {}
`
	for _, test := range []struct {
		name, src string
		want      bool
	}{
		{"the field", `func f(o *outer) { o.in = inner{} }`, true},
		{"a part of it", `func f(o *outer) { o.in.n = 1 }`, true},
		{"behind a reference", `func f(o *outer) { o.in.p.n = 1 }`, false},
		{"read only", `func f(o *outer) { use(o.in) }`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			graph := passtest.Source[*calls.Graph](t, calls.Analyzer, decls+test.src)
			stored := blocks.Any(graph.Pkg.Func("f"), func(addr *ssa.FieldAddr) bool {
				if _, param := addr.X.(*ssa.Parameter); !param {
					return false
				}
				if blocks.Base(addr) != addr.X {
					t.Errorf("the field begins in %v", blocks.Base(addr))
				}
				return blocks.IsStoredTo(addr)
			})
			if stored != test.want {
				t.Errorf("got %v", stored)
			}
		})
	}
}

func TestInevitable(t *testing.T) {
	for _, test := range []struct {
		name, src string
		want      bool
	}{
		{"straight on", `func f() { first() }`, true},
		{"on one side", `func f() { if a() { first() } }`, false},
		{"before an early return", `func f() { first(); if a() { return } }`, true},
		{"after one", `func f() { if a() { return }; first() }`, false},
		{"where the other side panics", `func f() { if a() { panic(1) }; first() }`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			first := function(t, test.src)["first"]
			if got := blocks.Inevitable(first.Block()); got != test.want {
				t.Errorf("got %v", got)
			}
			without := blocks.ReturnsWithout(first.Block())
			if got := !without[0]; got != test.want || without[first.Block().Index] {
				t.Errorf("it returns without it from %v", without)
			}
			if fn := first.Parent(); !blocks.Within(fn, fn) || blocks.Within(nil, fn) {
				t.Error("a function is within itself, and nothing is")
			}
		})
	}
}

func TestReceived(t *testing.T) {
	for _, test := range []struct {
		name, src string
		want      []string
	}{
		{"receive", `func f(in chan int) { <-in }`, []string{"in"}},
		{"cases of a select", `func f(in, other chan int, out chan int) { select { case <-in: case out <- 1: case <-other: } }`, []string{"in", "other"}},
		{"nothing but sends", `func f(out chan int, p *int) int { out <- 1; return *p }`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			graph := passtest.Source[*calls.Graph](t, calls.Analyzer, test.src)
			var got []string
			for instr := range blocks.Instrs(graph.Pkg.Func("f")) {
				for ch := range blocks.Received(instr) {
					got = append(got, ch.Name())
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q", got)
			}
		})
	}
}
