package finalizeradd

import (
	_ "embed"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const (
	whileDeleting = "while-deleting"
	notPersisted  = "not-persisted"
	unqualified   = "unqualified"
)

// Analyzer finds finalizers that are added too late, in vain, or under a bad
// name.
var Analyzer = rule.New(rule.Spec{
	Name:      "finalizeradd",
	Summary:   "find finalizers that are added too late, not stored, or badly named",
	DocSource: doc,
	Group:     "finalizers",
	Since:     "v0.1.0",
	Strict:    true,
	Categories: []rule.Category{
		{Name: whileDeleting, Summary: "a finalizer is added to an object that may be being deleted: the API server refuses it, again and again", Harm: rule.Stuck, Trial: true, Fix: true},
		{Name: notPersisted, Summary: "a finalizer is added in memory and not stored on a path that succeeds", Harm: rule.Leak, Strict: true},
		{Name: unqualified, Summary: "a finalizer's name has no domain, or is one that the API server refuses", Harm: rule.Hygiene},
	},
	Excuses:  nameExcuses.Reasons(),
	Requires: []*analysis.Analyzer{finalizers.Analyzer, entrypoints.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[finalizers.Analyzer].(*finalizers.Finalizers)
	if info.Summaries.Calls.Pkg == nil {
		return nil
	}
	c := &checker{
		Finalizers: info, pass: pass, report: report,
		entries: pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
		named:   make(map[any]*rule.Finding), withCreation: make(map[kindAndName]bool),
	}
	for _, fn := range info.Summaries.Units() {
		u := info.Summaries.Unit(fn)
		for _, a := range c.additions(u) {
			c.unqualified(a)
			if a.Kind != finalizers.Added {
				continue
			}
			if !c.notPersisted(a) {
				c.whileDeleting(a)
			}
		}
	}
	for _, f := range c.names {
		c.report.Report(*f)
	}
	return nil
}

// checker looks at one package.
type checker struct {
	*finalizers.Finalizers
	pass    *analysis.Pass
	report  *rule.Reporter
	entries *entrypoints.Result

	handled map[*types.Named]bool // kinds whose deletion the package looks at
	created map[*types.Named]bool // kinds that the package creates objects of
	changes *listChanges          // of the package

	withCreation map[kindAndName]bool // what createdWith has said
	// named and names are what unqualified has found, by constants and in order.
	named map[any]*rule.Finding
	names []*rule.Finding
}

// addition is a finalizer that is put on an object's list at a node of a unit.
type addition struct {
	finalizers.Change
	unit *objects.Unit
	node *paths.Node
}

// additions returns what a unit puts on lists of finalizers.
func (c *checker) additions(u *objects.Unit) []addition {
	var found []addition
	for _, n := range u.Graph.Nodes {
		if _, isDefer := n.Instr.(*ssa.Defer); isDefer && !n.Deferred || n.Joins != nil {
			continue
		}
		if call, ok := n.Instr.(ssa.CallInstruction); ok && kubeapi.Callee(call.Common()) == nil && !c.isDeclared(call) {
			continue // a function value: the literal is judged where it stands
		}
		for _, change := range append(c.Changes(n.Instr), c.CopyChanges(n.Instr)...) {
			if change.Type == nil {
				change.Type = finalizers.KindOf(change.Object)
			}
			if change.Kind == finalizers.Added || change.Kind == finalizers.Replaced {
				found = append(found, addition{change, u, n})
			}
		}
	}
	if len(found) > finalizers.MaxChanges {
		return nil
	}
	return found
}

// isDeclared reports whether a function value that is called is a declared function.
func (c *checker) isDeclared(call ssa.CallInstruction) bool {
	targets := c.Summaries.Calls.Callees(call)
	return targets.Closed && !slices.ContainsFunc(targets.Funcs, func(fn *ssa.Function) bool { return fn.Parent() != nil })
}

// maxName bounds names from the code under analysis, so that messages stay
// short.
const maxName = 30

// what names the object of an addition as messages do: "the Backup".
func (a addition) what() string { return "the " + a.kind() }

func (a addition) kind() string {
	if a.Type != nil {
		return wording.Tail(a.Type.Obj().Name(), maxName)
	}
	return "object"
}
