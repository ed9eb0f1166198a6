package ownerref

import (
	_ "embed"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ownerref/internal/owners"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

const (
	crossNamespace  = "cross-namespace"
	namespacedOwner = "namespaced-owner"
	notController   = "not-controller"
)

// Analyzer finds owner references that do not work.
var Analyzer = rule.New(rule.Spec{
	Name:      "ownerref",
	Summary:   "find owner references that lead nowhere, or of which no event comes",
	DocSource: doc,
	Group:     "finalizers",
	Since:     "v0.1.0",
	Strict:    true,
	Categories: []rule.Category{
		{Name: crossNamespace, Summary: "owner and object in different namespaces", Harm: rule.Loss, Trial: true},
		{Name: namespacedOwner, Summary: "cluster-scoped object with an owner in a namespace", Harm: rule.Loss},
		{Name: notController, Summary: "SetOwnerReference on a kind that the controller Owns", Harm: rule.Loss, Trial: true},
	},
	Requires: []*analysis.Analyzer{owners.Analyzer, kinds.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[owners.Analyzer].(*owners.References)
	calls := info.Summaries.Calls
	if calls.Pkg == nil {
		return nil
	}
	c := &checker{
		References: info, pass: pass, report: report,
		kinds:    pass.ResultOf[kinds.Analyzer].(*kinds.Kinds),
		reported: make(map[ssa.Instruction]bool),
		children: make(map[paths.Object]bool),
	}
	for _, fn := range calls.Funcs {
		c.links = append(c.links, c.Links(fn)...)
	}
	if len(c.links) == 0 {
		return nil
	}
	c.scopes()
	c.namespaces()
	c.controllers()
	return nil
}

// checker looks at one package.
type checker struct {
	*owners.References
	pass     *analysis.Pass
	report   *rule.Reporter
	kinds    *kinds.Kinds
	links    []owners.Link
	reported map[ssa.Instruction]bool // by a stronger category
	children map[paths.Object]bool    // whose scope was reported
}

func (c *checker) scope(kind *types.Named) kinds.Answer {
	if kind == nil {
		return kinds.Unknown
	}
	return c.kinds.Of(kind).ClusterScoped
}

// checkedFirst yields the links by the library's functions before those made by
// hand: where an object has both, the call is where a person would look.
func (c *checker) checkedFirst(yield func(owners.Link) bool) {
	for _, checked := range []bool{true, false} {
		for _, l := range c.links {
			if (l.Checked != "") == checked && !yield(l) {
				return
			}
		}
	}
}

// refusal says what comes of a reference that is not allowed.
func refusal(l owners.Link, otherwise string) string {
	if l.Checked != "" {
		return l.Checked + " fails"
	}
	return otherwise
}

// harm is what comes of a reference that cannot work: by hand it is stored, and
// byHand happens; the library's functions refuse it each time, and the reconcile
// that returns their error gets no further.
func harm(l owners.Link, byHand rule.Harm) rule.Harm {
	if l.Checked == "" {
		return byHand
	}
	if l.Dropped && l.Via == nil {
		return rule.Leak // nobody notices, and the object outlives its owner
	}
	return rule.Stuck
}

// remedy says how the child is deleted without the reference.
func (c *checker) remedy(owner *types.Named) string {
	if c.inModule(owner) {
		return "use a finalizer of the " + typeName(owner)
	}
	return "delete it with the " + typeName(owner)
}

// span is where a finding about a link stands.
func (c *checker) span(l owners.Link) (pos, end token.Pos) {
	if call, ok := l.Instr.(ssa.CallInstruction); ok {
		if expr := syntax.Call(c.pass.Files, call); expr != nil {
			return expr.Pos(), expr.End()
		}
		return call.Pos(), token.NoPos
	}
	if l.Pos.IsValid() {
		return l.Pos, token.NoPos
	}
	if store, ok := l.Instr.(*ssa.Store); ok {
		if pos = store.Addr.Pos(); pos.IsValid() {
			return pos, token.NoPos
		}
		return store.Val.Pos(), token.NoPos
	}
	return token.NoPos, token.NoPos
}

// inner returns where a helper of the package, through which a link is made,
// makes it.
func (c *checker) inner(l owners.Link) []analysis.RelatedInformation {
	if l.Via == nil {
		return nil
	}
	var found []analysis.RelatedInformation
	for _, other := range c.links {
		if other.Via == nil && other.Checked == l.Checked && other.Instr.Parent().Object() == l.Via {
			pos, _ := c.span(other)
			found = append(found, analysis.RelatedInformation{Pos: pos, Message: "the owner is set here"})
		}
	}
	return found
}

func typeName(kind *types.Named) string { return kind.Obj().Name() }
