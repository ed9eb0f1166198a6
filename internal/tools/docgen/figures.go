package main

import (
	"fmt"
	"regexp"
)

const (
	accuracyName = "docs/accuracy.md"

	figuresBegin = "<!-- accuracy: written by make docs -->\n"
	figuresEnd   = "<!-- /accuracy -->\n"
)

var (
	latestRow  = regexp.MustCompile(`(?m)^\| of these, the last ([0-9]+) operators \| [0-9,]+ \| .*\(([0-9]+) %\) \| .*\(([0-9]+) %\) \|$`)
	figuresRow = regexp.MustCompile(`(?m)^\| .*\[(first contact|now)\].*, ([0-9]+) operators \| [0-9,]+ \| .*\(([0-9]+) %\) \| .*\(([0-9]+) %\) \|$`)
	bugsFound  = regexp.MustCompile(`(?m)^\[Judged bugs\].* found: .*\(([0-9]+) %\)\.$`)
)

// figures says in a line how accurate the suite is, by the table at the top of the
// page about that.
func figures(accuracy string) (string, error) {
	rows, bugs := figuresRow.FindAllStringSubmatch(accuracy, -1), bugsFound.FindStringSubmatch(accuracy)
	latest := latestRow.FindStringSubmatch(accuracy)
	if len(rows) != 2 || latest == nil || bugs == nil {
		return "", fmt.Errorf("%s does not begin with its figures", accuracyName)
	}
	first, now := rows[0], rows[1]
	return fmt.Sprintf("[Measured](%s): at first contact with %s operators %s %% of its findings were right and %s %% wanted, with the last %s of them\n"+
		"%s %% and %s %%; on the %s that it is developed with %s %% and %s %% are; of the bugs known there it finds %s %%.\n",
		accuracyName, first[2], first[3], first[4], latest[1], latest[2], latest[3], now[2], now[3], now[4], bugs[1]), nil
}
