package driver

import (
	"cmp"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// way divides the places that explain a finding into those that come
// before it on the way through the code, and those after it. The latter are the
// ones below it in the same declaration; of others the order is not known, and
// most lead to the finding.
func (r *report) way(f Finding) (before, after []analysis.RelatedInformation) {
	declaration := func(pos token.Pos) (file, name string, offset int) {
		posn := f.Fset.PositionFor(pos, false)
		return posn.Filename, r.sources.declaration(posn.Filename, posn.Offset), posn.Offset
	}
	file, name, offset := declaration(f.Diagnostic.Pos)
	for _, related := range f.Diagnostic.Related {
		otherFile, otherName, otherOffset := declaration(related.Pos)
		if otherFile == file && otherName == name && name != "" && otherOffset > offset {
			after = append(after, related)
		} else {
			before = append(before, related)
		}
	}
	slices.SortStableFunc(after, func(a, b analysis.RelatedInformation) int { return cmp.Compare(a.Pos, b.Pos) })
	return before, after
}
