package finalizerpatch

import (
	_ "embed"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

const (
	unlocked = "unlocked"
	rawList  = "raw-list"
)

// Analyzer finds merge patches that replace an object's list of finalizers.
var Analyzer = rule.New(rule.Spec{
	Name:      "finalizerpatch",
	Summary:   "find merge patches that drop the finalizers which other controllers have added",
	DocSource: doc,
	Group:     "finalizers",
	Since:     "v0.1.0",
	Categories: []rule.Category{
		{Name: unlocked, Summary: "a changed list of finalizers is sent as a merge patch without the optimistic lock", Harm: rule.Loss, Trial: true, Fix: true},
		{Name: rawList, Summary: "a raw merge patch sets the list of finalizers", Harm: rule.Loss},
	},
	Requires: []*analysis.Analyzer{finalizers.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[finalizers.Analyzer].(*finalizers.Finalizers)
	if info.Summaries.Calls.Pkg == nil {
		return nil
	}
	c := &checker{Finalizers: info, pass: pass, report: report, sending: make(map[*types.Func]sender)}
	for _, fn := range info.Summaries.Units() {
		u := &unit{checker: c, Unit: info.Summaries.Unit(fn)}
		for _, n := range u.Graph.Nodes {
			if _, isDefer := n.Instr.(*ssa.Defer); isDefer && !n.Deferred || n.Joins != nil {
				continue
			}
			for _, p := range c.Patches(n.Instr) {
				switch {
				case p.List != nil:
					u.raw(n, p)
				case p.Unmade:
				case p.Run != nil:
					u.handed(n, p)
				default:
					u.computed(n, p)
				}
			}
		}
	}
	c.tell()
	return nil
}

// checker looks at one package.
type checker struct {
	*finalizers.Finalizers
	pass   *analysis.Pass
	report *rule.Reporter

	found   []found
	sending map[*types.Func]sender
}

type unit struct {
	*checker
	*objects.Unit
	changed []change // nil until asked
	asked   bool
}

// change is a change of a list of finalizers at a node.
type change struct {
	finalizers.Change
	node *paths.Node
}

// changes returns the changes that the unit makes in memory, and does not
// write at once.
func (u *unit) changes() []change {
	if u.asked {
		return u.changed
	}
	u.asked = true
	for _, n := range u.Graph.Nodes {
		if _, isDefer := n.Instr.(*ssa.Defer); isDefer && !n.Deferred || n.Joins != nil {
			continue
		}
		for _, c := range u.Changes(n.Instr) {
			if !c.Persisted {
				u.changed = append(u.changed, change{c, n})
			}
		}
	}
	// An addition says more than the removal of an old name beside it.
	slices.SortStableFunc(u.changed, func(a, b change) int { return int(a.Kind) - int(b.Kind) })
	return u.changed
}

// computed looks at a patch that is computed from two states of an object,
// between which its finalizers may have changed.
func (u *unit) computed(at *paths.Node, p finalizers.Patch) {
	if p.Via == nil {
		u.sends(at, p)
	}
	for _, c := range u.changes() {
		if harm := u.harmOf(c, at); harm != 0 && u.sent(c, at, p) {
			u.note(at, p, c, harm)
			return
		}
	}
}

// sends notes where a function that others may call sends a patch. One with
// several is not told by its name.
func (u *unit) sends(at *paths.Node, p finalizers.Patch) {
	fn, ok := u.Fn.Object().(*types.Func)
	if !ok {
		return
	}
	if _, several := u.sending[fn]; several {
		u.sending[fn] = sender{}
		return
	}
	pos, end := syntax.Span(u.pass.Files, at.Instr)
	u.sending[fn] = sender{pos, end, p}
}

// handed looks at a patch of what a function does that the helper is handed.
func (u *unit) handed(at *paths.Node, p finalizers.Patch) {
	for _, fn := range u.Summaries.Calls.FuncsOf(p.Run).Funcs {
		for instr := range blocks.Instrs(fn) {
			for _, made := range u.Changes(instr) {
				if made.Persisted || made.Object != p.To && !isParameter(fn, made.Object) {
					continue
				}
				// What is known of the object is known where the helper is called.
				made.Object, made.Type = p.To, finalizers.KindOf(p.To)
				if harm := u.harmOf(change{made, at}, at); harm != 0 {
					u.noteAt(at, p, change{made, at}, harm, instr.Pos())
					return
				}
			}
		}
	}
}

// isParameter reports whether an object is a parameter of a function.
func isParameter(fn *ssa.Function, o paths.Object) bool {
	param, ok := o.Root.(*ssa.Parameter)
	return ok && o.Path == "" && param.Parent() == fn
}
