package failures

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/syntax"
)

// Explained reports whether a comment stands between a call that fails and the return of
// success, so that somebody has thought of it. One above another statement that ends
// before the return is about that, unless both are in the branch of the failure.
func Explained(pass *analysis.Pass, s Silence) bool {
	line := func(pos token.Pos) int { return pass.Fset.Position(pos).Line }
	file := syntax.FileOf(pass.Files, s.Call.Pos())
	return file != nil && slices.ContainsFunc(file.Comments, func(group *ast.CommentGroup) bool {
		return line(s.Call.Pos()) < line(group.Pos()) && line(group.Pos()) <= line(s.Ret.Pos()) &&
			(!statementBetween(file, group.End(), s.Ret.Pos()) || inBranchOf(file, s.Call, group))
	})
}

// inBranchOf reports whether a comment stands in the body of the if statement that makes
// a call and tests its error.
func inBranchOf(file *ast.File, call *ssa.Call, group *ast.CommentGroup) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		if branch, ok := n.(*ast.IfStmt); ok && branch.Init != nil && branch.Init.Pos() <= call.Pos() && call.Pos() < branch.Init.End() {
			found = branch.Body.Pos() < group.Pos() && group.End() < branch.Body.End()
		}
		return !found && n != nil && n.Pos() <= call.Pos() && call.Pos() < n.End()
	})
	return found
}

func statementBetween(file *ast.File, from, to token.Pos) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || found || n.End() < from || n.Pos() > to {
			return false
		}
		if _, ok := n.(*ast.IfStmt); ok && from <= n.Pos() && n.End() < to {
			found = true
		}
		return true
	})
	return found
}
