package unstructuredassert

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/unstructuredassert/internal/asserts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/origins"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const (
	unchecked = "unchecked"
	numbers   = "number"
)

// Analyzer finds assertions on the content of unstructured objects that panic.
var Analyzer = rule.New(rule.Spec{
	Name:      "unstructuredassert",
	Summary:   "find assertions on the content of unstructured objects that panic on the first odd one",
	DocSource: doc,
	Group:     "informers",
	Since:     "v0.1.0",
	Categories: []rule.Category{
		{Name: unchecked, Summary: "a field that need not be there is asserted without a check", Harm: rule.Crash, Trial: true},
		{Name: numbers, Summary: "a number is asserted to have a type that content never has", Harm: rule.Crash, Trial: true},
	},
	Strict:      true,
	Requires:    []*analysis.Analyzer{calls.Analyzer, entrypoints.Analyzer, asserts.Analyzer},
	ProductOnly: true,
	Run:         run,
})

// checker looks at one package.
type checker struct {
	pass    *analysis.Pass
	report  *rule.Reporter
	graph   *calls.Graph
	origins *origins.Tracer
	asserts *asserts.Table
	// reported are the unchecked assertions that have been reported.
	reported map[*ssa.TypeAssert]bool
	// first are the places of the first of them, by the object whose content they are.
	first map[inFunction]string
}

// inFunction is an object in one function, and what its missing fields do.
type inFunction struct {
	fn     *ssa.Function
	object ssa.Value
	harm   rule.Harm
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	k := &checker{
		pass: pass, report: report,
		graph:    pass.ResultOf[calls.Analyzer].(*calls.Graph),
		asserts:  pass.ResultOf[asserts.Analyzer].(*asserts.Table),
		reported: make(map[*ssa.TypeAssert]bool), first: make(map[inFunction]string),
	}
	k.origins = &origins.Tracer{Calls: k.graph, Entries: pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result)}
	if k.graph.Pkg == nil {
		return nil
	}
	for _, fn := range k.graph.Funcs {
		for instr := range blocks.Instrs(fn) {
			switch instr := instr.(type) {
			case *ssa.TypeAssert:
				k.assertion(instr)
			case *ssa.Call:
				k.behind(instr)
			}
		}
	}
	return nil
}

// wanted reports whether an object's content is what others have sent.
func (k *checker) wanted(c content) bool {
	root := c.root
	if p, ok := root.(*ssa.Parameter); ok && isContentType(p.Type()) {
		args, _ := k.origins.Calls.Arguments(p)
		return len(args) > 0 && !slices.ContainsFunc(args, func(arg calls.Argument) bool {
			outer, ok := k.contentOf(arg.Value)
			return !ok || !k.wanted(outer)
		})
	}
	switch k.origins.Of(root) {
	case origins.Given, origins.Server:
		return true
	case origins.Elsewhere:
		return k.report.Strict()
	}
	return false
}

// assertion judges a type assertion.
func (k *checker) assertion(instr *ssa.TypeAssert) {
	c, ok := k.contentOf(instr.X)
	if !ok || len(c.path) == 0 {
		return
	}
	if can, isNumber := kubeapi.IsNumberOfContent(instr.AssertedType); isNumber && !can {
		k.number(instr, c)
		return
	}
	if instr.CommaOk || c.path[len(c.path)-1].name == element || kubeapi.IsGuaranteedField(c.names()) || !lookedUp(instr.X) {
		return
	}
	doubtful := len(c.path) == 1 && c.path[0].name == "spec" || !c.known()
	if doubtful && !k.report.Strict() || !k.wanted(c) || k.established(instr, c, 0) {
		return
	}
	k.reported[instr] = true
	if k.reported[k.outer(instr)] {
		return // one finding for u.Object["a"].(T)["b"].(T)
	}
	f := rule.Finding{Category: unchecked, Message: fmt.Sprintf(
		"this panics on the first object without %s: the assertion is unchecked; %s", c, better(instr.AssertedType),
	)}
	f.Harm = k.harm(c, instr.Parent())
	f.Pos, f.End = span(k.pass, instr)
	f.Cause = k.cause(instr, c, f.Harm)
	k.report.Report(f)
}

