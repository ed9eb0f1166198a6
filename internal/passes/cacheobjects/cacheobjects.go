// Package cacheobjects follows the objects of an informer's cache: which values are,
// or lead to, memory that a cache shares with all who read from it, and which
// instructions and functions write to such memory.
//
// A value's relation to the cache is the path that leads from it to shared
// memory. What a lister's Get returns is shared itself, and so is all that is
// reached from there; the slice that List returns is the caller's own, its
// elements are shared; a struct that was copied by value is the caller's own,
// what its pointers, maps and slices refer to is shared. So writing to a field of
// `y := *x` is right, and writing to an entry of y.Labels is not.
//
// Functions are summarised bottom-up over the call graph, and across packages
// as facts, so that wrappers and helpers in any package of the user's modules
// count. What a merge of variables leaves open is decided by a search along the
// paths of the function; see trace.go.
//
// It reports nothing. Analyzers ask [Objects.Of] where a value comes from,
// [Objects.Writes] what writes to cached objects, and [Objects.Store] whose store
// something is.
package cacheobjects

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Analyzer follows the objects of caches; its result is an *[Objects].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetcacheobjects",
	Doc:        "follow objects that belong to an informer's cache",
	Requires:   []*analysis.Analyzer{calls.Analyzer, entrypoints.Analyzer, objects.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Objects](),
	FactTypes:  []analysis.Fact{new(Summary)},
}

// Objects is what the pass knows of one package.
type Objects struct {
	Calls   *calls.Graph
	Entries *entrypoints.Result

	pass      *analysis.Pass
	sums      *objects.Summaries
	imported  *facts.Imported[Summary, *Summary]
	local     map[*ssa.Function]*Summary
	units     map[*ssa.Function]*unit           // by the declared function
	order     []*ssa.Function                   // the declared functions, callees first
	users     map[*ssa.Function][]*ssa.Function // the declared functions that asked for a summary
	reflected map[*types.Var]bool               // fields whose stores are handed to a reflector
}

// Origin is where a value comes from.
type Origin struct {
	Source kubeapi.CacheSource
	// What names where the object came from as the code has it:
	// "c.podLister.Get", "the argument obj of AddFunc".
	What string
	// Through is the wrapper's inside: what the called function got the object
	// from, or empty; ThroughPlace is where.
	Through, ThroughPlace string
	// Value is the value by which the object came into the function: the call,
	// or the parameter.
	Value ssa.Value
	Pos   token.Pos
	// Depth is how many references lie between the value and shared memory: 0
	// for the object itself and what is reached from it, 1 for a slice made by
	// List or a copy by value.
	Depth int
	// Doubtful tells that the object may well be a copy.
	Doubtful bool
	// Deleted tells that the object has left the cache: a delete handler was
	// handed it.
	Deleted bool
	// Replaced tells that the object has made room for a newer one: an update
	// handler was handed it as the old one.
	Replaced bool
	// Merged tells that the value may be another one, too: it went through a
	// merge of paths or a variable.
	Merged bool
	// Shallow tells that a copy by value lies between.
	Shallow bool
}

func run(pass *analysis.Pass) (any, error) {
	o := &Objects{
		Calls:    pass.ResultOf[calls.Analyzer].(*calls.Graph),
		Entries:  pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
		pass:     pass,
		sums:     pass.ResultOf[objects.Analyzer].(*objects.Summaries),
		imported: facts.NewImported[Summary](pass),
		local:    make(map[*ssa.Function]*Summary),
		units:    make(map[*ssa.Function]*unit),
		users:    make(map[*ssa.Function][]*ssa.Function),
	}
	if o.Calls.Pkg == nil {
		return o, nil
	}
	o.findReflected()
	o.compute()
	o.export()
	return o, nil
}

// compute follows the values of all functions, bottom-up; those whose callees
// change later, through recursion, once more.
func (o *Objects) compute() {
	position := make(map[*ssa.Function]int)
	for _, fn := range o.Calls.BottomUp() {
		outer := paths.Outermost(fn)
		if _, known := position[outer]; known {
			continue
		}
		position[outer] = len(o.order)
		o.order = append(o.order, outer)
	}
	dirty := make([]bool, len(o.order))
	for i := range dirty {
		dirty[i] = true
	}
	for range maxRounds {
		again := false
		for i, fn := range o.order {
			if !dirty[i] {
				continue
			}
			dirty[i] = false
			u := o.newUnit(fn)
			u.solve()
			o.units[fn] = u
			for _, of := range u.fns {
				sum := u.summarise(of)
				old := o.local[of]
				o.local[of] = sum
				if old != nil && reflect.DeepEqual(old, sum) || old == nil && sum.isZero() {
					continue
				}
				for _, user := range o.users[of] {
					if at, ok := position[user]; ok && at <= i && user != fn {
						dirty[at] = true
						again = true
					}
				}
			}
		}
		if !again {
			break
		}
	}
}

// maxRounds bounds the fixed point of mutually recursive functions.
const maxRounds = 4

func (o *Objects) export() {
	for fn, sum := range o.local {
		if obj, ok := fn.Object().(*types.Func); ok && !sum.isZero() && obj.Exported() {
			o.pass.ExportObjectFact(obj, sum)
		}
	}
	o.Calls.ExportInterfaces(o.pass)
}

// of returns the summary of a function of the user's modules, or nil.
func (o *Objects) of(fn *types.Func) *Summary {
	fn = fn.Origin()
	if fn.Pkg() == o.Calls.Pkg.Pkg {
		if target := o.Calls.Pkg.Prog.FuncValue(fn); target != nil {
			return o.local[target]
		}
		return nil
	}
	return o.imported.Of(fn)
}

// Of returns where a value comes from, if it is an object of a cache or leads
// to one; the nearest first.
func (o *Objects) Of(v ssa.Value) []Origin {
	fn := v.Parent()
	if fn == nil {
		return nil
	}
	u := o.units[paths.Outermost(fn)]
	if u == nil {
		return nil
	}
	var found []Origin
	for _, from := range u.get(v) {
		if from.src.kind == kubeapi.NoCacheSource {
			continue
		}
		found = append(found, from.public())
	}
	slices.SortStableFunc(found, func(a, b Origin) int { return a.Depth - b.Depth })
	return found
}
