package driver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/opvet/opvet/internal/report/rule"
)

// harmChoice is the value of the flag -harm, which is unlike any harm if it was
// not given.
type harmChoice struct{ rule.Harm }

func (c *harmChoice) given() bool { return c.Harm != 0 }

func (c *harmChoice) String() string { return c.Harm.String() }

// order is the value of the flag -sort.
type order string

const (
	byHarm order = "harm"
	byPath order = "path"
)

// sortFindings puts findings that are sorted by path into an order.
func sortFindings(findings []Finding, o order) {
	if o != byPath {
		slices.SortStableFunc(findings, func(a, b Finding) int { return cmp.Compare(b.Harm, a.Harm) })
	}
}

// summary says in one line what was found, and what of it is not shown.
func (r *Result) summary() string {
	if r.Packages == 0 && len(r.Findings)+len(r.Harmless) == 0 {
		return "nothing was analysed"
	}
	what := "no findings"
	if len(r.Findings)+len(r.Harmless) > 0 {
		what = count(len(r.Findings), "finding") + harmCounts(r.Findings)
	}
	parts := []string{what + " in " + count(r.Packages, "package")}
	fixes := 0
	for _, f := range r.Findings {
		if len(f.Diagnostic.SuggestedFixes) > 0 {
			fixes++
		}
	}
	if fixes > 0 {
		parts = append(parts, plural(fixes, "has a fix", "have fixes"))
	}
	if r.Known > 0 {
		parts = append(parts, fmt.Sprintf("%d known to the baseline", r.Known))
	}
	if hidden := r.hidden(); hidden != "" {
		parts = append(parts, hidden)
	}
	return strings.Join(parts, "; ")
}

// hidden says what does too little harm to be shown, and what shows it.
func (r *Result) hidden() string {
	least := rule.Hygiene
	var what []string
	if n := len(r.Harmless); n > 0 {
		worst := r.Harmless[0].Harm
		least = worst
		for _, f := range r.Harmless {
			least, worst = min(least, f.Harm), max(worst, f.Harm)
		}
		kind := "less harmful finding"
		if least == worst {
			kind = least.String() + " finding"
		}
		what = append(what, count(n, kind)+" not shown")
	}
	if r.Silent > 0 {
		what, least = append(what, count(r.Silent, "package")+" for tests not looked into"), rule.Hygiene
	}
	if len(what) == 0 {
		return ""
	}
	return fmt.Sprintf("%s (-harm=%s)", strings.Join(what, ", "), least)
}

// harmCounts says how many findings do which harm, the worst first.
func harmCounts(findings []Finding) string {
	counts := make(map[rule.Harm]int)
	for _, f := range findings {
		counts[f.Harm]++
	}
	var parts []string
	for _, h := range rule.Harms() {
		if n := counts[h]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, h))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// count words a number of things.
func count(n int, what string) string { return plural(n, what, what+"s") }

// plural words a number of things that are called one way if it is one, and another way if it
// is not.
func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
