package facts

import (
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
)

// Pass returns a pass whose result is a table: the transfer function fills it, callees
// first, in so many rounds at most, and the packages that import this one have it, too.
func Pass[F any, P Fact[F]](name, doc string, rounds int, transfer func(t *Table[F, P], fn *ssa.Function) P) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: name, Doc: doc, Requires: []*analysis.Analyzer{calls.Analyzer},
		FactTypes: []analysis.Fact{P(new(F))}, ResultType: reflect.TypeFor[*Table[F, P]](),
		Run: func(pass *analysis.Pass) (any, error) {
			t := New[F, P](pass, pass.ResultOf[calls.Analyzer].(*calls.Graph))
			if t.graph.Pkg != nil {
				t.Fill(rounds, func(fn *ssa.Function) P { return transfer(t, fn) })
				t.Export()
			}
			return t, nil
		},
	}
}
