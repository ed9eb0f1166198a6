// Package facts keeps what a pass knows of functions: of those of the package
// under analysis by computing it, callees before callers, and of those of other
// packages by the facts that the pass exported there.
//
// A pass gives the transfer function, which says what is known of one function
// as far as all others are known, and asks the table about calls. Rounds until
// nothing changes, methods of interfaces that types of their package implement
// alike, imports and exports are the table's.
package facts

import (
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// A Fact is what is known of a function: a pointer to an F. IsZero reports
// whether that is nothing, so that it needs not be kept.
type Fact[F any] interface {
	*F
	analysis.Fact
	IsZero() bool
}

// A Table has the facts of type F on functions.
type Table[F any, P Fact[F]] struct {
	pass     *analysis.Pass
	graph    *calls.Graph
	local    map[*ssa.Function]P
	imported *Imported[F, P]

	// While the table is filled, left has the functions that are yet to be computed in
	// this round, and early tells that one of them was asked about.
	left  map[*ssa.Function]bool
	early bool
}

// New returns a table that has the facts of other packages.
func New[F any, P Fact[F]](pass *analysis.Pass, graph *calls.Graph) *Table[F, P] {
	return &Table[F, P]{pass: pass, graph: graph, local: make(map[*ssa.Function]P), imported: NewImported[F, P](pass)}
}

// Fill computes the facts of the package's functions, literals included, callees
// first, until nothing changes or the rounds are used up. The transfer function may
// ask the table; what it is asked about may be known in part.
func (t *Table[F, P]) Fill(rounds int, transfer func(fn *ssa.Function) P) {
	order := t.graph.BottomUp()
	defer func() { t.left = nil }()
	for round := range rounds {
		changed := false
		if t.early = false; round < rounds-1 {
			t.left = make(map[*ssa.Function]bool, len(order))
			for _, fn := range order {
				t.left[fn] = true
			}
		}
		for _, fn := range order {
			fact := transfer(fn)
			delete(t.left, fn)
			if !t.same(t.local[fn], fact) {
				t.local[fn] = fact
				changed = true
			}
		}
		if !changed || !t.early {
			return // each was computed from what is known now
		}
	}
}

func (t *Table[F, P]) same(a, b P) bool {
	if isNone[F](a) || isNone[F](b) {
		return isNone[F](a) == isNone[F](b)
	}
	return reflect.DeepEqual(a, b)
}

func isNone[F any, P Fact[F]](fact P) bool { return fact == nil || fact.IsZero() }

// Note returns the fact on a function of the package for the pass to add to.
func (t *Table[F, P]) Note(fn *ssa.Function) P {
	if t.local[fn] == nil {
		t.local[fn] = new(F)
	}
	return t.local[fn]
}

// Of returns what is known of a function of the package, or nil.
func (t *Table[F, P]) Of(fn *ssa.Function) P {
	if t.left[fn] {
		t.early = true
	}
	if fact := t.local[fn]; !isNone[F](fact) {
		return fact
	}
	return nil
}

// OfObject returns what is known of a function or method of the user's modules,
// or nil. Instances of generic functions are taken for their origin.
func (t *Table[F, P]) OfObject(fn *types.Func) P {
	if fn == nil || fn.Pkg() == nil {
		return nil
	}
	fn = fn.Origin()
	if fn.Pkg() == t.pass.Pkg {
		if t.graph.Pkg == nil {
			return nil
		}
		if local := t.graph.Pkg.Prog.FuncValue(fn); local != nil {
			return t.Of(local)
		}
		return nil
	}
	return t.imported.Of(fn)
}

// Elsewhere returns what is known of the function of another package that a
// call runs, or nil.
func (t *Table[F, P]) Elsewhere(call ssa.CallInstruction) P {
	if callee := kubeapi.Callee(call.Common()); callee != nil && callee.Pkg() != t.pass.Pkg {
		return t.OfObject(callee)
	}
	return nil
}

// At returns what is known of the functions that a call may run.
func (t *Table[F, P]) At(call ssa.CallInstruction) []P {
	targets := t.graph.Callees(call).Funcs
	if len(targets) == 0 {
		if fact := t.Elsewhere(call); fact != nil {
			return []P{fact}
		}
		return nil
	}
	var found []P
	for _, fn := range targets {
		if fact := t.Of(fn); fact != nil {
			found = append(found, fact)
		}
	}
	return found
}

// Export tells the packages that import this one what is known of the functions
// that these can call, and of the methods of the package's interfaces that types
// implement here which agree.
func (t *Table[F, P]) Export() {
	if t.graph.Pkg == nil {
		return
	}
	for _, fn := range t.graph.Funcs {
		obj, ok := fn.Object().(*types.Func)
		if fact := t.Of(fn); ok && fact != nil && obj.Exported() && obj.Pkg() == t.pass.Pkg {
			t.pass.ExportObjectFact(obj, fact)
		}
	}
	t.graph.ExportInterfaces(t.pass)
}
