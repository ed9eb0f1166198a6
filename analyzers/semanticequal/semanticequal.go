package semanticequal

import (
	"cmp"
	_ "embed"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/semanticequal/internal/effect"
	"github.com/opvet/opvet/analyzers/semanticequal/internal/evidence"
	"github.com/opvet/opvet/analyzers/semanticequal/internal/sides"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const (
	quantity   = "quantity"
	times      = "time"
	nilEmpty   = "nil-empty"
	otherType  = "other-type"
	derivative = "derivative"
)

// Analyzer finds comparisons of API objects that do not tell what they are
// to tell.
var Analyzer = rule.New(rule.Spec{
	Name:      "semanticequal",
	Summary:   "find comparisons of API objects that tell equal ones apart, or miss what was removed",
	DocSource: doc,
	Group:     "objects",
	Since:     "unreleased",
	Strict:    true,
	Categories: []rule.Category{
		{Name: quantity, Summary: "quantities that were read are compared in depth with others, and written as long as they differ", Harm: rule.Hygiene, EndsWithProcess: true, Repeats: true, Fix: true},
		{Name: times, Summary: "two times are compared by == or as pointers", Harm: rule.Load, Trial: true, EndsWithProcess: true, Repeats: true},
		{Name: nilEmpty, Summary: "a list or map that was read is compared with an empty one that is not nil", Harm: rule.Hygiene, EndsWithProcess: true, Repeats: true, Fix: true},
		{Name: otherType, Summary: "values of two types are compared, which never are equal", Harm: rule.Load},
		{Name: derivative, Summary: "DeepDerivative is to tell whether to update, and misses what was removed", Harm: rule.Loss},
	},
	Requires: []*analysis.Analyzer{objects.Analyzer, evidence.Analyzer},
	Run:      run,
})

type checker struct {
	pass   *analysis.Pass
	report *rule.Reporter
	sums   *objects.Summaries
	sides  sides.Of
	// evidence tells what is put into what the program builds.
	evidence *evidence.In
	effect   effect.In
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil {
		return nil
	}
	in := pass.ResultOf[evidence.Analyzer].(*evidence.In)
	c := &checker{pass, report, sums, in.Sides, in, effect.In{In: in}}
	for _, fn := range sums.Calls.Funcs {
		if kubeapi.TakesTesting(fn) {
			continue
		}
		var once []rule.Finding
		for instr := range blocks.Instrs(fn) {
			switch instr := instr.(type) {
			case *ssa.Call:
				once = append(once, c.call(instr)...)
			case *ssa.BinOp:
				once = append(once, c.operator(instr)...)
			}
		}
		slices.SortFunc(once, func(a, b rule.Finding) int { return cmp.Compare(a.Pos, b.Pos) })
		report.ReportOnce(once)
	}
	return nil
}

// call judges a comparison in depth; what is the same for others of the function it
// returns.
func (c *checker) call(call *ssa.Call) []rule.Finding {
	comparison := kubeapi.ComparisonOf(call.Common())
	if comparison.Kind == kubeapi.NoComparison {
		return nil
	}
	x, y := kubeapi.Unboxed(comparison.X), kubeapi.Unboxed(comparison.Y)
	switch {
	case comparison.Kind == kubeapi.Derivative:
		if c.sides.Differ(x, y) && evidence.MayLack(x.Type()) && c.effect.DecidesWrite(call) && !c.effect.ComparedOtherwise(call, x) && !c.effect.ComparedExactly(call, y) && (c.report.Strict() || !isLabels(c.sums.Resolve.Place(x)) && c.evidence.DependsOnInput(x)) {
			harm := rule.Hygiene // of most kinds little can be removed, or it may not be changed
			if c.evidence.PodsDependOnInput(x) {
				harm = rule.Loss
			}
			c.tell(call, derivative, "what was removed from the desired state, or emptied, is never updated: DeepDerivative skips it; compare all that the operator sets", harm, nil)
		}
	case effect.DifferInType(comparison.X, comparison.Y):
		pos, end := syntax.Span(c.pass.Files, call)
		harm := rule.Load
		if c.effect.IsIdle(call, x, y) {
			harm = rule.Hygiene // what it guards may be right without it
		}
		return []rule.Finding{{
			Pos: pos, End: end, Category: otherType, Harm: harm,
			Message: "this is never equal: a " + wording.TypeName(x.Type()) + " is compared with a " + wording.TypeName(y.Type()) + "; compare values of one type",
		}}
	case comparison.Kind == kubeapi.SemanticallyEqual:
	case c.mayBeEmpty(call, x, y):
		c.tell(call, nilEmpty, "each round writes an empty "+container(x.Type())+" again: the API returns nil for it, and "+comparison.Name+" tells these apart; use equality.Semantic.DeepEqual", rule.Hygiene, c.semantic(call))
	case evidence.Holds(x.Type(), kubeapi.IsQuantity) && c.sides.Differ(x, y) && c.effect.Decides(call, c.effect.Sends(call, x, y)) && (c.report.Strict() || c.evidence.SetsQuantity(x, y)):
		harm := rule.Hygiene // defaults that the API server adds make such objects differ anyhow
		if evidence.IsOfQuantities(x.Type()) || c.evidence.ComputesQuantity(x, y) {
			harm = rule.Load
		}
		c.tell(call, quantity, "equal quantities are written again each round: "+comparison.Name+" tells 1 from 1000m, and nil from empty; use equality.Semantic.DeepEqual", harm, c.semantic(call))
	}
	return nil
}

// isLabels reports whether a place is an object's labels or annotations: others may add to
// these, so that what the operator sets has to be among them, and no more.
func isLabels(p paths.Place) bool {
	if n := len(p.Sub); n < 2 || p.Sub[n-2] != kubeapi.MetadataPath {
		return false
	}
	name := p.Sub[len(p.Sub)-1]
	return name == "Labels" || name == "Annotations"
}

// operator judges == and != of times and quantities.
func (c *checker) operator(op *ssa.BinOp) []rule.Finding {
	if op.Op != token.EQL && op.Op != token.NEQ {
		return nil
	}
	x, y := calls.Behind(op.X), calls.Behind(op.Y)
	isTime, isQuantity := kubeapi.IsAPITime(x.Type()), kubeapi.IsQuantity(x.Type())
	if isQuantity && kubeapi.IsPointer(x.Type()) && !c.report.Strict() {
		return nil // the same one is equal: a short cut, as a rule
	}
	if !isTime && !isQuantity || isZero(x) || isZero(y) || c.sums.Resolve.Place(x).Object == c.sums.Resolve.Place(y).Object || effect.IsShortcut(op) || effect.IsOfNil(op, x, y) {
		return nil
	}
	finding := rule.Finding{Pos: op.Pos(), Category: quantity, Message: "equal quantities count as different: == compares how they are written (1 and 1000m differ); use Cmp or Equal"}
	if isWritten(x) || isWritten(y) {
		finding.Harm = rule.Hygiene // a limit, which users write as the program does
	}
	if isTime {
		finding.Category, finding.Message = times, "equal times count as different: == compares pointers, or time zones as well; use the method Equal"
		if !kubeapi.IsPointer(x.Type()) && !c.report.Strict() {
			return nil // what was decoded in one process is alike
		}
		if kubeapi.IsDeletionTime(x) || !c.effect.DecidesWrite(op) {
			finding.Harm = rule.Hygiene // few objects, for a short time; or nothing is seen to follow
		}
	}
	return []rule.Finding{finding}
}

func (c *checker) tell(call *ssa.Call, category, message string, harm rule.Harm, fix *analysis.SuggestedFix) {
	pos, end := syntax.Span(c.pass.Files, call)
	c.report.Report(rule.Finding{Pos: pos, End: end, Category: category, Message: message, Harm: harm, Fix: fix})
}
