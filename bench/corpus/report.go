package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// A Report is what a run of the bench found; -json prints it.
type Report struct {
	Binary string     `json:"binary"` // SHA-256 of the opvet that ran
	Opvet  provenance `json:"opvet"`
	Groups []Group    `json:"groups"`
	// Cases are all cases with their outcomes.
	Cases []Result `json:"cases"`
	// Unjudged are findings of the analyzers in question that lie on no case:
	// neither right nor wrong until somebody reads them.
	Unjudged []Unjudged `json:"unjudged,omitempty"`
	// Operators are the trees that precision is measured on.
	Operators []Tree `json:"operators,omitempty"`
	// Fixes are mistakes that maintainers fixed, and Measured what became of
	// them, for the document.
	Fixes    []Fix      `json:"-"`
	Measured []Measured `json:"-"`
	// Failures are errors of single analyzers.
	Failures []string `json:"failures,omitempty"`
	// Excuses are the analyzers' reasons to leave candidates alone, if -source ran them.
	Excuses []Excuse `json:"excuses,omitempty"`
	// Skipped counts the cases of categories that no analyzer serves yet.
	Skipped map[string]int `json:"skipped,omitempty"`
}

// A Group sums up one category of cases.
type Group struct {
	Category   string         `json:"category"`
	Analyzers  []string       `json:"analyzers"`
	Bugs       int            `json:"bugs"`   // that were analysed
	Found      int            `json:"found"`  // of them
	Limits     int            `json:"limits"` // missed on purpose
	Traps      int            `json:"traps"`  // that were analysed
	Reported   int            `json:"reported"`
	Unanalysed int            `json:"unanalysed"`
	FoundBy    map[string]int `json:"found_by,omitempty"`    // analyzer to bugs
	ReportedBy map[string]int `json:"reported_by,omitempty"` // analyzer to traps
}

// Unjudged is a finding that lies on no case.
type Unjudged struct {
	Repo   string `json:"repo"`
	Commit string `json:"commit"`
	Finding
}

func (r *Report) skip(category string) {
	if r.Skipped == nil {
		r.Skipped = make(map[string]int)
	}
	r.Skipped[category]++
}

// finish sorts the report and fills in the sums.
func (r *Report) finish(b *bench, wanted []string) {
	slices.SortStableFunc(r.Cases, func(a, b Result) int {
		return cmp.Or(
			strings.Compare(a.Category, b.Category),
			strings.Compare(a.Repo, b.Repo),
			strings.Compare(a.Commit, b.Commit),
			strings.Compare(a.File, b.File),
			a.Line-b.Line,
		)
	})
	groups := make(map[string]*Group)
	for _, c := range r.Cases {
		g := groups[c.Category]
		if g == nil {
			g = &Group{
				Category: c.Category, Analyzers: b.serving(c.Category, wanted),
				FoundBy: make(map[string]int), ReportedBy: make(map[string]int),
			}
			groups[c.Category] = g
		}
		switch c.Outcome {
		case outcomeFound:
			g.Bugs++
			g.Found++
			g.FoundBy[c.Finding.Analyzer]++
		case outcomeMissed:
			g.Bugs++
			if c.Limit != "" {
				g.Limits++
			}
		case outcomeSilent:
			g.Traps++
		case outcomeReported:
			g.Traps++
			g.Reported++
			g.ReportedBy[c.Finding.Analyzer]++
		case outcomeUnanalysed:
			g.Unanalysed++
		}
	}
	for _, category := range slices.Sorted(maps.Keys(groups)) {
		r.Groups = append(r.Groups, *groups[category])
	}
}

// print writes the report for people. Unjudged findings are listed only with
// all; else they are counted.
func (r *Report) print(w io.Writer, all bool) {
	for _, g := range r.Groups {
		fmt.Fprintf(w, "%s: %s\n", g.Category, strings.Join(g.Analyzers, ", "))
		fmt.Fprintf(w, "  bugs found        %s\n", ratio(g.Found, g.Bugs))
		if g.Limits > 0 {
			fmt.Fprintf(w, "  silent by design  %s\n", ratio(g.Limits, g.Bugs))
		}
		fmt.Fprintf(w, "  traps reported    %s\n", ratio(g.Reported, g.Traps))
		if g.Unanalysed > 0 {
			fmt.Fprintf(w, "  not analysed      %d\n", g.Unanalysed)
		}
		if len(g.Analyzers) > 1 {
			for _, name := range g.Analyzers {
				fmt.Fprintf(w, "    %s: %d bugs, %d traps\n", name, g.FoundBy[name], g.ReportedBy[name])
			}
		}
		r.section(w, g.Category, "reported, but right", func(c Result) []string {
			if c.Outcome != outcomeReported {
				return nil
			}
			return []string{"opvet: " + c.Finding.Message, "judged: " + c.Why}
		})
		r.section(w, g.Category, "missed", func(c Result) []string {
			if c.Outcome != outcomeMissed {
				return nil
			}
			lines := []string{c.Why}
			if c.Limit != "" {
				lines = append(lines, "by design: "+c.Limit)
			}
			return lines
		})
		r.section(w, g.Category, "findings elsewhere in a trap's function, to be read", func(c Result) []string {
			var lines []string
			for _, f := range c.Near {
				lines = append(lines, fmt.Sprintf("line %d: %s", f.Line, f.Message))
			}
			return lines
		})
		r.section(w, g.Category, "not analysed", func(c Result) []string {
			if c.Outcome != outcomeUnanalysed {
				return nil
			}
			return []string{c.Reason}
		})
		fmt.Fprintln(w)
	}
	if len(r.Skipped) > 0 {
		fmt.Fprint(w, "no analyzer yet:")
		for _, category := range slices.Sorted(maps.Keys(r.Skipped)) {
			fmt.Fprintf(w, " %s (%d)", category, r.Skipped[category])
		}
		fmt.Fprintln(w)
	}
	for _, failure := range r.Failures {
		fmt.Fprintf(w, "failed: %s\n", failure)
	}
	r.printExcuses(w)
	if len(r.Unjudged) > 0 {
		fmt.Fprintf(w, "findings that no case judges: %d\n", len(r.Unjudged))
	}
	if all {
		for _, u := range r.Unjudged {
			fmt.Fprintf(w, "  %s %s:%d\n      %s: %s\n", checkoutName(u.Repo, u.Commit), u.File, u.Line, u.Analyzer, u.Message)
		}
	}
}

// section prints the cases of a category that lines has something to say about.
func (r *Report) section(w io.Writer, category, title string, lines func(Result) []string) {
	first := true
	for _, c := range r.Cases {
		if c.Category != category {
			continue
		}
		text := lines(c)
		if len(text) == 0 {
			continue
		}
		if first {
			fmt.Fprintf(w, "  %s:\n", title)
			first = false
		}
		kind := ""
		if c.Sub != "" {
			kind = " (" + c.Sub + ")"
		}
		fmt.Fprintf(w, "    %s %s%s\n", c.Case, c.Func, kind)
		for _, line := range text {
			fmt.Fprintf(w, "        %s\n", line)
		}
	}
}

func ratio(n, of int) string {
	if of == 0 {
		return "none judged"
	}
	return fmt.Sprintf("%d of %d (%.0f %%)", n, of, 100*float64(n)/float64(of))
}
