package calls

import (
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
)

// callTo returns the call in a function of what a name calls.
func callTo(t *testing.T, fn *ssa.Function, name string) *ssa.Call {
	t.Helper()
	for instr := range blocks.Instrs(fn) {
		if call, ok := instr.(*ssa.Call); ok && call.Call.StaticCallee() != nil && call.Call.StaticCallee().Name() == name {
			return call
		}
	}
	t.Fatalf("%s does not call %s", fn, name)
	return nil
}

func TestRunsArg(t *testing.T) {
	for _, test := range []struct {
		name, run string
		want      Running
		ok        bool
	}{
		{"each time", `func run(f func() error) error { return f() }`, Running{Always: true, Returned: true}, true},
		{"what it returns is put around", `func run(f func() error) error { _ = f(); return nil }`, Running{Always: true}, true},
		{"sometimes", `func run(f func() error) error { if f != nil { return f() }; return nil }`, Running{}, true},
		{"in a loop", `func run(f func() error) error { for f() != nil { }; return nil }`, Running{Always: true, Again: true}, true},
		{"handed on", `func run(f func() error) error { return other(f) }; func other(f func() error) error { return f() }`, Running{Always: true}, true},
		{"kept", `var kept func() error; func run(f func() error) error { kept = f; return f() }`, Running{}, false},
		{"started", `func run(f func() error) error { go f(); return nil }`, Running{}, false},
		{"deferred", `func run(f func() error) error { defer f(); return nil }`, Running{}, false},
		{"returned", `func run(f func() error) func() error { return f }`, Running{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := graphOf(t, `func f() { run(func() error { return nil }) }; `+test.run)
			got, ok := g.RunsArg(callTo(t, g.Pkg.Func("f"), "run").Common(), 0)
			if got != test.want || ok != test.ok {
				t.Errorf("%s\ngot %+v, %v, want %+v, %v", test.run, got, ok, test.want, test.ok)
			}
		})
	}
}

func TestReturned(t *testing.T) {
	for _, test := range []struct {
		name, src string
		want      bool
	}{
		{"literal", `func f() int { g := func() int { return value() }; return g() }`, true},
		{"literal that is called twice", `func f() int { g := func() int { return value() }; g(); return g() }`, false},
		{"literal that returns at two places", `func f() int { g := func() int { if value() > 0 { return 1 }; return value() }; return g() }`, false},
		{"literal that another function runs", `func run[T any](g func() T) T { return g() }; func f() int { return run(func() int { return value() }) }`, true},
		{"one of several literals that another function runs", `func run[T any](g func() T) T { return g() }; func f() int { return run(func() int { return value() }) }; func h() bool { return run(func() bool { return true }) }`, true},
		{"literal that another function runs for two", `func run(g func() int) int { return g() }; func f() int { g := func() int { return value() }; run(g); return run(g) }`, false},
		{"literal that another function keeps", `var kept func() int; func run(g func() int) int { kept = g; return g() }; func f() int { return run(func() int { return value() }) }`, false},
		{"argument", `func same[T any](x T) T { return x }; func f() int { return same(value()) }`, true},
		{"argument and an error", `func same(x int) (int, error) { return x, nil }; func f() int { x, _ := same(value()); return x }`, true},
		{"argument or something else", `func same(x int) int { if x > 0 { return 0 }; return x }; func f() int { return same(value()) }`, false},
		{"result of a function", `func g() int { return value() }; func f() int { return g() }`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := graphOf(t, `func value() int { return 1 }; `+test.src)
			f := g.Pkg.Func("f")
			ret := onlyReturn(f)
			if ret == nil {
				t.Fatal("f does not return")
			}
			if got := g.Returned(ret.Results[0]) != nil; got != test.want {
				t.Errorf("%s\nis known: %v, want %v", test.src, got, test.want)
			}
		})
	}
}
