package driver

import (
	"fmt"
	"path/filepath"

	"github.com/opvet/opvet/internal/report/rule"
)

// tellOnce makes hygiene of what is printed of a cause after its first finding: one change
// mends all of them. Drivers that see one package at a time tell it once in each.
func (r *Result) tellOnce() {
	first := make(map[string]Finding)
	findings := r.Findings[:0]
	for _, f := range r.Findings {
		key := f.ruleID() + " " + f.Cause
		told, again := first[key]
		switch {
		case f.Cause == "" || f.Harm == rule.Hygiene:
		case !again:
			first[key] = f
		default:
			f.Harm = rule.Hygiene
			f.Settled = fmt.Sprintf("%s:%d has the same cause", filepath.Base(told.Posn.Filename), told.Posn.Line)
			if !rule.Reports(f.Analyzer, f.Harm) {
				r.Harmless = append(r.Harmless, f)
				continue
			}
		}
		findings = append(findings, f)
	}
	r.Findings = findings
}
