package detachedcalls

import (
	"go/ast"
	"go/token"
	"regexp"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/ir/syntax"
)

// Excused reports whether a comment gives the reason why the context at pos is
// detached: one on the line, or directly above it or above the statement, that
// speaks of contexts, cancelling, detaching or shutting down, or that silences
// another tool's check of contexts. A comment that only notes what is to be done
// some day is no reason.
func Excused(pass *analysis.Pass, pos token.Pos) bool {
	file := syntax.FileOf(pass.Files, pos)
	if file == nil {
		return false
	}
	lines := []int{line(pass, pos)}
	if stmt := statementOf(file, pos); stmt != nil {
		lines = append(lines, line(pass, stmt.Pos()))
	}
	for _, group := range file.Comments {
		first, last := line(pass, group.Pos()), line(pass, group.End())
		for _, at := range lines {
			if (last == at-1 || first <= at && at <= last) && givesReason(group) {
				return true
			}
		}
	}
	return false
}

var (
	aboutContexts = regexp.MustCompile(`(?i)\b(ctx|contexts?|cancel\w*|detach\w*|background|shut(ting)? ?down|interrupt\w*|outlives?|regardless)\b`)
	silenced      = regexp.MustCompile(`(?i)nolint:[\w,]*\b(contextcheck|noctx)\b|#nosec\b.*\bG118\b`)
	toBeDone      = regexp.MustCompile(`(?i)^\W*(todo|fixme|xxx|hack)\b`)
	// expected is what analysistest expects to be reported on a line, which
	// speaks of contexts itself.
	expected = regexp.MustCompile("^// want [\"`]")
	code     = regexp.MustCompile(`:=|\(ctx\b|^//\w+\.\w+\(`)
)

// givesReason reports whether a comment is a reason.
func givesReason(group *ast.CommentGroup) bool {
	for _, comment := range group.List {
		switch {
		case silenced.MatchString(comment.Text):
			return true
		case expected.MatchString(comment.Text):
			return false
		}
	}
	text := group.Text()
	return aboutContexts.MatchString(text) && !toBeDone.MatchString(text) && !code.MatchString(text)
}

func line(pass *analysis.Pass, pos token.Pos) int { return pass.Fset.Position(pos).Line }

// statementOf returns the innermost statement around pos that stands in a block
// of its own right.
func statementOf(file *ast.File, pos token.Pos) ast.Stmt {
	var found ast.Stmt
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || n.Pos() > pos || n.End() <= pos {
			return false
		}
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		case ast.Stmt:
			found = n
		}
		return true
	})
	return found
}
