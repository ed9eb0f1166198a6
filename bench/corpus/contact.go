package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// A Contact is what opvet said of an operator that nobody had tuned it for: the
// findings of one run with the default flags, each read before anything was
// mended. Rows are added and never changed.
type Contact struct {
	Repo   string `json:"repo"`
	Commit string `json:"commit"`
	Date   string `json:"date"`  // of the run, as 2006-01-02
	Lines  int    `json:"lines"` // of code that was analysed
	// Findings are those printed; Right those of them that are true.
	Findings int `json:"findings"`
	Right    int `json:"right"`
	// A, B and C are the right ones by grade, nil where nobody graded them.
	Grades *Grades `json:"grades,omitempty"`
	// By has the analyzers' share.
	By map[string]Share `json:"by,omitempty"`
}

// Grades counts findings by grade.
type Grades struct {
	A int `json:"A"`
	B int `json:"B"`
	C int `json:"C"`
}

// Share is an analyzer's part of a contact.
type Share struct {
	Findings int `json:"findings"`
	Right    int `json:"right"`
	Wanted   int `json:"wanted"`
}

func (g Grades) wanted() int { return g.A + g.B }

// parseContacts reads one JSON object a line.
func parseContacts(r io.Reader) ([]Contact, error) {
	var contacts []Contact
	scanner := bufio.NewScanner(r)
	for n := 1; scanner.Scan(); n++ {
		line := bytes.TrimSpace(scanner.Bytes())
		if len(line) == 0 {
			continue
		}
		var c Contact
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&c); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		switch {
		case !repoSyntax.MatchString(c.Repo), !commitSyntax.MatchString(c.Commit):
			return nil, fmt.Errorf("line %d: want a repo and a commit", n)
		case c.Right > c.Findings, c.Grades != nil && c.Grades.wanted()+c.Grades.C != c.Right:
			return nil, fmt.Errorf("line %d: the numbers do not add up", n)
		case slices.ContainsFunc(contacts, func(o Contact) bool { return o.Repo == c.Repo }):
			return nil, fmt.Errorf("line %d: a first contact with %s was made already", n, c.Repo)
		}
		contacts = append(contacts, c)
	}
	return contacts, scanner.Err()
}

// firstContact is the table of first contacts.
func (d *document) firstContact(contacts []Contact) {
	if len(contacts) == 0 {
		return
	}
	d.printf(`
## First contact

Operators that no rule had been made with, as opvet found them: default flags, every finding read by somebody who had not written the rules, before
anything was mended. A row is never changed. *Wanted* are the findings that a maintainer would mend soon (A) or accept a change for (B); what is right
and noise (C) is not. Until November 2026 nobody asked what was wanted, and what is hygiene now was printed.
`)
	d.head("operator", "commit", "date", "lines", "findings", "right", "wanted", "A", "B", "C")
	for _, c := range contacts {
		cells := []any{fmt.Sprintf("[%s](https://github.com/%s)", c.Repo, c.Repo), c.Commit[:10], c.Date, thousands(c.Lines), c.Findings, ratio(c.Right, c.Findings)}
		if g := c.Grades; g != nil {
			cells = append(cells, ratio(g.wanted(), c.Findings), g.A, g.B, g.C)
		} else {
			cells = append(cells, "", "", "", "")
		}
		d.row(cells...)
	}
}

// sumContacts adds up the contacts whose findings were graded.
func sumContacts(contacts []Contact) (operators, findings, right, wanted int) {
	for _, c := range contacts {
		if c.Grades != nil {
			operators++
			findings += c.Findings
			right += c.Right
			wanted += c.Grades.wanted()
		}
	}
	return operators, findings, right, wanted
}
