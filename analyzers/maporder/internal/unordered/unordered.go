// Package unordered finds what is put together in the order of a map, and follows
// it to where it ends, also from one package of the user's modules to the next.
package unordered

import (
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Analyzer has a *[Lists] as its result.
var Analyzer = &analysis.Analyzer{
	Name:       "opvetunordered",
	Doc:        "tell which lists and texts are in the order of a map",
	Requires:   []*analysis.Analyzer{objects.Analyzer, controllers.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Lists](),
	FactTypes:  []analysis.Fact{new(Returned), new(Compared)},
}

// Returned tells which results of a function are in the order of a map.
type Returned struct{ Results []Result }

// Result is one of them, or an object of which a part is.
type Result struct {
	Index  int
	Where  string // the map is gone through, as in jobs/env.go:12
	Object string // the field of the object, or empty
	// List names the list, if it is one of structs: see [listName].
	List string
	// Way are the fields that lead from the object to what is in a map's order.
	Way []string
}

// AFact marks a fact on a function.
func (*Returned) AFact() {}

// IsZero reports whether there is nothing to tell.
func (r *Returned) IsZero() bool { return len(r.Results) == 0 }

// Lists are those of a package, and texts and hashes.
type Lists struct {
	Sources []Source
	sums    *objects.Summaries
	graph   *calls.Graph
	known   lists
	table   *facts.Table[Returned, *Returned]
	flows   map[ssa.Value]*Flow
	fates   map[ssa.Value]outcome
	// owned are the kinds of which a controller hears all that it changes in objects that it owns.
	owned map[string]bool
}

func run(pass *analysis.Pass) (any, error) {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	graph := sums.Calls
	l := &Lists{
		sums: sums, graph: graph, table: facts.New[Returned, *Returned](pass, graph),
		flows: make(map[ssa.Value]*Flow), fates: make(map[ssa.Value]outcome), owned: make(map[string]bool),
	}
	if graph.Pkg == nil {
		return l, nil
	}
	l.known = comparedLists(pass, graph)
	for _, c := range pass.ResultOf[controllers.Analyzer].(*controllers.Result).Local {
		for _, kind := range c.HearsOwned() {
			l.owned[kind] = true
		}
	}
	for _, fn := range graph.Funcs {
		for _, s := range append(sourcesOf(graph, fn), l.fromElsewhere(fn)...) {
			l.Sources = append(l.Sources, s)
			if s.Hash {
				continue
			}
			where := s.Where
			if where == "" {
				where = syntax.Place(pass.Fset, s.Over.Pos())
			}
			l.note(l.Follow(s), where, listName(s.Value.Type()))
		}
	}
	l.table.Export()
	return l, nil
}

// note keeps which functions return what has not ended in the package, and objects that
// have it and that the package neither writes nor compares.
func (l *Lists) note(f *Flow, where, list string) {
	switch {
	case f.Sorted || f.Hash != nil:
	case len(f.Ends) == 0:
		for _, r := range f.returned {
			l.add(r, Result{Index: r.index, Where: where, List: list})
		}
	case !slices.ContainsFunc(f.Ends, l.Harms):
		for _, e := range f.Ends {
			fate := l.fateOf(e)
			for _, r := range fate.back {
				l.add(r, Result{r.index, where, e.Name, list, fate.way})
			}
		}
	}
}

func (l *Lists) add(r result, new Result) {
	fact := l.table.Note(r.fn)
	if !slices.ContainsFunc(fact.Results, func(known Result) bool { return known.Index == new.Index && (known.Object == "") == (new.Object == "") }) {
		fact.Results = append(fact.Results, new)
	}
}

// fromElsewhere returns what functions of other packages return.
func (l *Lists) fromElsewhere(fn *ssa.Function) []Source {
	var found []Source
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		fact := l.table.Elsewhere(call)
		if fact == nil {
			continue
		}
		for _, r := range fact.Results {
			if v := calls.ResultOf(call, r.Index); v != nil && !l.known[r.List] {
				found = append(found, Source{Value: v, Instr: call, Over: call, Where: r.Where, Object: r.Object, Way: r.Way})
			}
		}
	}
	return found
}

// Follow finds where something goes that is in the order of a map.
func (l *Lists) Follow(s Source) *Flow {
	if s.Object != "" {
		return &Flow{Ends: []End{{Name: s.Object, Addr: s.Value, Way: s.Way}}}
	}
	f, ok := l.flows[s.Value]
	if !ok {
		f = newFlow(l.graph)
		f.follow(s.Value, 0)
		l.flows[s.Value] = f
	}
	f.Sorted = f.Sorted || f.sortsLike(s) || tellsChange(s) || l.known[listName(s.Value.Type())]
	return f
}