// harm is hygiene for a field of the spec: as a rule the kind's schema requires what a program
// takes for granted there, or another controller fills it. Of what stands elsewhere (a status,
// a condition, data, labels) objects are without it at first.
func (k *checker) harm(c content, fn *ssa.Function) rule.Harm {
	if c.path[0].name == "spec" {
		return rule.Hygiene
	}
	return rule.OfPanic(k.origins.Entries.Recovers(fn))
}

// cause is the place of the first of the assertions on one object's content in a function:
// who mends one looks at all of them. One that is not printed stands for no other.
func (k *checker) cause(instr *ssa.TypeAssert, c content, harm rule.Harm) string {
	of := inFunction{instr.Parent(), c.root, harm}
	if k.first[of] == "" {
		k.first[of] = syntax.Place(k.pass.Fset, instr.Pos())
	}
	return k.first[of]
}

// outer returns the assertion of the map that an asserted value is looked up
// in, if it is part of the same line.
func (k *checker) outer(instr *ssa.TypeAssert) *ssa.TypeAssert {
	lookup, ok := instr.X.(*ssa.Lookup)
	if !ok {
		return nil
	}
	outer, ok := lookup.X.(*ssa.TypeAssert)
	if !ok || k.pass.Fset.Position(outer.Pos()).Line != k.pass.Fset.Position(instr.Pos()).Line {
		return nil
	}
	return outer
}

// lookedUp reports whether a value is looked up in a map, where it may be
// missing, and not a whole map or slice.
func lookedUp(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Lookup:
		return true
	case *ssa.Extract:
		switch tuple := v.Tuple.(type) {
		case *ssa.Lookup:
			return true
		case *ssa.Call:
			_, ok := kubeapi.NestedCallOf(tuple.Common())
			return ok
		}
	case *ssa.UnOp:
		if alloc, ok := v.X.(*ssa.Alloc); ok {
			if stored := calls.StoredInto(alloc); len(stored) == 1 {
				return lookedUp(stored[0])
			}
		}
	}
	return false
}

// number reports an assertion to a type that numbers in content never have,
// unless the code tries those that they have, too.
func (k *checker) number(instr *ssa.TypeAssert, c content) {
	if !k.wanted(c) || k.triesOthers(instr, c) {
		return
	}
	f := rule.Finding{Category: numbers, Harm: rule.Loss}
	consequence := fmt.Sprintf("%s is never seen", c)
	if !instr.CommaOk {
		consequence, f.Harm = fmt.Sprintf("this panics on each object with %s", c), rule.OfPanic(k.origins.Entries.Recovers(instr.Parent()))
	}
	f.Message = fmt.Sprintf("%s: numbers in its content are int64 or float64, not %s; use unstructured.NestedInt64",
		consequence, wording.TypeName(instr.AssertedType))
	f.Pos, f.End = span(k.pass, instr)
	f.Cause = k.cause(instr, c, f.Harm)
	k.report.Report(f)
}

// triesOthers reports whether the function asserts the same place to a type
// that numbers have.
func (k *checker) triesOthers(instr *ssa.TypeAssert, c content) bool {
	return blocks.Any(instr.Parent(), func(assert *ssa.TypeAssert) bool {
		if can, _ := kubeapi.IsNumberOfContent(assert.AssertedType); !can || assert == instr {
			return false
		}
		place, ok := k.contentOf(assert.X)
		return ok && samePlace(place, c)
	})
}

// better names the function that checks.
func better(t types.Type) string {
	if name := kubeapi.NestedFuncFor(t); name != "" {
		return "use unstructured." + name
	}
	return "check it"
}

// span is where an assertion stands.
func span(pass *analysis.Pass, instr *ssa.TypeAssert) (pos, end token.Pos) {
	for _, n := range syntax.Path(pass.Files, instr.Pos()) {
		switch n := n.(type) {
		case *ast.TypeAssertExpr:
			// The whole chain begins at one place: what is asserted tells
			// the links apart.
			return n.Lparen, n.Rparen + 1
		case *ast.CaseClause:
			return n.Case, n.Colon
		}
	}
	return instr.Pos(), token.NoPos
}
