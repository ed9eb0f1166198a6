package reconcileresult

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/reconcileresult/internal/overdue"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/report/edit"
	"github.com/opvet/opvet/internal/report/rule"
)

// past finds results that ask to come back when a time is reached that may have
// passed: RequeueAfter is not positive then, and nothing is requeued.
func (c *checker) past(fn *ssa.Function) {
	finder := overdue.Finder{Summaries: c.Summaries, Origins: c.origins, Strict: c.report.Strict()}
	for _, found := range finder.In(fn) {
		c.reportPast(found)
	}
}

func (c *checker) reportPast(found overdue.Case) {
	f := rule.Finding{Pos: found.At.Pos(), Category: past}
	value := c.requeueAfterSyntax(found.At.Pos())
	if value != nil {
		f.Pos, f.End = value.Pos(), value.End()
	}
	switch found.Kind {
	case overdue.Past, overdue.Told:
		f.Message = "the object is not looked at again: RequeueAfter is not positive once the time has passed, and nothing is requeued then; " + c.lowerBound()
		if found.Kind == overdue.Told {
			f.Harm = rule.Hygiene
			f.Message = "the object is not looked at again if the time that the error tells passes before this: RequeueAfter is not positive then; " + c.lowerBound()
		}
		f.Related = []analysis.RelatedInformation{{Pos: found.Left.Pos(), Message: "this is negative once the time has passed"}}
		if found.In != nil && found.In.Pos().IsValid() {
			f.Related = append(f.Related, analysis.RelatedInformation{Pos: found.In.Pos(), Message: "it is computed here"})
		}
		if value != nil {
			f.Fix = c.maxFix(value)
		}
	case overdue.Recomputed:
		f.Harm = rule.Hygiene
		f.Message = "the object is not looked at again if the time passes between the check and this: what is left is not positive then; compute it once"
		f.Related = []analysis.RelatedInformation{{Pos: found.Left.Pos(), Message: "the clock is read again here"}}
	case overdue.Clamped, overdue.ClampedLate:
		f.Message = "the object is not looked at again once the time has passed: RequeueAfter is zero then, which asks for nothing; fall back to a fixed delay"
		if found.Kind == overdue.ClampedLate {
			f.Harm = rule.Hygiene
			f.Message = "the object is not looked at again if the time passes between the check and this: RequeueAfter is zero then; fall back to a fixed delay"
		}
		f.Related = []analysis.RelatedInformation{{Pos: found.Left.Pos(), Message: "this is negative once the time has passed"}}
		if found.In != nil {
			f.Related = []analysis.RelatedInformation{{Pos: found.Left.Pos(), Message: "this is zero once the time has passed"}, {Pos: found.In.Pos(), Message: "it is computed here"}}
		}
	case overdue.Least, overdue.Capped:
		if found.Kind == overdue.Capped {
			f.Harm = rule.Hygiene
		}
		f.Message = "the object is not looked at again where a delay is still zero: so is the least of all, which asks for nothing; leave out those that are zero"
		f.Related = []analysis.RelatedInformation{{Pos: found.Left.Pos(), Message: "the least is taken here"}}
	case overdue.Reversed:
		f.Message = "the object is not looked at again: RequeueAfter is not positive, since the difference to the time to come is the wrong way round; use time.Until"
	case overdue.Over:
		f.Message = "the object is not looked at again: RequeueAfter is not positive, since the time was found to have passed; return the error or a fixed delay"
		f.Related = []analysis.RelatedInformation{{Pos: found.Left.Pos(), Message: "this is not positive: the time has passed"}}
	}
	c.report.Report(f)
}

// requeueAfterSyntax returns the expression that RequeueAfter is set to.
func (c *checker) requeueAfterSyntax(pos token.Pos) ast.Expr {
	for _, n := range syntax.Path(c.pass.Files, pos) {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "RequeueAfter" {
				return n.Value
			}
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if sel, ok := lhs.(*ast.SelectorExpr); ok && sel.Sel.Name == "RequeueAfter" && len(n.Rhs) == len(n.Lhs) {
					return n.Rhs[i]
				}
			}
		}
	}
	return nil
}

// maxSince is the version of Go that has the function max first.
const maxSince = "go1.21"

// lowerBound says how to see to it that something is requeued.
func (c *checker) lowerBound() string {
	if edit.IsBefore(c.pass, maxSince) {
		return "wait a second at least"
	}
	return "use max(…, time.Second)"
}

// maxFix puts a lower bound around an expression, where the language and the file
// have what it takes.
func (c *checker) maxFix(value ast.Expr) *analysis.SuggestedFix {
	qualifier, ok := edit.Qualifier(c.pass, value.Pos(), "time", "Second")
	if !ok || !edit.IsSince(c.pass, maxSince) || !edit.IsBuiltin(c.pass, value.Pos(), "max") {
		return nil
	}
	return &analysis.SuggestedFix{
		Message: "Come back after a second at least",
		TextEdits: []analysis.TextEdit{
			{Pos: value.Pos(), End: value.Pos(), NewText: []byte("max(")},
			{Pos: value.End(), End: value.End(), NewText: []byte(", " + qualifier + "Second)")},
		},
	}
}
