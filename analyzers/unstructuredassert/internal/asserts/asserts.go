// Package asserts notes which functions assert fields of the content that they are
// given, each time that they are called and without a check.
package asserts

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Analyzer finds such functions; its result is a [*Table].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetasserts",
	Doc:        "note which functions assert fields of the content that they are given",
	Requires:   []*analysis.Analyzer{calls.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Table](),
	FactTypes:  []analysis.Fact{new(Asserts)},
}

// Table has what is known of functions.
type Table = facts.Table[Asserts, *Asserts]

// Asserts is the fact on a function: the assertions that it makes, and the fields that
// it may set.
type Asserts struct {
	List []Assert
	Sets []Set
}

// Set is a field that a function sets, in a map or an object that it is given.
type Set struct {
	Param int
	Keys  []string
}

// Assert is an assertion that a function makes wherever it is called from.
type Assert struct {
	Param int      // the map, the receiver counted
	Keys  []string // that lead to the field
	Want  string   // the name of the Nested function for its type, or ""
	Where string
}

// AFact marks a fact on a function.
func (*Asserts) AFact() {}

// IsZero reports whether there is nothing to say.
func (a *Asserts) IsZero() bool { return len(a.List)+len(a.Sets) == 0 }

func run(pass *analysis.Pass) (any, error) {
	graph := pass.ResultOf[calls.Analyzer].(*calls.Graph)
	table := facts.New[Asserts](pass, graph)
	if graph.Pkg == nil {
		return table, nil
	}
	table.Fill(1, func(fn *ssa.Function) *Asserts { return of(pass, fn) })
	table.Export()
	return table, nil
}

// of looks at what a function does first: before it could have checked anything.
func of(pass *analysis.Pass, fn *ssa.Function) *Asserts {
	if len(fn.Blocks) == 0 || fn.Parent() != nil {
		return nil
	}
	found := new(Asserts)
	for _, instr := range fn.Blocks[0].Instrs {
		assert, ok := instr.(*ssa.TypeAssert)
		if !ok || assert.CommaOk {
			continue
		}
		// With a whole object, the function is judged where it stands.
		if param, keys, ok := field(fn, assert.X); ok && isContent(fn.Params[param].Type()) {
			found.List = append(found.List, Assert{
				Param: param, Keys: keys, Want: kubeapi.NestedFuncFor(assert.AssertedType), Where: syntax.Place(pass.Fset, assert.Pos()),
			})
		}
	}
	for update := range blocks.InstrsOf[*ssa.MapUpdate](fn) {
		key, ok := kubeapi.ConstString(update.Key)
		if !ok {
			continue
		}
		if param, keys, ok := within(fn, update.Map); ok {
			found.Sets = append(found.Sets, Set{param, append(keys, key)})
		}
	}
	return found
}

// field tells which field of which parameter's content a value is.
func field(fn *ssa.Function, v ssa.Value) (param int, keys []string, ok bool) {
	lookup, ok := v.(*ssa.Lookup)
	if !ok || lookup.CommaOk {
		return 0, nil, false
	}
	key, ok := kubeapi.ConstString(lookup.Index)
	if !ok {
		return 0, nil, false
	}
	param, keys, ok = within(fn, lookup.X)
	return param, append(keys, key), ok
}

// within tells which map in which parameter's content a value is.
func within(fn *ssa.Function, v ssa.Value) (param int, keys []string, ok bool) {
	switch m := v.(type) {
	case *ssa.Parameter:
		return slices.Index(fn.Params, m), nil, isContent(m.Type())
	case *ssa.TypeAssert:
		param, keys, ok = field(fn, m.X)
		return param, keys, ok && !m.CommaOk
	case *ssa.UnOp:
		addr, isField := m.X.(*ssa.FieldAddr)
		if m.Op != token.MUL || !isField || !kubeapi.IsContentField(addr.X.Type(), calls.FieldAt(addr)) {
			return 0, nil, false
		}
		object, isParam := addr.X.(*ssa.Parameter)
		return slices.Index(fn.Params, object), nil, isParam
	}
	return 0, nil, false
}

// isContent reports whether a type is that of an object's content.
func isContent(t types.Type) bool {
	m, ok := t.Underlying().(*types.Map)
	if !ok || !types.Identical(m.Key(), types.Typ[types.String]) {
		return false
	}
	iface, ok := m.Elem().Underlying().(*types.Interface)
	return ok && iface.Empty()
}
