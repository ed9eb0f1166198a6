package cachemutation

import (
	"cmp"
	_ "embed"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/cacheobjects"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

const (
	listerObject    = "lister-object"
	handlerArgument = "handler-argument"
	sliceInPlace    = "slice-in-place"
	shallowCopy     = "shallow-copy"
	throughHelper   = "through-helper"
)

// Analyzer finds writes to objects that belong to an informer's cache.
var Analyzer = rule.New(rule.Spec{
	Name:      "cachemutation",
	Summary:   "find objects of an informer's cache that are changed without a copy",
	DocSource: doc,
	Group:     "informers",
	Since:     "v0.1.0",
	Strict:    true,
	Categories: []rule.Category{
		{Name: listerObject, Summary: "object that a lister or an informer's store returned is changed", Harm: rule.Loss, EndsWithProcess: true, Fix: true},
		{Name: handlerArgument, Summary: "object that an event handler, predicate or map function is handed is changed", Harm: rule.Loss, Trial: true, EndsWithProcess: true},
		{Name: sliceInPlace, Summary: "slice of a cached object is sorted, filtered or shortened in place", Harm: rule.Loss, Trial: true, EndsWithProcess: true},
		{Name: shallowCopy, Summary: "copy by value of a cached object: its maps, slices and pointers are shared, and changed", Harm: rule.Loss, EndsWithProcess: true},
		{Name: throughHelper, Summary: "cached object is handed to a function that changes it", Harm: rule.Loss, Trial: true, EndsWithProcess: true, Fix: true},
	},
	Excuses:  excuses.Reasons(),
	Requires: []*analysis.Analyzer{cacheobjects.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	objects := pass.ResultOf[cacheobjects.Analyzer].(*cacheobjects.Objects)
	if objects.Calls.Pkg == nil {
		return nil
	}
	c := &checker{Objects: objects, pass: pass, report: report}
	sets, others := c.byAccessor(c.byCause(c.groups()))
	for i, groups := range sets {
		if len(groups) == 1 {
			c.finding(groups[0], others[i])
		} else {
			c.sharedFinding(groups)
		}
	}
	return nil
}

type checker struct {
	*cacheobjects.Objects
	pass   *analysis.Pass
	report *rule.Reporter
}

// group is the writes of one function to one object: one missing copy.
type group []cacheobjects.Violation

// groups sorts the writes by the copies that are missing, so that one mistake
// is reported once, at the first write.
func (c *checker) groups() []group {
	type key struct {
		fn *ssa.Function
		of ssa.Value
		// The old object of an update is another one than the new.
		replaced bool
	}
	var order []key
	found := make(map[key]group)
	for _, v := range c.Writes() {
		if excuses.Silence(c.report, c.start(v), category(v), v) {
			continue
		}
		k := key{paths.Outermost(v.Instr.Parent()), v.Origin.Value, v.Origin.Replaced}
		if _, known := found[k]; !known {
			order = append(order, k)
		}
		found[k] = append(found[k], v)
	}
	groups := make([]group, 0, len(order))
	for _, k := range order {
		g := found[k]
		slices.SortStableFunc(g, func(a, b cacheobjects.Violation) int { return cmp.Compare(c.start(a), c.start(b)) })
		groups = append(groups, g)
	}
	// Of two at one place, such as the objects of an update, the worse is reported.
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(harm(b.worst()), harm(a.worst())) })
	return groups
}

// worst is the write of a group that does the most harm, and the first of
// those.
func (g group) worst() cacheobjects.Violation {
	return slices.MaxFunc(g, func(a, b cacheobjects.Violation) int { return cmp.Compare(harm(a), harm(b)) })
}

// byCause sorts groups by their causes, in order: those are one which are nothing
// but the same write of a function of this package, which is handed nothing but
// objects of the cache.
func (c *checker) byCause(groups []group) [][]group {
	at := make(map[token.Pos]int)
	var sorted [][]group
	for _, g := range groups {
		pos := g.inner()
		if i, known := at[pos]; known && pos.IsValid() && !c.TakesOwn(g[0].Inner) {
			sorted[i] = append(sorted[i], g)
			continue
		}
		at[pos] = len(sorted)
		sorted = append(sorted, []group{g})
	}
	return sorted
}

// byAccessor takes together what comes from an accessor that hands out the objects of
// whatever kind: it is there that the copy is missing. The worst is told, with the
// others beside it.
func (c *checker) byAccessor(sets [][]group) (told [][]group, others []group) {
	kinds := make(map[string][]types.Type)
	for _, groups := range sets {
		for _, g := range groups {
			place, kind := g[0].Origin.ThroughPlace, g[0].Origin.Value.Type()
			if !slices.ContainsFunc(kinds[place], func(t types.Type) bool { return types.Identical(t, kind) }) {
				kinds[place] = append(kinds[place], kind)
			}
		}
	}
	at := make(map[string]int)
	for _, groups := range sets {
		g := groups[0]
		place := g[0].Origin.ThroughPlace
		if place != "" && len(groups) == 1 && len(kinds[place]) > 1 {
			if i, known := at[place]; known {
				others[i] = append(others[i], g...)
				continue
			}
			at[place] = len(told)
		}
		told, others = append(told, groups), append(others, nil)
	}
	return told, others
}

// inner is the one place in a helper of this package that makes all the writes
// of a group, if there is one.
func (g group) inner() token.Pos {
	if slices.ContainsFunc(g, func(v cacheobjects.Violation) bool { return v.InnerPos != g[0].InnerPos }) {
		return token.NoPos
	}
	return g[0].InnerPos
}

// isHandedOn reports whether a handler hands its object to one helper of this package, which
// makes all the writes of a group that do the worst harm.
func (g group) isHandedOn() bool {
	worst := g.worst()
	if worst.Origin.Source != kubeapi.HandlerObject || worst.Helper == "" || !worst.InnerPos.IsValid() {
		return false
	}
	return !slices.ContainsFunc(g, func(v cacheobjects.Violation) bool { return v.Instr != worst.Instr && harm(v) >= harm(worst) })
}

// category is the sub-check that a write belongs to.
func category(v cacheobjects.Violation) string {
	switch {
	case v.How == kubeapi.WriteSort || isShortened(v):
		return sliceInPlace
	case v.Helper != "":
		return throughHelper
	case v.Origin.Shallow:
		return shallowCopy
	case v.Origin.Source == kubeapi.HandlerObject:
		return handlerArgument
	}
	return listerObject
}

// isShortened reports whether elements of a slice are moved within it.
func isShortened(v cacheobjects.Violation) bool {
	call, ok := v.Instr.(ssa.CallInstruction)
	if !ok || v.Helper != "" {
		return false
	}
	if builtin, ok := call.Common().Value.(*ssa.Builtin); ok {
		return builtin.Name() == "append" || builtin.Name() == "copy"
	}
	fn := kubeapi.Callee(call.Common())
	return fn != nil && fn.Pkg() != nil && (fn.Pkg().Name() == "slices" || fn.Pkg().Name() == "sort")
}

// finding reports the writes of a group, with those of others that have its cause.
func (c *checker) finding(g, others group) {
	first := g[0]
	pos, end := c.span(first)
	c.report.Report(rule.Finding{
		Cause: c.cause(g),
		Pos:   pos, End: end,
		Category: category(first),
		Harm:     harm(g.worst()),
		Message:  c.message(g),
		Related:  c.related(g, others),
		Fix:      c.fix(g),
	})
}

// cause is the write in a helper that a group is about; other groups may be about it, too.
func (c *checker) cause(g group) string {
	if g.isHandedOn() {
		// Handlers that hand one helper their objects: a copy in it mends all.
		return syntax.Place(c.pass.Fset, g.worst().InnerPos)
	}
	if inner := g.inner(); inner.IsValid() {
		return syntax.Place(c.pass.Fset, inner) + " in " + paths.Outermost(g[0].Instr.Parent()).String()
	}
	return ""
}

// sharedFinding reports a write to objects that several places hand to a
// function: at the write, where one copy mends them all.
func (c *checker) sharedFinding(groups []group) {
	var all group
	for _, g := range groups {
		all = append(all, g...)
	}
	slices.SortStableFunc(all, func(a, b cacheobjects.Violation) int { return cmp.Compare(c.start(a), c.start(b)) })
	worst := all.worst()
	c.report.Report(rule.Finding{
		Pos:      worst.InnerPos,
		Category: category(worst),
		Harm:     harm(worst),
		Message:  c.shared(worst, len(groups)),
		Related:  c.callers(all),
	})
}

// span is what a finding is reported at: the left side of the assignment, the
// name of the called function.
func (c *checker) span(v cacheobjects.Violation) (pos, end token.Pos) {
	if call, ok := v.Instr.(ssa.CallInstruction); ok {
		return syntax.Span(c.pass.Files, call)
	}
	if e := c.Target(v.Instr); e != nil {
		return e.Pos(), e.End()
	}
	return v.Instr.Pos(), 0
}
