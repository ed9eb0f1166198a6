package reconcileresult

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// deprecated finds the field Requeue set to true, where it is deprecated.
func (c *checker) deprecated() {
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if s := kubeapi.ReconcileResult(c.pass.TypesInfo.TypeOf(n)); s != nil && kubeapi.RequeueDeprecated(s) {
					c.literal(n)
				}
			case *ast.AssignStmt:
				for i, lhs := range n.Lhs {
					if len(n.Lhs) == len(n.Rhs) && c.isRequeue(lhs) && c.isTrue(n.Rhs[i]) {
						c.reportDeprecated(lhs, nil)
					}
				}
			}
			return true
		})
	}
}

// isRequeue reports whether an expression is the deprecated field.
func (c *checker) isRequeue(e ast.Expr) bool {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Requeue" {
		return false
	}
	t := c.pass.TypesInfo.TypeOf(sel.X)
	if ptr, isPtr := t.Underlying().(*types.Pointer); isPtr {
		t = ptr.Elem()
	}
	s := kubeapi.ReconcileResult(t)
	return s != nil && kubeapi.RequeueDeprecated(s)
}

func (c *checker) isTrue(e ast.Expr) bool {
	v := c.pass.TypesInfo.Types[e].Value
	return v != nil && v.String() == "true"
}

// literal reports Requeue: true. Beside a RequeueAfter it says nothing that
// this does not, and can go.
func (c *checker) literal(lit *ast.CompositeLit) {
	for i, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return
		}
		if key, ok := kv.Key.(*ast.Ident); !ok || key.Name != "Requeue" || !c.isTrue(kv.Value) {
			continue
		}
		var fix *analysis.SuggestedFix
		if c.hasConstantAfter(lit) {
			from, to := elt.Pos(), elt.End()
			if i+1 < len(lit.Elts) {
				to = lit.Elts[i+1].Pos()
			} else if i > 0 {
				from = lit.Elts[i-1].End()
			}
			fix = &analysis.SuggestedFix{
				Message:   "Remove Requeue",
				TextEdits: []analysis.TextEdit{{Pos: from, End: to, NewText: nil}},
			}
		}
		c.reportDeprecated(elt, fix)
	}
}

// hasConstantAfter reports whether a literal has a RequeueAfter that is not
// zero.
func (c *checker) hasConstantAfter(lit *ast.CompositeLit) bool {
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "RequeueAfter" {
			v := c.pass.TypesInfo.Types[kv.Value].Value
			return v != nil && v.String() != "0"
		}
	}
	return false
}

func (c *checker) reportDeprecated(at ast.Node, fix *analysis.SuggestedFix) {
	message := "Requeue is deprecated: it slows down each time like an error, up to 17 minutes; set RequeueAfter to when there will be something to see"
	if fix != nil {
		message = "Requeue is deprecated, and ignored beside RequeueAfter; remove it"
	}
	c.report.Report(rule.Finding{Pos: at.Pos(), End: at.End(), Category: requeueDeprecated, Message: message, Fix: fix})
}
