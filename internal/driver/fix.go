package driver

import (
	"fmt"
	"io"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/opvet/opvet/internal/fixes"
)

// applyFixes applies the suggested fixes of the findings, or prints what they
// would change, and reports whether that is anything. It says which fixes are
// skipped.
func (c *command) applyFixes(result *Result, stdout, stderr io.Writer) (changed bool, err error) {
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
		return false, fmt.Errorf("applying the fixes: %w", err)
	}
	for _, change := range changes {
		if c.diff {
			name := relative(change.File)
			_, err = stdout.Write(diff.Diff("a/"+name, change.Old, "b/"+name, change.New))
		} else {
			err = change.Write()
		}
		if err != nil {
			return false, fmt.Errorf("applying the fixes: %w", err)
		}
	}
	return len(changes) > 0, nil
}

// asksForGenerated reports whether the finding's analyzer was asked to look
// into generated files.
func asksForGenerated(f Finding) bool {
	asks := f.Analyzer.Flags.Lookup("generated")
	return asks != nil && asks.Value.String() == "true"
}
