package values_test

import (
	"fmt"
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

const used = `
type thing interface{ stop() }
type holder struct{ t thing; inner struct{ name string } }

func makes() thing
func elsewhere(thing)
func pair() (thing, error)

func compared()            { t := makes(); _ = t == nil }
func called()              { makes().stop() }
func kept(h *holder)       { t := makes(); h.t = t }
func captured()            { t := makes(); func() { t.stop() }(); t = nil }
func pointed(f func(*thing)) { t := makes(); f(&t); t.stop() }
func handed()              { helper(makes()) }
func helper(t thing)       { t.stop() }
func out()                 { elsewhere(makes()) }
func back() thing          { return makes() }
func ofPair()              { t, err := pair(); if err != nil { return }; t.stop() }

func named(h *holder) string { return h.inner.name }
func twice(h *holder) bool   { return h.inner.name == h.inner.name }
func differ(h, g *holder) bool { return h.inner.name == g.inner.name }
func not(b bool) bool        { return !!!b }
`

func graphOf(t *testing.T, source string) map[string]*ssa.Function {
	graph := passtest.Source[*calls.Graph](t, &analysis.Analyzer{
		Name: "t", Doc: "t", Requires: []*analysis.Analyzer{calls.Analyzer}, ResultType: calls.Analyzer.ResultType,
		Run: func(pass *analysis.Pass) (any, error) { return pass.ResultOf[calls.Analyzer], nil },
	}, source)
	usedGraph = graph
	found := make(map[string]*ssa.Function)
	for _, fn := range graph.Funcs {
		found[fn.Name()] = fn
	}
	return found
}

// usedGraph is that of the last source.
var usedGraph *calls.Graph

func TestUses(t *testing.T) {
	funcs := graphOf(t, used)
	for _, test := range []struct {
		fn    string
		steps values.Step
		want  string
	}{
		{"compared", values.Local, "BinOp"},
		{"called", values.Local, "Call"},
		{"kept", values.Local, "Store"},
		{"captured", values.Local, "Call"},
		{"captured", values.Converted, "Store"},
		{"pointed", values.Local, "Call Store"},
		{"handed", values.Local, "Call"},
		{"handed", values.Local | values.Given, "Call"},
		{"out", values.Local | values.Given, "Call"},
		{"back", values.Local, "Return"},
		{"back", values.Package, "Return"},
		{"ofPair", values.Package, "Extract Extract"},
	} {
		made := slices.Collect(callsIn(funcs[test.fn]))[0]
		var kinds []string
		for _, use := range (values.Relation{Calls: usedGraph, Steps: test.steps}).Uses(made) {
			kinds = append(kinds, strings.TrimPrefix(fmt.Sprintf("%T", use), "*ssa."))
		}
		slices.Sort(kinds)
		if got := strings.Join(kinds, " "); got != test.want {
			t.Errorf("%s by %b: got %q, want %q", test.fn, test.steps, got, test.want)
		}
	}
	of := values.Relation{Calls: usedGraph, Steps: values.Local | values.Given}
	if names := of.Names(slices.Collect(callsIn(funcs["handed"]))[0]); !names[funcs["helper"].Params[0]] {
		t.Error("helper's parameter is no name of what it gets")
	}
}

func callsIn(fn *ssa.Function) func(func(ssa.Value) bool) {
	return func(yield func(ssa.Value) bool) {
		for instr := range blocks.Instrs(fn) {
			if call, ok := instr.(*ssa.Call); ok && !yield(call) {
				return
			}
		}
	}
}

func returned(fn *ssa.Function) ssa.Value {
	for ret := range blocks.Returns(fn) {
		return ret.Results[0]
	}
	return nil
}

func TestWritten(t *testing.T) {
	funcs := graphOf(t, used)
	if got := values.Written(returned(funcs["named"])); got != "h.inner.name" {
		t.Errorf("got %q", got)
	}
	if got := values.Written(returned(funcs["twice"])); got != "" {
		t.Errorf("a comparison is written as %q", got)
	}
}

func TestEqual(t *testing.T) {
	funcs := graphOf(t, used)
	for name, want := range map[string]bool{"twice": true, "differ": false} {
		compare := returned(funcs[name]).(*ssa.BinOp)
		if got := values.Equal(compare.X, compare.Y, nil); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
	compare := returned(funcs["twice"]).(*ssa.BinOp)
	if values.Equal(compare.X, compare.Y, func(ssa.Value) bool { return false }) {
		t.Error("what does not stay is equal")
	}
}

func TestAsked(t *testing.T) {
	fn := graphOf(t, used)["not"]
	if question, answer := values.Asked(returned(fn), true); question != fn.Params[0] || answer {
		t.Errorf("got %v, %v", question, answer)
	}
}
