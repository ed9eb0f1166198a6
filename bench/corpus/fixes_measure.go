package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Measured says what opvet made of a Fix.
type Measured struct {
	fixPlace
	Opvet   string  `json:"opvet"` // its commit
	Outcome outcome `json:"outcome"`
	// By is the analyzer/category of the finding at the parent.
	By string `json:"by,omitempty"`
	// Unprinted tells that the finding is hygiene, not printed by default.
	Unprinted bool `json:"unprinted,omitempty"`
	// Alone tells that only the package was loaded, with what it imports: what others
	// would prove was out of sight.
	Alone bool `json:"alone,omitempty"`
	// Reason says why it was missed or not analysed.
	Reason string `json:"reason,omitempty"`
}

// outcomeStays is that of a finding at the parent that is there after the fix,
// too, so that it was about something else.
const outcomeStays outcome = "stays"

func parseMeasured(r io.Reader) ([]Measured, error) {
	return parseLines(r, func(m Measured) error {
		switch m.Outcome {
		case outcomeFound, outcomeStays, outcomeMissed, outcomeUnanalysed:
			return nil
		}
		return fmt.Errorf("unknown outcome %q", m.Outcome)
	})
}

// runFixes is what -fixes does.
func runFixes(fixesFile, measuredFile, part, repos, work string, alone bool) error {
	if measuredFile == "" || repos == "" {
		return fmt.Errorf("-fixes wants -measured and -repos")
	}
	if !slices.Contains([]string{"", "aside", "rest"}, part) {
		return fmt.Errorf("-part %s: want aside or rest", part)
	}
	if err := defaultWork(&work); err != nil {
		return err
	}
	fixes, err := readFile(fixesFile, parseFixes)
	if err != nil {
		return err
	}
	if part != "" {
		fixes = slices.DeleteFunc(fixes, func(f Fix) bool { return f.SetAside != (part == "aside") })
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	b, err := newBench(repos, work, self, true, false, func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	})
	if err != nil {
		return err
	}
	if b.provenance.Commit == "" { // a binary without stamps, built here
		if b.provenance, err = newProvenance(self, true); err != nil {
			return err
		}
	}
	b.alone = alone
	return b.measureFixes(fixes, measuredFile)
}

// measureFixes measures the fixes that the file of measured ones lacks, and
// writes the file after each repository, so that a run can be broken off.
func (b *bench) measureFixes(fixes []Fix, measuredFile string) error {
	var all []Measured
	if _, err := os.Stat(measuredFile); err == nil {
		if all, err = readFile(measuredFile, parseMeasured); err != nil {
			return err
		}
	}
	done := make(map[fixPlace]bool)
	for _, m := range all {
		done[m.fixPlace] = true
	}
	byRepo := make(map[string][]Fix)
	var repos []string
	for _, f := range fixes {
		if done[f.fixPlace] {
			continue
		}
		if byRepo[f.Repo] == nil {
			repos = append(repos, f.Repo)
		}
		byRepo[f.Repo] = append(byRepo[f.Repo], f)
	}
	for i, repo := range repos {
		b.progress("%d/%d %s: %d places", i+1, len(repos), repo, len(byRepo[repo]))
		all = append(all, b.measureRepo(repo, byRepo[repo])...)
		if err := writeMeasured(measuredFile, all); err != nil {
			return err
		}
	}
	return nil
}

func writeMeasured(file string, all []Measured) error {
	slices.SortFunc(all, func(a, b Measured) int {
		return cmp.Or(strings.Compare(a.Repo, b.Repo), strings.Compare(a.Fix, b.Fix),
			strings.Compare(a.File, b.File), a.Line-b.Line, strings.Compare(a.class(), b.class()))
	})
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	for _, m := range all {
		if err := encoder.Encode(m); err != nil {
			return err
		}
	}
	return os.WriteFile(file, text.Bytes(), 0o666)
}

// measureRepo measures the fixes of one repository, in one folder that goes
// from commit to commit.
func (b *bench) measureRepo(repo string, fixes []Fix) []Measured {
	clone, err := findClone(b.repos, repo)
	if err != nil {
		return unanalysedFixes(b, fixes, err)
	}
	folder, err := newFolder(clone, b.work)
	if err != nil {
		return unanalysedFixes(b, fixes, err)
	}
	defer folder.remove()
	var all []Measured
	byCommit := make(map[string][]Fix)
	var commits []string
	for _, f := range fixes {
		if byCommit[f.Fix] == nil {
			commits = append(commits, f.Fix)
		}
		byCommit[f.Fix] = append(byCommit[f.Fix], f)
	}
	for _, commit := range commits {
		all = append(all, b.measureCommit(folder, byCommit[commit])...)
	}
	return all
}

