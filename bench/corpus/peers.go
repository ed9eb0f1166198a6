package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Peers are other tools' findings on operators of the survey.
type Peers struct {
	Tools    []Peer        `json:"tools"`
	Findings []PeerFinding `json:"findings"`
}

// A Peer is another tool.
type Peer struct {
	Name    string `json:"name"` // owner/name of its repository
	Version string `json:"version"`
	// Note says how it was run, and what of it has no counterpart here.
	Note   string      `json:"note"`
	Checks []PeerCheck `json:"checks"`
}

// A PeerCheck is one check of a tool that is about what some analyzers are about.
type PeerCheck struct {
	Name      string   `json:"name"`
	Analyzers []string `json:"analyzers"`
	// Repos are the operators that it ran over.
	Repos []string `json:"repos"`
}

// A PeerFinding is a place that a check reports.
type PeerFinding struct {
	Tool  string `json:"tool"`
	Check string `json:"check"`
	Repo  string `json:"repo"`
	File  string `json:"file"`
	Line  int    `json:"line"`
	// Verdict is "right", "wrong" or "doubtful", empty for those that were not
	// drawn to be read.
	Verdict string `json:"verdict,omitempty"`
	Why     string `json:"why,omitempty"`
}

var peerVerdicts = []string{"", "right", "doubtful", "wrong"}

// parsePeers reads the peers' file. What does not fit together is an error.
func parsePeers(r io.Reader) (*Peers, error) {
	peers := new(Peers)
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(peers); err != nil {
		return nil, err
	}
	repos := make(map[[2]string][]string)
	for _, tool := range peers.Tools {
		for _, check := range tool.Checks {
			repos[[2]string{tool.Name, check.Name}] = check.Repos
		}
	}
	for _, f := range peers.Findings {
		switch {
		case !slices.Contains(repos[[2]string{f.Tool, f.Check}], f.Repo):
			return nil, fmt.Errorf("%s:%d: %s/%s did not run over %s", f.File, f.Line, f.Tool, f.Check, f.Repo)
		case f.File == "" || f.Line < 1:
			return nil, fmt.Errorf("%s/%s: no place in %s", f.Tool, f.Check, f.Repo)
		case !slices.Contains(peerVerdicts, f.Verdict):
			return nil, fmt.Errorf("%s:%d: unknown verdict %q", f.File, f.Line, f.Verdict)
		case (f.Verdict == "") != (f.Why == ""):
			return nil, fmt.Errorf("%s:%d: a verdict and its reason belong together", f.File, f.Line)
		}
	}
	return peers, nil
}

// A contest compares a check with the analyzers of the same subject, on the same
// trees.
type contest struct {
	findings                int            // of the check
	verdicts                map[string]int // of those read
	opvet                   tally          // of the analyzers
	shared                  int            // of opvet's right findings, that the check has
	back                    int            // of the check's right findings, that opvet has
	bugs, peerBugs, ownBugs int            // judged there, and found by each
}

// compare holds a check against the report.
func (r *Report) compare(tool string, check PeerCheck, all []PeerFinding) contest {
	c := contest{verdicts: make(map[string]int)}
	var theirs []PeerFinding
	for _, f := range all {
		if f.Tool == tool && f.Check == check.Name {
			theirs = append(theirs, f)
			c.verdicts[f.Verdict]++
		}
	}
	c.findings = len(theirs)
	has := func(repo, file string, line int, within extent) bool {
		return slices.ContainsFunc(theirs, func(f PeerFinding) bool {
			return f.Repo == repo && f.File == file && (abs(f.Line-line) <= bugSlack || within.contains(f.Line))
		})
	}
	commits := make(map[string]string)
	for _, tree := range r.Operators {
		if !slices.Contains(check.Repos, tree.Repo) {
			continue
		}
		commits[tree.Repo] = tree.Commit
		for _, f := range tree.Findings {
			if !slices.Contains(check.Analyzers, f.Analyzer) {
				continue
			}
			c.opvet.add(f)
			if f.Case != nil && f.Case.Verdict == verdictBug && (has(tree.Repo, f.File, f.Line, f.within) ||
				slices.ContainsFunc(theirs, func(their PeerFinding) bool {
					return their.Repo == tree.Repo && f.names(Case{File: their.File, Line: their.Line})
				})) {
				c.shared++
			}
		}
		for _, f := range theirs {
			if f.Repo == tree.Repo && f.Verdict == "right" && slices.ContainsFunc(tree.Findings, func(own JudgedFinding) bool {
				return slices.Contains(check.Analyzers, own.Analyzer) && (own.names(Case{File: f.File, Line: f.Line}) ||
					own.File == f.File && (abs(own.Line-f.Line) <= bugSlack || own.within.contains(f.Line)))
			}) {
				c.back++
			}
		}
	}
	for _, result := range r.Cases {
		if result.Verdict != verdictBug || commits[result.Repo] != result.Commit || !slices.ContainsFunc(check.Analyzers, result.about) {
			continue
		}
		if result.Outcome == outcomeUnanalysed {
			continue
		}
		c.bugs++
		if result.Outcome == outcomeFound {
			c.ownBugs++
		}
		if has(result.Repo, result.File, result.Line, result.within) {
			c.peerBugs++
		}
	}
	return c
}

func (d *document) peers(peers *Peers, r *Report) {
	if peers == nil {
		return
	}
	d.printf(`
## Beside other tools

Tools whose checks are about some of the same mistakes, on the same trees, judged by the same standard: would the project's
maintainers want to change this code for what the tool says of it? Of each check some twenty findings are read, drawn at random from
each operator (all, where there are fewer); "doubtful" counts as neither right nor wrong. One tool has what the other reports if it reports
something of the same subject at most three lines away or in the same function, or at a place that opvet's message names, which is
generous to both. The judged bugs are
opvet's own corpus: they were mostly found by reading for its rules, so that its share of them is no fair measure of the others.
The verdicts are in [peers.json](../bench/corpus/peers.json).
`)
	d.head("tool and check", "opvet's", "operators", "findings", "read: right", "doubtful", "wrong",
		"opvet's right and wrong", "of opvet's right, it has", "of its right, opvet has", "judged bugs: it", "opvet")
	for _, tool := range peers.Tools {
		for _, check := range tool.Checks {
			c := r.compare(tool.Name, check, peers.Findings)
			d.row(tool.Name[strings.Index(tool.Name, "/")+1:]+" "+check.Name, strings.Join(check.Analyzers, ", "), len(check.Repos), c.findings,
				c.verdicts["right"], c.verdicts["doubtful"], c.verdicts["wrong"],
				fmt.Sprintf("%d, %d", c.opvet.right, c.opvet.wrong), share(c.shared, c.opvet.right),
				share(c.back, c.verdicts["right"]), share(c.peerBugs, c.bugs), share(c.ownBugs, c.bugs))
		}
	}
	d.printf("\n")
	for _, tool := range peers.Tools {
		var repos []string
		for _, check := range tool.Checks {
			repos = append(repos, check.Repos...)
		}
		slices.Sort(repos)
		d.printf("- [%s](https://github.com/%s), %s", tool.Name, tool.Name, tool.Version)
		if repos = slices.Compact(repos); len(repos) > 0 {
			d.printf(", over %s", strings.Join(repos, ", "))
		}
		d.printf(". %s\n", tool.Note)
	}
}

// share is n of all, or nothing if there is nothing to share.
func share(n, all int) string {
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", n, all)
}
