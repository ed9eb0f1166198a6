package calls_test

import (
	"go/types"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/testing/passtest"
)

func TestDeclaredIn(t *testing.T) {
	graph := passtest.Source[*calls.Graph](t, calls.Analyzer, `
type box[E any] struct{ e E }
type outer struct{ box[int]; n int }
type alias = outer
func f(o *outer) { o.n = 1 }
func g(b *box[string]) { b.e = "" }
`)
	for fn, want := range map[string]string{"f": "outer", "g": "box"} {
		for addr := range blocks.InstrsOf[*ssa.FieldAddr](graph.Pkg.Func(fn)) {
			owner := calls.DeclaredIn(graph.Pkg.Pkg, calls.FieldAt(addr).Origin())
			if owner == nil || owner.Obj().Name() != want {
				t.Errorf("%s: got %v", fn, owner)
			}
		}
	}
	if owner := calls.DeclaredIn(graph.Pkg.Pkg, types.NewField(0, graph.Pkg.Pkg, "x", types.Typ[types.Int], false)); owner != nil {
		t.Errorf("a field of nobody's is declared in %v", owner)
	}
}

func TestSameRead(t *testing.T) {
	const decls = `
type T struct{ a, b int; p *T }
func use(x, y int) {}
`
	for _, test := range []struct {
		name, src string
		want      bool
	}{
		{"one field", `func f(t *T) { use(t.a, t.a) }`, true},
		{"another field", `func f(t *T) { use(t.a, t.b) }`, false},
		{"of another one", `func f(t, u *T) { use(t.a, u.a) }`, false},
		{"one variable", `var n int; func f() { use(n, n) }`, true},
		{"no reads", `func f(n int) { use(n, n+1) }`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			graph := passtest.Source[*calls.Graph](t, calls.Analyzer, decls+test.src)
			for call := range blocks.InstrsOf[*ssa.Call](graph.Pkg.Func("f")) {
				if got := calls.SameRead(call.Call.Args[0], call.Call.Args[1]); got != test.want {
					t.Errorf("got %v", got)
				}
			}
		})
	}
}

func TestInGoroutine(t *testing.T) {
	graph := passtest.Source[*calls.Graph](t, calls.Analyzer, `
func f() { go started(); called(); go func() { inner() }() }
func started() {}
func called() {}
func inner() {}
`)
	for name, want := range map[string]bool{"started": true, "called": false, "inner": false, "f": false} {
		if got := graph.InGoroutine(graph.Pkg.Func(name)); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
	if literal := graph.Pkg.Func("f").AnonFuncs[0]; !graph.InGoroutine(literal) {
		t.Error("a literal that is started is in a goroutine")
	}
}
