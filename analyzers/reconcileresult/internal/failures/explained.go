package failures

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"
)

// Explained reports whether a comment stands between a call that fails and the return of
// success, so that somebody has thought of it. One above another statement that ends
// before the return is about that.
func Explained(pass *analysis.Pass, s Silence) bool {
	line := func(pos token.Pos) int { return pass.Fset.Position(pos).Line }
	for _, file := range pass.Files {
		if s.Call.Pos() < file.FileStart || s.Call.Pos() > file.FileEnd {
			continue
		}
		for _, group := range file.Comments {
			if line(s.Call.Pos()) < line(group.Pos()) && line(group.Pos()) <= line(s.Ret.Pos()) && !statementBetween(file, group.End(), s.Ret.Pos()) {
				return true
			}
		}
	}
	return false
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
