package driver

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/baseline"
	"github.com/opvet/opvet/internal/driver/revision"
)

// newness is what counts as new: the value of the flag -new-by.
type newness string

const (
	byFindings newness = "findings" // what is not found at the revision
	byLines    newness = "lines"    // what is on changed lines, or explained by one
)

// since is what the flag -new-from-rev asks for.
type since struct {
	by         newness
	repository *revision.Repository
	changes    *revision.Changes
}

// since returns nil if all findings are wanted. A revision that does not exist is
// told before the analysis.
func (c *command) since() (*since, error) {
	if !c.isSet("new-from-rev") {
		if c.isSet("new-by") {
			return nil, fmt.Errorf("-new-by says what is new since a revision: it needs -new-from-rev")
		}
		return nil, nil
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
	return &since{c.newBy, repository, changes}, nil
}

// leaveOld takes out of the result what is not new.
func (c *command) leaveOld(r *Result, s *since, progress *progress) {
	if s == nil || len(r.all()) == 0 {
		return
	}
	old := make([]bool, len(r.all()))
	for i, f := range r.all() {
		old[i] = !s.isChanged(f)
	}
	if s.by != byLines {
		old = c.inBase(r, s, old, progress)
	}
	r.drop(old)
}

// isChanged reports whether the finding's own line has changed, or that of a place
// which explains it.
func (s *since) isChanged(f Finding) bool {
	changed := func(pos token.Pos) bool {
		posn := f.Fset.PositionFor(pos, false)
		return s.changes.Has(posn.Filename, posn.Line)
	}
	return changed(f.Diagnostic.Pos) || slices.ContainsFunc(f.Diagnostic.Related, func(related analysis.RelatedInformation) bool {
		return changed(related.Pos)
	})
}

// inBase tells which findings the analysis of the revision has, too. As far as that
// cannot be done, those count that are on lines which have not changed.
func (c *command) inBase(r *Result, s *since, unchanged []bool, progress *progress) []bool {
	base, err := c.analyseBase(s, progress)
	if err != nil {
		r.Notes = append(r.Notes, fmt.Sprintf("-new-from-rev: %s cannot be analysed, so that only findings on changed lines count as new: %v", c.newFrom, err))
		return unchanged
	}
	old, _ := baseline.Match(base.entries, identify(r.all(), newSources(), s.rel))
	if base.problems > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("-new-from-rev: not all of %s can be analysed (%s): what is not found there counts as new only on changed lines", c.newFrom, count(base.problems, "problem")))
		for i := range old {
			old[i] = old[i] || unchanged[i]
		}
	}
	return old
}

// rel names a file from the top of the repository.
func (s *since) rel(file string) string {
	rel, ok := s.repository.Rel(file)
	if !ok {
		return file
	}
	return rel
}
