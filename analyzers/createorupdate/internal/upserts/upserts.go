// Package upserts tells which functions hand what they are given to CreateOrUpdate, and what
// is set in the function that such a call gets.
package upserts

import (
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Upserts is a fact about a function that hands one of its parameters to CreateOrUpdate or
// CreateOrPatch, come what may, and does nothing else with it.
type Upserts struct {
	Param int    // the number of it, from 1
	Name  string // of what is called
	// Sets are the fields that are set in the function that is handed over, with dots.
	Sets []string
}

// AFact marks a fact on a function.
func (*Upserts) AFact() {}

// IsZero reports whether there is nothing to tell.
func (u *Upserts) IsZero() bool { return u.Param == 0 }

// Table has what is known of functions.
type Table = facts.Table[Upserts, *Upserts]

// Analyzer tells of such functions of other packages; its result is a *[Table].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetupserts",
	Doc:        "tell which functions create or update what they are handed",
	Requires:   []*analysis.Analyzer{objects.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Table](),
	FactTypes:  []analysis.Fact{new(Upserts)},
}

func run(pass *analysis.Pass) (any, error) {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	table := facts.New[Upserts, *Upserts](pass, sums.Calls)
	if sums.Calls.Pkg == nil {
		return table, nil
	}
	for _, fn := range sums.Calls.Funcs {
		if obj, ok := fn.Object().(*types.Func); ok && obj.Exported() {
			if u := upsertOf(sums, fn); u != nil {
				*table.Note(fn) = *u
			}
		}
	}
	table.Export()
	return table, nil
}

// upsertOf returns what a function creates or updates of what it is handed, or nil. One
// that makes something random, or knows whether the object is there, is left alone.
func upsertOf(sums *objects.Summaries, fn *ssa.Function) *Upserts {
	var upsert *ssa.Call
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if kubeapi.MakesSecret(kubeapi.Callee(call.Common())) {
			return nil
		}
		if op, ok := kubeapi.ClientOp(call.Common()); ok && op.Mutate != nil {
			if upsert != nil || !Mutates(sums, fn, op) {
				return nil
			}
			upsert = call
		}
	}
	if upsert == nil || len(maps.Collect(blocks.Decided(upsert.Block()))) > 0 {
		return nil
	}
	op, _ := kubeapi.ClientOp(upsert.Common())
	o := sums.Resolve.Place(op.Object).Object
	p, ok := o.Root.(*ssa.Parameter)
	if !ok || o.Path != "" || p.Parent() != fn || kubeapi.KindOf(p.Type()) == nil {
		return nil
	}
	unit := sums.Unit(fn)
	if slices.ContainsFunc(unit.Sites, func(site objects.Site) bool {
		// A parameter that the literal captures is a variable, into which it is stored.
		store, ok := site.Node.Instr.(*ssa.Store)
		return site.Node.Call() != ssa.CallInstruction(upsert) && !within(site.Node, upsert) && !(ok && store.Val == ssa.Value(p)) && sums.MayBe(site.Place.Object, o)
	}) {
		return nil
	}
	inside, sure := SetInside(sums, unit, upsert, o)
	if !sure {
		return nil
	}
	u := &Upserts{Param: 1 + slices.Index(fn.Params, p), Name: kubeapi.Callee(upsert.Common()).Name()}
	for _, path := range inside {
		u.Sets = append(u.Sets, strings.Join(path, "."))
	}
	return u
}

// Mutates reports whether it is known what a call of fn is handed to change the object with. What a
// helper makes, to which the object is handed, knows it by another name, and so does a literal of the caller's
// that it calls.
func Mutates(sums *objects.Summaries, fn *ssa.Function, op kubeapi.Op) bool {
	literal, around := paths.Literal(sums.Calls, op.Mutate), paths.Outermost(fn)
	if literal == nil {
		return calls.IsNil(op.Mutate)
	}
	return blocks.Within(literal, around) && !blocks.Any(literal, func(call ssa.CallInstruction) bool {
		return slices.ContainsFunc(sums.Calls.Callees(call).Funcs, func(target *ssa.Function) bool {
			return target.Parent() != nil && !blocks.Within(target, around)
		})
	})
}

// SetInside returns the fields that the function sets; sure is false if it may set
// others, too.
func SetInside(sums *objects.Summaries, u *objects.Unit, call *ssa.Call, o paths.Object) (set [][]string, sure bool) {
	for _, site := range u.Sites {
		if !within(site.Node, call) || !sums.MayBe(site.Place.Object, o) {
			continue
		}
		switch site.Kind {
		case objects.Mutated:
			if len(site.Place.Sub) == 0 {
				return nil, false
			}
			set = append(set, site.Place.Sub)
		case objects.Touched, objects.HandedOff, objects.Refreshed, objects.Reassigned:
			return nil, false
		}
	}
	return set, true
}

// within reports whether a node belongs to a function that a call runs.
func within(n *paths.Node, call *ssa.Call) bool {
	for frame := n.Frame; frame != nil; frame = frame.Parent {
		if frame.Call == ssa.CallInstruction(call) {
			return true
		}
	}
	return false
}
