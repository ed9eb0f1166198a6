package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/driver"
	"github.com/opvet/opvet/internal/report/rule"
)

// An Excuse is a reason that an analyzer has not to report a candidate, and how often it
// was one in the trees that the cases lie in.
type Excuse struct {
	Analyzer string `json:"analyzer"`
	Name     string `json:"name"`
	Fired    int    `json:"fired"`
}

// excuse is what an excuse is told from others by.
type excuse struct{ analyzer, name string }

// countExcuses counts how often each excuse kept a candidate from being reported.
func countExcuses(excused []driver.Excused) []Excuse {
	fired := make(map[excuse]int)
	for _, x := range excused {
		fired[excuse{x.Analyzer.Name, x.Reason.Name}]++
	}
	return sortedExcuses(fired)
}

// addExcuses adds what was counted in one tree to the report, which has all that the
// analyzers declare: those that never fire as well.
func (r *Report) addExcuses(more []Excuse) {
	fired := make(map[excuse]int)
	for _, a := range analyzers.All() {
		for _, reason := range rule.Of(a).Excuses {
			fired[excuse{a.Name, reason.Name}] = 0
		}
	}
	for _, e := range append(slices.Clone(r.Excuses), more...) {
		fired[excuse{e.Analyzer, e.Name}] += e.Fired
	}
	r.Excuses = sortedExcuses(fired)
}

func sortedExcuses(fired map[excuse]int) []Excuse {
	var sorted []Excuse
	for e, n := range maps.All(fired) {
		sorted = append(sorted, Excuse{e.analyzer, e.name, n})
	}
	slices.SortFunc(sorted, func(a, b Excuse) int {
		return cmp.Or(cmp.Compare(a.Analyzer, b.Analyzer), cmp.Compare(a.Name, b.Name))
	})
	return sorted
}

// printExcuses tells how often each excuse fired.
func (r *Report) printExcuses(w io.Writer) {
	if len(r.Excuses) == 0 {
		return
	}
	fmt.Fprintln(w, "excuses:")
	for _, e := range r.Excuses {
		times := fmt.Sprint(e.Fired)
		if e.Fired == 0 {
			times = "never"
		}
		fmt.Fprintf(w, "  %-40s %s\n", e.Analyzer+"/"+e.Name, times)
	}
}
