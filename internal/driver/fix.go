package driver

import (
	"fmt"
	"io"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/opvet/opvet/internal/driver/fixes"
)

// applied is what became of the suggested fixes.
type applied struct {
	changed  bool     // files, or lines of the diff
	problems []string // why others were not changed
}

// applyFixes applies the suggested fixes of the findings, or prints what they
// would change. It says which files are changed and which fixes are skipped. A
// file that cannot be changed is a problem and keeps no other from it.
func (c *command) applyFixes(result *Result, stdout, stderr io.Writer) (applied, error) {
	var set fixes.Set
	for _, f := range result.Findings {
		if len(f.Diagnostic.SuggestedFixes) == 0 {
			continue
		}
		fix := f.Diagnostic.SuggestedFixes[0] // others are alternatives
		err := set.Add(fixes.Fix{SuggestedFix: fix, Fset: f.Fset, Pkg: f.Pkg, Generated: asksForGenerated(f)})
		if err != nil {
			fmt.Fprintf(stderr, "opvet: %s: not fixed (%s): %v\n", displayPosn(f.Posn), f.ruleID(), err)
		}
	}
	changes, err := set.Changes()
	if err != nil {
		return applied{}, fmt.Errorf("applying the fixes: %w", err)
	}
	var done applied
	for _, change := range changes {
		name := relative(change.File)
		if c.diff {
			if _, err := stdout.Write(diff.Diff("a/"+name, change.Old, "b/"+name, change.New)); err != nil {
				return done, fmt.Errorf("printing the fixes: %w", err)
			}
			done.changed = true
			continue
		}
		if err := change.Write(); err != nil {
			done.problems = append(done.problems, fmt.Sprintf("%s is not fixed: %v", name, err))
			continue
		}
		done.changed = true
		fmt.Fprintf(stderr, "opvet: changed %s (%s)\n", name, plural(change.Fixes, "fix", "fixes"))
	}
	return done, nil
}

// asksForGenerated reports whether the finding's analyzer was asked to look
// into generated files.
func asksForGenerated(f Finding) bool {
	asks := f.Analyzer.Flags.Lookup("generated")
	return asks != nil && asks.Value.String() == "true"
}
