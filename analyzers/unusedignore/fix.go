package unusedignore

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/suppress"
)

// replaceName corrects a name.
func replaceName(name suppress.Name, right string) *analysis.SuggestedFix {
	if name.InSuite {
		right = suppress.Suite + "/" + right
	}
	return &analysis.SuggestedFix{Message: "Write " + right, TextEdits: []analysis.TextEdit{
		{Pos: name.Pos, End: name.End, NewText: []byte(right)},
	}}
}

// removeName takes a name out of its list, or removes the comment if the
// name is alone in it.
func removeName(fset *token.FileSet, file *ast.File, d *suppress.Directive, name suppress.Name) *analysis.SuggestedFix {
	if len(d.Names) == 1 {
		start, end := alone(fset, file, d.Comment)
		return &analysis.SuggestedFix{Message: "Remove the comment", TextEdits: []analysis.TextEdit{{Pos: start, End: end}}}
	}
	edit := analysis.TextEdit{Pos: name.Pos, End: name.End}
	for i, other := range d.Names {
		if other.Pos != name.Pos {
			continue
		}
		if i > 0 {
			edit.Pos = d.Names[i-1].End // the comma goes too
		} else {
			edit.End = d.Names[1].Pos
		}
	}
	return &analysis.SuggestedFix{Message: "Remove " + name.Text, TextEdits: []analysis.TextEdit{edit}}
}

// alone returns the part of the file to remove with a comment: its line if it
// has one of its own, otherwise the comment, which gofmt rids of the space
// before it.
func alone(fset *token.FileSet, file *ast.File, comment *ast.Comment) (start, end token.Pos) {
	start, end = comment.Pos(), comment.End()
	f := fset.File(start)
	line := f.Line(start)
	if line >= f.LineCount() || holdsCode(fset, file, line) {
		return start, end
	}
	return f.LineStart(line), f.LineStart(line + 1)
}

// holdsCode reports whether there is code on the line.
func holdsCode(fset *token.FileSet, file *ast.File, line int) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.CommentGroup, *ast.Comment:
			return false
		case *ast.File:
			return true
		}
		first, last := fset.PositionFor(n.Pos(), false).Line, fset.PositionFor(n.End(), false).Line
		found = found || first == line || last == line
		return first <= line && line <= last && !found
	})
	return found
}
