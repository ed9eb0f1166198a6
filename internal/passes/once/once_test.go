package once_test

import (
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/passes/once"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// guarded lists the functions that call make behind a question.
var guarded = &analysis.Analyzer{
	Name: "guarded", Doc: "test", Requires: []*analysis.Analyzer{calls.Analyzer}, ResultType: calls.Analyzer.ResultType,
	Run: func(pass *analysis.Pass) (any, error) { return pass.ResultOf[calls.Analyzer], nil },
}

func TestGuarded(t *testing.T) {
	graph := passtest.Source[*calls.Graph](t, guarded, `
type thing struct{}
type keeper struct {
	thing *thing
	ready bool
	byName map[string]*thing
}

func build() *thing { return &thing{} }

func ifNil(k *keeper)               { if k.thing == nil { k.thing = build() } }
func early(k *keeper) *thing        { if k.thing != nil { return k.thing }; return build() }
func flag(k *keeper)                { if !k.ready { build() } }
func missing(k *keeper, n string)   { if _, ok := k.byName[n]; !ok { build() } }
func afterwards(k *keeper)          { if !k.ready { k.ready = true }; build() }
func local(b bool)                  { if b { build() } }
func failed(err error)              { if err != nil { build() } }
func current(k *keeper, n string, v *thing) error {
	if t, ok := k.byName[n]; ok {
		if t == v { return nil }
		delete(k.byName, n)
	}
	build()
	return nil
}
func next(k *keeper, names []string, v *thing) {
	for _, n := range names {
		if t, ok := k.byName[n]; ok && t == v { continue }
		build()
	}
}
func refused(k *keeper, n string, err error) error {
	if t, ok := k.byName[n]; ok {
		if t == nil { return err }
	}
	build()
	return nil
}
func noted(k *keeper, n string) { if _, ok := k.byName[n]; ok { println(n) }; build() }
func own()                          { k := keeper{}; if !k.ready { build() } }
`)
	var got []string
	for _, fn := range graph.Funcs {
		for instr := range blocks.Instrs(fn) {
			if call, ok := instr.(*ssa.Call); ok && call.Call.StaticCallee() != nil && once.Guarded(call) {
				got = append(got, fn.Name())
			}
		}
	}
	if want := []string{"ifNil", "early", "flag", "missing", "current", "next"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
