package driver

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/revision"
)

// since returns which findings the flag -new-from-rev leaves: those whose own
// line, or that of a place which explains them, has changed.
func (c *command) since() (func(Finding) bool, error) {
	if !c.isSet("new-from-rev") {
		return func(Finding) bool { return true }, nil
	}
	dir := workingDir()
	repository, ok := revision.Find(dir)
	if !ok {
		return nil, fmt.Errorf("-new-from-rev: %s is in no git repository", dir)
	}
	changes, err := repository.ChangesSince(c.newFrom)
	if err != nil {
		return nil, fmt.Errorf("-new-from-rev: %w", err)
	}
	return func(f Finding) bool {
		changed := func(pos token.Pos) bool {
			posn := f.Fset.PositionFor(pos, false)
			return changes.Has(posn.Filename, posn.Line)
		}
		return changed(f.Diagnostic.Pos) || slices.ContainsFunc(f.Diagnostic.Related, func(related analysis.RelatedInformation) bool {
			return changed(related.Pos)
		})
	}, nil
}