func unanalysedFixes(b *bench, fixes []Fix, err error) []Measured {
	var all []Measured
	for _, f := range fixes {
		all = append(all, Measured{
			fixPlace: f.fixPlace, Opvet: b.provenance.Commit, Outcome: outcomeUnanalysed, Reason: shortReason(err.Error()),
		})
	}
	return all
}

// measureCommit measures the fixes of one commit: its parent first, and the
// commit itself only where there is something that could have gone.
func (b *bench) measureCommit(folder *folder, fixes []Fix) []Measured {
	if err := folder.moveTo(fixes[0].Parent); err != nil {
		return unanalysedFixes(b, fixes, err)
	}
	var all []Measured
	var reported []int // the fixes with a finding at the parent
	extents := funcExtents(folder.dir)
	before, errs := b.look(folder.dir, fixes)
	for i, f := range fixes {
		seen, err := before[i], errs[i]
		m := Measured{fixPlace: f.fixPlace, Opvet: b.provenance.Commit, Outcome: outcomeMissed}
		if err != nil {
			m.Outcome, m.Reason = outcomeUnanalysed, shortReason(err.Error())
			b.progress("  %s:%d: %v", f.File, f.Line, err)
		} else if finding := f.findingIn(seen.Findings, extents); finding != nil {
			reported = append(reported, i)
			m.Outcome, m.By, m.Unprinted = outcomeFound, finding.Analyzer+"/"+finding.Category, !finding.isPrinted()
			seen.match = *finding
		} else {
			m.Reason = seen.excuseAt(f, extents)
		}
		m.Alone = err == nil && seen.alone
		all = append(all, m)
	}
	if len(reported) > 0 {
		if err := folder.moveTo(fixes[0].Fix); err != nil {
			return unanalysedFixes(b, fixes, err)
		}
		var again []Fix
		for _, i := range reported {
			again = append(again, fixes[i])
		}
		after, errs := b.look(folder.dir, again)
		for n, i := range reported {
			switch seen, err := before[i], errs[n]; {
			case err != nil && !os.IsNotExist(err):
				all[i].Outcome, all[i].Reason = outcomeUnanalysed, "after the fix: "+shortReason(err.Error())
			case err == nil && after[n].like(seen.match) >= seen.like(seen.match):
				all[i].Outcome = outcomeStays
			}
		}
	}
	for _, m := range all {
		b.progress("  %s %s:%d: %s %s %s", m.class(), filepath.Base(m.File), m.Line, m.Outcome, m.By, m.Reason)
	}
	return all
}

// findingIn returns the finding that is about the fix: of its rule or a rule
// that answers for the same kind of case, at most bugSlack lines away, in the
// function, or naming the place; the nearest. What is told by comments and
// manifests, the permissions, has no function, and is found by any finding that
// goes away with it.
func (f Fix) findingIn(findings []Finding, extents func(Case) extent) *Finding {
	c := Case{Repo: f.Repo, Commit: f.Parent, File: f.File, Line: f.Line, Func: f.Func}
	within := extents(c)
	best, rank := (*Finding)(nil), 0
	for i, finding := range findings {
		var r int
		switch distance := abs(finding.Line - f.Line); {
		case !slices.Contains(f.answering(), finding.Analyzer):
			continue
		case finding.File == f.File && distance <= bugSlack:
			r = distance
		case finding.File == f.File && within.contains(finding.Line):
			r = 1_000 + distance
		case finding.names(c):
			r = 1_000_000
		case finding.namesWithin(f.File, within):
			r = 1_500_000
		case f.Func == "":
			r = 2_000_000
		default:
			continue
		}
		if finding.Analyzer == f.Rule {
			r -= bugSlack + 1 // its own rule first
		}
		if best == nil || r < rank {
			best, rank = &findings[i], r
		}
	}
	return best
}

// endless are the rules about what a context does not end.
var endless = []string{"ctxdone", "detachedctx", "handlergoroutine"}

// answering returns the analyzers whose finding is one of this mistake.
func (f Fix) answering() []string {
	names := []string{f.Rule}
	for _, together := range analyzersOf {
		if slices.Contains(together, f.Rule) {
			names = append(names, together...)
		}
	}
	if slices.Contains(endless, f.Rule) {
		names = append(names, endless...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// like counts the findings of the same kind in the same file.
func (l *look) like(finding Finding) int {
	n := 0
	for _, other := range l.Findings {
		if other.Analyzer == finding.Analyzer && other.Category == finding.Category && other.File == finding.File {
			n++
		}
	}
	return n
}
