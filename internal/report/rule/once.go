package rule

import (
	"slices"

	"golang.org/x/tools/go/analysis"
)

// ReportOnce reports what was found in one function, or is run by one. Findings that say the same are one,
// at the first place, with the others as related places: it is one habit, and mended at
// one go. What has a fix of its own stays apart.
func (r *Reporter) ReportOnce(findings []Finding) {
	var found []Finding
	for _, f := range findings {
		i := slices.IndexFunc(found, func(other Finding) bool { return other.Message == f.Message && other.Harm == f.Harm })
		if i < 0 || f.Fix != nil {
			found = append(found, f)
			continue
		}
		found[i].Related = append(slices.Clip(found[i].Related), analysis.RelatedInformation{Pos: f.Pos, Message: "here, too"})
	}
	for _, f := range found {
		r.Report(f)
	}
}

// joins adds a finding to an earlier one with the same cause, and reports whether there is
// such a one.
func (r *Reporter) joins(f Finding) bool {
	if f.Cause == "" {
		return false
	}
	for i := range r.outcome.found {
		if first := &r.outcome.found[i]; first.Category == f.Category && first.Cause == f.Cause {
			first.Related = append(first.Related, analysis.RelatedInformation{Pos: f.Pos, End: f.End, Message: "the same from here"})
			return true
		}
	}
	return false
}
