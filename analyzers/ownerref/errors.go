package ownerref

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ownerref/internal/owners"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// errors finds references that may not have been set, and nobody knows.
func (c *checker) errors() {
	for _, l := range slices.Concat(c.links, c.handedUp) {
		call, ok := l.Instr.(*ssa.Call)
		if !ok || !l.Dropped || l.Checked == "" || c.reported[l.Instr] {
			continue
		}
		read := c.isRead(l)
		if !read && (l.Via != nil || !c.report.Strict()) {
			continue
		}
		child := "the object"
		if l.Child.Kind != nil {
			child = "the " + typeName(l.Child.Kind)
		}
		why := "another controller may own it"
		if !read {
			why = "other namespace, unknown kind"
		}
		pos, end := c.span(l)
		c.report.Report(rule.Finding{
			Pos: pos, End: end, Category: errorIgnored,
			Message: fmt.Sprintf("if %s fails (%s), %s outlives its owner and sends no events; return the error", l.Checked, why, child),
			Fix:     c.returnError(l, call),
		})
		c.reported[l.Instr] = true
	}
}

// isRead reports whether the child of a link is read from the API server in
// the same function, so that somebody else may own it.
func (c *checker) isRead(l owners.Link) bool {
	for fn := l.Instr.Parent(); fn != nil; fn = fn.Parent() {
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			op, ok := c.Summaries.ClientOp(call.Common())
			if !ok || op.Object == nil || op.Verb != kubeapi.Get && op.Mutate == nil {
				continue
			}
			if c.Summaries.Resolve.Place(op.Object).Object == l.Child.Object {
				return true
			}
		}
	}
	return false
}

// returnError makes the call the condition of a return, where the function
// returns nothing but an error, perhaps after values that can be nil.
func (c *checker) returnError(l owners.Link, call *ssa.Call) *analysis.SuggestedFix {
	syntax := c.syntax(call.Common().Pos())
	if syntax == nil || l.Via != nil {
		return nil
	}
	statement := c.statement(syntax)
	values, ok := nilResults(call.Parent().Signature.Results())
	if statement == nil || !ok {
		return nil
	}
	return &analysis.SuggestedFix{
		Message: "Return the error of " + l.Checked,
		TextEdits: []analysis.TextEdit{
			{Pos: statement.Pos(), End: syntax.Pos(), NewText: []byte("if err := ")},
			{Pos: syntax.End(), End: syntax.End(), NewText: []byte("; err != nil {\nreturn " + values + "err\n}")},
		},
	}
}

// nilResults returns what stands before the error in a return statement.
func nilResults(results *types.Tuple) (text string, ok bool) {
	if results.Len() == 0 || !kubeapi.IsError(results.At(results.Len()-1).Type()) {
		return "", false
	}
	for n := range results.Len() - 1 {
		switch results.At(n).Type().Underlying().(type) {
		case *types.Pointer, *types.Slice, *types.Map, *types.Interface:
			text += "nil, "
		default:
			return "", false
		}
	}
	return text, true
}

// statement returns the statement that consists of the call, or assigns its
// error to nothing.
func (c *checker) statement(call *ast.CallExpr) ast.Stmt {
	var found ast.Stmt
	c.inspect(call.Lparen, func(n ast.Node, around []ast.Node) {
		if n != call || len(around) < 2 {
			return
		}
		if _, inBlock := around[len(around)-2].(*ast.BlockStmt); !inBlock {
			return
		}
		switch parent := around[len(around)-1].(type) {
		case *ast.ExprStmt:
			found = parent
		case *ast.AssignStmt:
			if name, ok := parent.Lhs[0].(*ast.Ident); ok && len(parent.Lhs) == 1 && name.Name == "_" {
				found = parent
			}
		}
	})
	return found
}
