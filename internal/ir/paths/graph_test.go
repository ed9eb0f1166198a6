package paths_test

import (
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// order returns the calls on the graph's only path, or on the first that a
// search finds.
func order(g *paths.Graph) string {
	path, _ := g.Search(nil, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if g.IsExit(n) {
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	return trace(path)
}

func TestOrder(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"straight", `func f() { a(); b(); save() }`, "a b save"},
		{"deferred, last first", `func f() { defer a(); defer b(); save() }`, "save b a"},
		{"deferred closure", `func f() { defer func() { a(); b() }(); save() }`, "save a b"},
		{"arguments before the call", `func f() error { a(); return func(error) error { b(); return nil }(save()) }`, "a save b"},
		{"closure where it is called", `func f() { g := func() { b() }; a(); g(); save() }`, "a b save"},
		{"called twice", `func f() { g := func() { b() }; g(); a(); g() }`, "b a b"},
		{"defers of a closure run at its end", `func f() { func() { defer a(); b() }(); save() }`, "b a save"},
		{"not where it is made", `func f() { g := func() { b() }; _ = g; a() }`, "a"},
		{"not in the goroutine", `func f() { go func() { b() }(); a() }`, "a"},
		{"run by another function", `func run(g func()) { g() }; func f() { run(func() { b() }); a() }`, "b a"},
		{"run by another function of another", `func run(g func()) { again(g) }; func again(g func()) { g() }; func f() { run(func() { b() }); a() }`, "b a"},
		{"kept by another function", `var kept func(); func keep(g func()) { kept = g }; func f() { keep(func() { b() }); a() }`, "a"},
		{"started by another function", `func start(g func()) { go g() }; func f() { start(func() { b() }); a() }`, "a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := order(graphOf(t, test.src)); got != test.want {
				t.Errorf("%s\nruns %q, want %q", test.src, got, test.want)
			}
		})
	}
}

func TestAt(t *testing.T) {
	g := graphOf(t, `func f() { g := func() { b() }; g(); if cond() { a(); g() } }`)
	count := func(name string) int {
		n := 0
		for _, fn := range append([]*ssa.Function{g.Fn}, g.Fn.AnonFuncs...) {
			for instr := range blocks.Instrs(fn) {
				if call, ok := instr.(*ssa.Call); ok && call.Call.StaticCallee() != nil && call.Call.StaticCallee().Name() == name {
					n += len(g.At(instr))
				}
			}
		}
		return n
	}
	if once, twice := count("a"), count("b"); once != 1 || twice != 2 {
		t.Errorf("a has %d nodes and b %d, want 1 and 2", once, twice)
	}
	for _, n := range g.Nodes {
		if hasCall(n, "b") && (n.Frame.Parent == nil || n.Frame.Call == nil || n.Frame.Parent.Fn != g.Fn) {
			t.Errorf("the literal's frame is %+v", n.Frame)
		}
	}
}

// Literals that call themselves, or nest deeply, end somewhere.
func TestGraphIsBounded(t *testing.T) {
	recursive := `func f() { var g func(int); g = func(n int) { a(); if n > 0 { g(n - 1) } }; g(3) }`
	if got := order(graphOf(t, recursive)); !strings.HasPrefix(got, "a") {
		t.Errorf("a recursive literal runs %q", got)
	}
	nested := "func f() { " + strings.Repeat("func() { a(); ", 30) + strings.Repeat("}()\n", 30) + "}"
	if n := len(graphOf(t, nested).Nodes); n == 0 || n > 1000 {
		t.Errorf("%d nodes for nested literals", n)
	}
	wide := "func f() { g := func() { a() }; h := func() { " + strings.Repeat("g();", 40) + " }\n" + strings.Repeat("h();", 40) + "}"
	if n := len(graphOf(t, wide).Nodes); n > 200_000 {
		t.Errorf("%d nodes for literals called often", n)
	}
}

// Every function has a graph that a search can walk, whatever it consists of.
func TestOddFunctions(t *testing.T) {
	for _, src := range []string{
		`func f() {}`,
		`func f() { select {} }`,
		`func f() { for {} }`,
		`func f() { panic(1) }`,
		`func f() { defer panic(1) }`,
		`func f() { defer recover() }`,
		`func f() { var g func(); g() }`,
		`func f() { var g func(); defer g() }`,
		`func f() { defer func() { defer func() { a() }() }() }`,
		`func f() (n int) { defer func() { n++ }(); return n }`,
		`func f[T any](x T) T { func() { _ = x }(); return x }`,
		`func f(c chan int) { select { case <-c: a(); case c <- 1: b(); default: } }`,
		`func f(seq func(func(int) bool)) { for x := range seq { if x > 1 { return }; a() } }`,
		`func f(m map[string]int) { for k := range m { delete(m, k); if len(m) == 0 { goto end } }; end: }`,
	} {
		g := graphOf(t, src)
		g.Search(nil, 0, nil, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			if v, ok := n.Instr.(ssa.Value); ok {
				known.Of(v)
			}
			if g.IsExit(n) {
				g.Outcome(n, known)
			}
			paths.Results(n, isBool)
			return stage, paths.Continue
		})
	}
}

func isBool(t types.Type) bool { return types.Identical(t, types.Typ[types.Bool]) }

// A function of two results: those of a type can be asked for.
func TestResults(t *testing.T) {
	g := graphOf(t, `func two() (bool, error) { return false, nil }; func f() { ok, err := two(); _ = ok; _ = err; cond(); fail(); a() }`)
	got := make(map[string]int)
	for _, n := range g.Nodes {
		if call, ok := n.Instr.(*ssa.Call); ok {
			got[call.Call.StaticCallee().Name()] = len(paths.Results(n, isBool))
		}
	}
	for name, want := range map[string]int{"two": 1, "cond": 1, "fail": 0, "a": 0} {
		if got[name] != want {
			t.Errorf("%s has %d results that are bool, want %d", name, got[name], want)
		}
	}
}

func TestGraphOfMethod(t *testing.T) {
	calls := passtest.Source[*calls.Graph](t, calls.Analyzer, functions+`
type T struct{ hook func() }
func (x *T) set() { x.hook = func() { b() } }
func (x *T) run() { a(); x.hook(); save() }`)
	for _, fn := range calls.Funcs {
		if fn.Name() == "run" {
			if got := order(paths.NewGraph(fn, calls, nil)); got != "a b save" {
				t.Errorf("a literal stored once in a field: %q", got)
			}
		}
	}
}

// What a user's own helper runs, the rule's other passes tell.
func TestGraphOfHelpers(t *testing.T) {
	calls := passtest.Source[*calls.Graph](t, calls.Analyzer, functions+`
func run(g func()) { a(); g() }
func keep(g func()) { go g() }
func f() { run(func() { b() }); keep(func() { set() }); save() }
func h() { run(func() { b() }) }`)
	runs := func(callee *types.Func, index int) bool { return callee.Name() == "run" && index == 0 }
	if got := order(paths.NewGraph(calls.Pkg.Func("f"), calls, runs)); got != "b save" {
		t.Errorf("runs %q", got)
	}
	if got := order(paths.NewGraph(calls.Pkg.Func("run"), calls, runs)); got != "a" {
		t.Errorf("the helper itself runs %q: what callers hand in is theirs", got)
	}
}
