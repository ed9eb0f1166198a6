package unusedignore

import (
	"fmt"
	"go/token"
	"path/filepath"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/suppress"
	"github.com/opvet/opvet/internal/report/wording"
)

// effect returns the first finding that the name in a comment would silence if
// the comment stood there: it stands at a place that explains the finding.
func effect(pass *analysis.Pass, d *suppress.Directive, judges []*analysis.Analyzer, name suppress.Name) (at token.Pos, by string) {
	for _, a := range judges {
		outcome := pass.ResultOf[a].(*rule.Outcome)
		for _, found := range outcome.Found() {
			if !outcome.Reports(found.Harm) || !found.IsReported() || !name.Matches(rule.Of(a).Group, a.Name, found.Category) {
				continue
			}
			for _, related := range found.Related {
				posn := pass.Fset.PositionFor(related.Pos, false)
				if posn.Filename == pass.Fset.PositionFor(d.Comment.Pos(), false).Filename && d.Covers(posn.Line) {
					return found.Pos, a.Name
				}
			}
		}
	}
	return token.NoPos, ""
}

// placeFrom words a place as seen from another.
func placeFrom(fset *token.FileSet, from, to token.Pos) string {
	posn := fset.PositionFor(to, false)
	if posn.Filename == fset.PositionFor(from, false).Filename {
		return fmt.Sprintf("line %d", posn.Line)
	}
	return fmt.Sprintf("%s:%d", wording.Tail(filepath.Base(posn.Filename), 30), posn.Line)
}
