package tombstone

import (
	"go/ast"
	"regexp"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/tombstone/internal/handlers"
	"github.com/opvet/opvet/internal/ir/syntax"
)

// mentioned is what a comment says that knows about deletions.
var mentioned = regexp.MustCompile(`(?i)\bdelet(e|ed|es|ing|ion|ions)\b|tombstone|final ?state`)

// meant reports whether a comment in the branch that drops what is no object
// says that this is about deletions.
func meant(pass *analysis.Pass, l *handlers.Loss) bool {
	assert, ok := l.Instr.(*ssa.TypeAssert)
	if !ok || l.Kind != handlers.Refused || l.Filtered != nil {
		return false
	}
	branch := branchOf(syntax.Path(pass.Files, assert.Pos()))
	if branch == nil {
		return false
	}
	return slices.ContainsFunc(syntax.FileOf(pass.Files, branch.Pos()).Comments, func(group *ast.CommentGroup) bool {
		return branch.Pos() <= group.Pos() && group.End() <= branch.End() && mentioned.MatchString(group.Text())
	})
}

// branchOf returns the body of the if statement that the assertion is the
// beginning of, or that follows it, if all that it does is to leave the
// function.
func branchOf(path []ast.Node) *ast.BlockStmt {
	for i, n := range path {
		switch n := n.(type) {
		case *ast.IfStmt:
			return leaving(n)
		case *ast.BlockStmt:
			next := slices.IndexFunc(n.List, func(s ast.Stmt) bool { return i > 0 && s == path[i-1] }) + 1
			if next == 0 || next >= len(n.List) {
				return nil
			}
			if branch, ok := n.List[next].(*ast.IfStmt); ok {
				return leaving(branch)
			}
			return nil
		case *ast.FuncLit, *ast.FuncDecl, *ast.CaseClause:
			return nil
		}
	}
	return nil
}

func leaving(branch *ast.IfStmt) *ast.BlockStmt {
	if len(branch.Body.List) == 0 {
		return nil
	}
	if _, ok := branch.Body.List[len(branch.Body.List)-1].(*ast.ReturnStmt); !ok {
		return nil
	}
	return branch.Body
}
