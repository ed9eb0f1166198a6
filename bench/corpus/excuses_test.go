package main

import (
	"slices"
	"strings"
	"testing"

	goanalysis "golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/driver"
	"github.com/opvet/opvet/internal/report/rule"
)

func TestExcuses(t *testing.T) {
	all := analyzers.All()
	i := slices.IndexFunc(all, func(a *goanalysis.Analyzer) bool { return len(rule.Of(a).Excuses) > 1 })
	a := all[i]
	first, other := rule.Of(a).Excuses[0], rule.Of(a).Excuses[1]
	report := new(Report)
	for range 2 {
		report.addExcuses(countExcuses([]driver.Excused{{Analyzer: a, Reason: first}, {Analyzer: a, Reason: first}}))
	}
	for want, name := range map[int]string{4: first.Name, 0: other.Name} {
		if !slices.Contains(report.Excuses, Excuse{a.Name, name, want}) {
			t.Errorf("%s/%s has not fired %d times: %v", a.Name, name, want, report.Excuses)
		}
	}
	var out strings.Builder
	report.printExcuses(&out)
	if !strings.Contains(out.String(), a.Name+"/"+other.Name) || !strings.Contains(out.String(), "never") {
		t.Errorf("printed:\n%s", out.String())
	}
}
