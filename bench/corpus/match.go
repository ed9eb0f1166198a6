package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/opvet/opvet/internal/ir/syntax"
)

// How far a finding may be from a judged line. A bug has several lines that
// can stand for it (the mutation, the write that drops it, the go statement,
// the call that it wraps), so there is slack; a trap is one place, and a
// finding two lines further may be about something else.
const (
	bugSlack  = 3
	trapSlack = 1
)

// An outcome says what opvet made of a case.
type outcome string

const (
	outcomeFound      outcome = "found"      // a bug that was reported
	outcomeMissed     outcome = "missed"     // a bug that was not
	outcomeSilent     outcome = "silent"     // a trap that was not reported
	outcomeReported   outcome = "reported"   // a trap that was
	outcomeUnanalysed outcome = "unanalysed" // the code could not be loaded
)

// A Result is a case with its outcome.
type Result struct {
	Case
	Outcome outcome `json:"outcome"`
	// Finding is the one that found the bug or fell for the trap.
	Finding *Finding `json:"finding,omitempty"`
	// Near are findings elsewhere in a trap's function: they may be about
	// the same thing, and are to be read.
	Near []Finding `json:"near,omitempty"`
	// Reason says why the case was not analysed.
	Reason string `json:"reason,omitempty"`

	within extent // of the case's function
}

// match decides the cases of one commit and one category by the findings in
// that commit of the category's analyzers. It returns, beside the results, which
// of the findings some case has judged.
//
// A trap is reported by a finding within trapSlack lines. A bug is found by a
// finding within bugSlack lines, or else anywhere in the function that the
// case names, or else by one that names the line in its message or among its
// related places: a bug whose culprit lies in another package is reported where
// the path to it leaves the package. By where it stands, each finding accounts
// for one bug, the nearest, so that one finding does not pass for all bugs of a
// function.
func match(cases []Case, findings []Finding, extents func(Case) extent) (results []Result, judged []bool) {
	results = make([]Result, len(cases))
	judged = make([]bool, len(findings))
	used := make([]bool, len(findings)) // accounts for a bug
	for i, c := range cases {
		within := extents(c)
		results[i] = Result{Case: c, Outcome: outcomeMissed, within: within}
		if c.Verdict != verdictOK {
			continue
		}
		results[i].Outcome = outcomeSilent
		for j := range findings {
			switch f := &findings[j]; {
			case f.File != c.File || !c.about(f.Analyzer):
			case abs(f.Line-c.Line) <= trapSlack:
				judged[j] = true
				// One of several at the place tells enough.
				results[i].Outcome, results[i].Finding = outcomeReported, f
			case within.contains(f.Line):
				results[i].Near = append(results[i].Near, *f)
			}
		}
	}

	// A finding about one bug's place, made where a path to it begins, is not
	// about another bug in the function there.
	pointsAway := make([]bool, len(findings))
	for j, f := range findings {
		pointsAway[j] = slices.ContainsFunc(cases, func(c Case) bool {
			return c.Verdict == verdictBug && c.File != f.File && f.names(c)
		})
	}

	const namedRank = 1_000_000
	type candidate struct{ result, finding, rank int }
	var candidates []candidate
	for i, c := range cases {
		if c.Verdict != verdictBug {
			continue
		}
		within := results[i].within
		for j, f := range findings {
			if judged[j] || !c.about(f.Analyzer) {
				continue
			}
			switch distance := abs(f.Line - c.Line); {
			case f.File == c.File && distance <= bugSlack:
				candidates = append(candidates, candidate{i, j, distance})
			case f.File == c.File && within.contains(f.Line) && !pointsAway[j]:
				candidates = append(candidates, candidate{i, j, 1_000 + distance})
			}
			if f.names(c) { // one finding may be about several places
				candidates = append(candidates, candidate{i, j, namedRank})
			}
		}
	}
	sort.SliceStable(candidates, func(i, j int) bool { return candidates[i].rank < candidates[j].rank })
	for _, k := range candidates {
		r := &results[k.result]
		if r.Outcome == outcomeFound || used[k.finding] && k.rank != namedRank {
			continue
		}
		r.Outcome, r.Finding = outcomeFound, &findings[k.finding]
		used[k.finding], judged[k.finding] = true, true
	}
	for _, k := range candidates {
		if k.rank <= bugSlack || k.rank == namedRank {
			judged[k.finding] = true // another finding of the same bug
		}
	}
	return results, judged
}

// placeInMessage is how a message points to another package: the end of a
// path, and a line.
var placeInMessage = regexp.MustCompile(`([\w.@+-]+(?:/[\w.@+-]+)*\.go):(\d+)`)

// names reports whether the case's line is among the finding's related places
// or in its message.
func (f Finding) names(c Case) bool {
	if slices.ContainsFunc(f.Related, func(p place) bool {
		return p.File == c.File && abs(p.Line-c.Line) <= trapSlack
	}) {
		return true
	}
	for _, m := range placeInMessage.FindAllStringSubmatch(f.Message, -1) {
		line, err := strconv.Atoi(m[2])
		if err == nil && abs(line-c.Line) <= trapSlack && strings.HasSuffix("/"+c.File, "/"+m[1]) {
			return true
		}
	}
	return false
}

// namesWithin reports whether the message has a place in those lines of a file: what is
// reported in another package names the culprit's place, which may be another statement
// of the function than the one that was mended.
func (f Finding) namesWithin(file string, lines extent) bool {
	return slices.ContainsFunc(placeInMessage.FindAllStringSubmatch(f.Message, -1), func(m []string) bool {
		line, err := strconv.Atoi(m[2])
		return err == nil && lines.contains(line) && strings.HasSuffix("/"+file, "/"+m[1])
	})
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// An extent is a range of lines, both ends included; zero for none.
type extent struct{ first, last int }

func (e extent) contains(line int) bool { return e.first <= line && line <= e.last }

// funcExtents returns a function that finds the lines of a case's function in
// the checkout.
func funcExtents(checkout string) func(Case) extent {
	return func(c Case) extent {
		fset := token.NewFileSet()
		// What parses of a broken file is good enough for line numbers.
		file, _ := parser.ParseFile(fset, filepath.Join(checkout, filepath.FromSlash(c.File)), nil, parser.SkipObjectResolution)
		if file == nil {
			return extent{}
		}
		return funcExtent(fset, file, c)
	}
}

// funcExtent returns the lines of the function that the case names: the
// declaration of that name around the line, or the only one in the file, since
// a judged line may be off after an edit. A case without a name, or with one
// that is not in the file, means the function around its line.
func funcExtent(fset *token.FileSet, file *ast.File, c Case) extent {
	var around extent
	var named []extent
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		e := extent{fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line}
		if e.contains(c.Line) {
			around = e
		}
		if isNamed(fn, c.Func) {
			named = append(named, e)
		}
	}
	for _, e := range named {
		if e.contains(c.Line) {
			return e
		}
	}
	if len(named) == 1 {
		return named[0]
	}
	return around
}

// isNamed reports whether name, as Name or Type.Name, means fn. The receiver
// may be left out.
func isNamed(fn *ast.FuncDecl, name string) bool {
	receiver, base, ok := strings.Cut(name, ".")
	if !ok {
		return fn.Name.Name == name
	}
	typ, _ := syntax.Receiver(fn)
	return fn.Name.Name == base && typ != "" && typ == strings.TrimPrefix(strings.Trim(receiver, "()"), "*")
}
