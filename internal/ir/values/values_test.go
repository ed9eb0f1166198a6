package values_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/testing/passtest"
)

const source = `
type box struct{ n int }

func given() int       { return 1 }
func other() int       { return 2 }
func unknown() int

func merged(b bool) (r int) { if b { return given() }; return other() }
func captured(b bool) int { n := given(); f := func() { n = other() }; if b { f() }; return n }
func inside() (r func() int) { n := given(); return func() int { return n } }
func boxed(v any) int { return v.(int) }
func checked(v any) int { n, _ := v.(int); return n }
func field(b box) int { return b.n }
func sum(a, b int) int { return a + b }
func handed(n int) int { return n }
func hands() int { return handed(unknown()) }
func loop(n int) int { for n < 10 { n = handed(n) }; return n }
func entry(m map[string]int) int { return m["a"] }
func received(c chan int) int { return <-c }
`

// name tells a value in a test.
func name(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Call:
		if fn := v.Call.StaticCallee(); fn != nil {
			return fn.Name() + "()"
		}
	case *ssa.Const:
		return v.Value.String()
	case *ssa.UnOp:
		return "load"
	case *ssa.BinOp:
		return v.Op.String()
	}
	return v.Name()
}

func ends(r values.Relation, fn *ssa.Function) string {
	found := make(map[string]bool)
	for ret := range blocks.Returns(fn) {
		for v := range r.Ends(ret.Results[0]) {
			found[name(v)] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " ")
}

func TestEnds(t *testing.T) {
	graph := passtest.Source[*calls.Graph](t, &analysis.Analyzer{
		Name: "t", Doc: "t", Requires: []*analysis.Analyzer{calls.Analyzer}, ResultType: calls.Analyzer.ResultType,
		Run: func(pass *analysis.Pass) (any, error) { return pass.ResultOf[calls.Analyzer], nil },
	}, source)
	for _, test := range []struct {
		fn    string
		steps values.Step
		want  string
	}{
		{"merged", values.Local, "given() other()"},
		{"merged", values.Package, "1 2"},
		{"captured", values.Local, "given() other()"},
		{"inside$1", values.Local, "given()"},
		{"inside$1", values.Package, "1"},
		{"boxed", values.Local, "v"},
		{"checked", values.Local, "v"},
		{"field", values.Local, "load"},
		{"sum", values.Local, "+"},
		{"sum", values.Computed, "a b"},
		{"hands", values.Local, "handed()"},
		{"hands", values.Package, "n unknown()"},
		{"loop", values.Local, "handed() n"},
		{"entry", values.Taken, "m"},
		{"received", values.Taken, "c"},
	} {
		i := slices.IndexFunc(graph.Funcs, func(fn *ssa.Function) bool { return fn.Name() == test.fn })
		if i < 0 {
			t.Fatalf("no function %s", test.fn)
		}
		if got := ends(values.Relation{Calls: graph, Steps: test.steps}, graph.Funcs[i]); got != test.want {
			t.Errorf("%s by %b: got %q, want %q", test.fn, test.steps, got, test.want)
		}
	}
}

func TestAgree(t *testing.T) {
	graph := passtest.Source[*calls.Graph](t, &analysis.Analyzer{
		Name: "t", Doc: "t", Requires: []*analysis.Analyzer{calls.Analyzer}, ResultType: calls.Analyzer.ResultType,
		Run: func(pass *analysis.Pass) (any, error) { return pass.ResultOf[calls.Analyzer], nil },
	}, "func f(a, b int, c string) {}")
	params := graph.Funcs[0].Params
	kind := func(v ssa.Value) string { return v.Type().String() }
	if got, ok := values.Agree([]ssa.Value{params[0], params[1]}, kind); got != "int" || !ok {
		t.Errorf("two numbers: got %q, %v", got, ok)
	}
	if got, ok := values.Agree([]ssa.Value{params[0], params[2]}, kind); got != "" || ok {
		t.Errorf("a number and a string: got %q, %v", got, ok)
	}
	if _, ok := values.Agree(nil, kind); ok {
		t.Error("nothing agrees")
	}
}
