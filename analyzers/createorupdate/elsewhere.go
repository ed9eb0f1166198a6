package createorupdate

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

type upserting = facts.Table[Upserts, *Upserts]

// upserts tells of such functions of other packages.
var upserts = &analysis.Analyzer{
	Name:       "opvetupserts",
	Doc:        "tell which functions create or update what they are handed",
	Requires:   []*analysis.Analyzer{objects.Analyzer},
	Run:        findUpserts,
	ResultType: reflect.TypeFor[*upserting](),
	FactTypes:  []analysis.Fact{new(Upserts)},
}

func findUpserts(pass *analysis.Pass) (any, error) {
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
			if upsert != nil || !mutates(sums, op) {
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
	inside, sure := setInside(sums, unit, upsert, o)
	if !sure {
		return nil
	}
	u := &Upserts{Param: 1 + slices.Index(fn.Params, p), Name: kubeapi.Callee(upsert.Common()).Name()}
	for _, path := range inside {
		u.Sets = append(u.Sets, strings.Join(path, "."))
	}
	return u
}

// handedOn judges a call of such a function of another package.
func (c *checker) handedOn(u *objects.Unit, n *paths.Node, call *ssa.Call) {
	fact := c.upserts.Elsewhere(call)
	if fact == nil {
		return
	}
	// An interface's method is called on what is no parameter of it.
	operands := kubeapi.Operands(call.Common())
	if fact.Param > len(operands) {
		return
	}
	object := operands[fact.Param-1]
	var inside [][]string
	for _, path := range fact.Sets {
		inside = append(inside, paths.Split(path))
	}
	c.judge(u, n, call, upsert{object, kubeapi.KindOf(object.Type()), fact.Name}, inside)
}
