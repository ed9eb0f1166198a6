package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An Operator is a repository whose current code precision is measured on.
type Operator struct {
	Repo   string `json:"repo"`
	Commit string `json:"commit"`
	// Unseen tells that no rule was made with this operator at hand.
	Unseen bool `json:"unseen,omitempty"`
	// Modules are the directories of the Go modules to analyse, if that is not
	// the one at the root alone.
	Modules []string `json:"modules,omitempty"`
}

// parseOperators reads one JSON object a line.
func parseOperators(r io.Reader) ([]Operator, error) {
	var operators []Operator
	scanner := bufio.NewScanner(r)
	for n := 1; scanner.Scan(); n++ {
		line := bytes.TrimSpace(scanner.Bytes())
		if len(line) == 0 {
			continue
		}
		var o Operator
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&o); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		switch {
		case !repoSyntax.MatchString(o.Repo):
			return nil, fmt.Errorf("line %d: repo %q is not owner/name", n, o.Repo)
		case !commitSyntax.MatchString(o.Commit):
			return nil, fmt.Errorf("line %d: commit %q is not 40 hex digits", n, o.Commit)
		case slices.ContainsFunc(operators, func(p Operator) bool { return p.Repo == o.Repo }):
			return nil, fmt.Errorf("line %d: %s is there twice", n, o.Repo)
		}
		operators = append(operators, o)
	}
	return operators, scanner.Err()
}

// A Tree is what opvet says of an operator.
type Tree struct {
	Operator
	Lines    int             `json:"lines"` // of code that was analysed
	Findings []JudgedFinding `json:"findings"`
	// Harmless counts the findings that are not printed by default.
	Harmless int `json:"harmless"`
	// Unloaded counts the files whose packages do not load.
	Unloaded int `json:"unloaded,omitempty"`
	// Reason says why nothing was analysed.
	Reason string `json:"reason,omitempty"`
}

// A JudgedFinding is a finding with the case that judges it, nil if nobody has
// read it.
type JudgedFinding struct {
	Finding
	Case *Case `json:"case,omitempty"`
	// Grade is the best of the bugs that it reports, empty if nobody has graded them.
	Grade string `json:"grade,omitempty"`

	within extent // of its function
}

// survey analyses the operators and judges what opvet says of them by the cases.
func (b *bench) survey(operators []Operator, cases []Case) []Tree {
	var trees []Tree
	for i, o := range operators {
		b.progress("operator %d/%d %s", i+1, len(operators), checkoutName(o.Repo, o.Commit))
		tree := Tree{Operator: o}
		if err := b.surveyOne(&tree, cases); err != nil {
			b.progress("  %v", err)
			tree = Tree{Operator: o, Reason: oneLine(err.Error())}
		}
		trees = append(trees, tree)
	}
	return trees
}

func (b *bench) surveyOne(tree *Tree, cases []Case) error {
	dir, err := b.checkout(tree.Repo, tree.Commit)
	if err != nil {
		return err
	}
	modules := tree.Modules
	if len(modules) == 0 {
		modules = []string{"."}
	}
	var findings []Finding
	for _, mod := range modules {
		m, a, err := b.analyse(dir, filepath.FromSlash(mod), tree.Repo, tree.Commit)
		if err != nil {
			return err
		}
		findings = append(findings, a.Findings...)
		for file, failure := range m.Files {
			if failure != "" {
				tree.Unloaded++
				continue
			}
			n, err := codeLines(filepath.Join(dir, filepath.FromSlash(mod), filepath.FromSlash(file)))
			if err != nil {
				return err
			}
			tree.Lines += n
		}
	}
	cases = slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return c.Repo != tree.Repo || c.Commit != tree.Commit })
	extents := funcExtents(dir)
	for _, f := range findings {
		if !f.isPrinted() {
			tree.Harmless++
			continue
		}
		j := JudgedFinding{Finding: f, Case: judge(f, cases), within: extents(Case{File: f.File, Line: f.Line})}
		if j.Case != nil && j.Case.Verdict == verdictBug {
			j.Grade = grade(f, cases)
		}
		tree.Findings = append(tree.Findings, j)
	}
	return nil
}

// judge returns the case that judges a finding, nil if there is none: the one at
// its line, or else the nearest within the slack that match allows, or else
// one whose bug the finding names. Of a bug and a trap that are equally near the
// trap counts. Being somewhere in a bug's function is not enough to be right.
func judge(f Finding, cases []Case) *Case {
	const named = bugSlack + 1
	var best *Case
	distance := named + 1
	for i := range cases {
		c := &cases[i]
		if !c.about(f.Analyzer) {
			continue
		}
		d, slack := abs(f.Line-c.Line), bugSlack
		if c.Verdict == verdictOK {
			slack = trapSlack
		}
		switch {
		case f.File == c.File && d <= slack:
		case c.Verdict == verdictBug && f.names(*c):
			d = named
		default:
			continue
		}
		if d < distance || d == distance && c.Verdict == verdictOK {
			best, distance = c, d
		}
	}
	return best
}

// grade returns the best grade among the bugs that a finding reports: it lies at
// one, or names it.
func grade(f Finding, cases []Case) string {
	best := ""
	for _, c := range cases {
		at := f.File == c.File && abs(f.Line-c.Line) <= bugSlack
		if c.Verdict == verdictBug && c.Grade != "" && c.about(f.Analyzer) && (at || f.names(c)) && (best == "" || c.Grade < best) {
			best = c.Grade
		}
	}
	return best
}

// codeLines counts the lines of a Go file that hold code, not counting comments
// and blank lines; none in generated files, in which opvet reports nothing.
func codeLines(name string) (int, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	fset := token.NewFileSet()
	header, err := parser.ParseFile(fset, name, text, parser.PackageClauseOnly|parser.ParseComments)
	if err == nil && ast.IsGenerated(header) {
		return 0, nil
	}
	file := fset.AddFile(name, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	lines, last := 0, 0
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return lines, nil
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue
		}
		// A raw string is code on each of its lines.
		first := file.Line(pos)
		end := first + strings.Count(literal, "\n")
		lines += end - max(first-1, last)
		last = max(last, end)
	}
}
