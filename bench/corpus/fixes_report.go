package main

import (
	"maps"
	"slices"
	"strings"
)

// A fixTally counts what became of fixed mistakes.
type fixTally struct {
	analysed, found, printed, unanalysed int
}

func (t *fixTally) add(m Measured) {
	switch m.Outcome {
	case outcomeUnanalysed:
		t.unanalysed++
		return
	case outcomeFound:
		t.found++
		if !m.Unprinted {
			t.printed++
		}
	}
	t.analysed++
}

// fixed is the table of the mistakes that maintainers fixed.
func (d *document) fixed(fixes []Fix, measured []Measured) {
	if len(fixes) == 0 || len(measured) == 0 {
		return
	}
	byPlace := make(map[fixPlace]Measured)
	for _, m := range measured {
		byPlace[m.fixPlace] = m
	}
	var total [2]fixTally
	byRule := make(map[string]*[2]fixTally)
	commits, operators := make(map[string]bool), make(map[string]bool)
	var missed []Fix
	alone, builds := 0, make(map[string]bool)
	for _, f := range fixes {
		commits[f.Fix], operators[f.Repo] = true, true
		m, ok := byPlace[f.fixPlace]
		if !ok {
			continue
		}
		if byRule[f.Rule] == nil {
			byRule[f.Rule] = new([2]fixTally)
		}
		part := 1
		if f.SetAside {
			part = 0
			if m.Outcome == outcomeMissed || m.Outcome == outcomeStays {
				missed = append(missed, f)
			}
		}
		total[part].add(m)
		builds[m.Opvet] = true
		if m.Alone {
			alone++
		}
		byRule[f.Rule][part].add(m)
	}
	d.printf(`
## What maintainers fixed

%d places in %d fix commits of %d operators, which readers took from the projects' history before anybody asked opvet about them. A place counts
as *found* if opvet reports it at the fix's parent and no more after the fix; of %s only the package of the place was loaded, so that what another package would
prove was out of sight. A third of the commits, drawn by lot, is *set aside*: no rule was changed for it after it was measured. The others are what
the rules learn from. *Printed* are those found that the default flags print. The rows are of %d versions of opvet, so that rules have changed since some were measured.
`, len(fixes), len(commits), len(operators), ratio(alone, total[0].analysed+total[1].analysed), len(builds))
	d.head("rule", "set aside: found", "printed", "others: found", "printed", "not analysed")
	row := func(name string, t [2]fixTally) {
		d.row(name, ratio(t[0].found, t[0].analysed), t[0].printed, ratio(t[1].found, t[1].analysed), t[1].printed, t[0].unanalysed+t[1].unanalysed)
	}
	for _, name := range slices.Sorted(maps.Keys(byRule)) {
		row(analyzerLink(name), *byRule[name])
	}
	row("all", total)
	if len(missed) == 0 {
		return
	}
	d.printf("\nMissed of those set aside:\n\n")
	for _, f := range missed {
		m := byPlace[f.fixPlace]
		reason := m.Reason
		if m.Outcome == outcomeStays {
			reason = strings.TrimPrefix(reason+"; what is reported there is still reported after the fix", "; ")
		}
		d.printf("- `%s` %s: %s (%s)\n", f.class(), f.link(), oneSpace(f.Why), oneSpace(reason))
	}
}

// link is the place at the parent, as a link to its line.
func (f Fix) link() string {
	return Case{Repo: f.Repo, Commit: f.Parent, File: f.File, Line: f.Line}.link()
}
