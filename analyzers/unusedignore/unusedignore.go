package unusedignore

import (
	_ "embed"
	"fmt"
	"go/ast"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/registry"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/suppress"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

// Analyzer finds suppression comments that silence nothing. It is the one
// analyzer that depends on others: on all of them.
var Analyzer = rule.New(rule.Spec{
	Name: self, Summary: "find comments that were to silence a finding and do not", DocSource: doc, Group: ownGroup, Since: "v0.1.0", Prints: rule.Hygiene,
	Categories: []rule.Category{
		{Name: "unused", Summary: "a comment that silences nothing", Harm: rule.Hygiene, Fix: true},
		{Name: "unknown", Summary: "a comment that names no analyzer", Harm: rule.Hygiene, Fix: true},
		{Name: "misplaced", Summary: "a comment at the cause of a finding, which is reported elsewhere", Harm: rule.Hygiene},
		{Name: "malformed", Summary: "a comment that does not count", Harm: rule.Hygiene},
	},
	Requires: registry.Rules, Anywhere: true, Concerns: mayReport,
	Run: func(pass *analysis.Pass, report *rule.Reporter) error {
		for _, file := range pass.Files {
			if !report.Wants(file) {
				continue
			}
			// A name for all analyzers may silence what is found here of the others.
			for _, forAll := range []bool{false, true} {
				for _, d := range report.Comments(file) {
					for _, name := range d.Names {
						if name.IsSuite() == forAll {
							check(pass, report, file, d, name)
						}
					}
				}
			}
		}
		return nil
	},
})

// mayReport tells by the text of a file whether comments in it may be reported.
func mayReport(src []byte) bool {
	for _, d := range suppress.Written(src) {
		for _, name := range d.Names {
			judges, known := meant(name)
			if known && (d.Problem != "" || len(judges) > 0) || !known && (name.InSuite || hasAnalyzer(name.Text) || nearest(name.Text) != "") {
				return true
			}
		}
	}
	return false
}

// check judges one name of a comment.
func check(pass *analysis.Pass, report *rule.Reporter, file *ast.File, d *suppress.Directive, name suppress.Name) {
	finding := rule.Finding{Pos: name.Pos, End: name.End}
	judges, known := meant(name)
	switch {
	case !known:
		right := nearest(name.Text)
		if right == "" && !name.InSuite && !hasAnalyzer(name.Text) {
			return // another linter's
		}
		finding.Category = "unknown"
		finding.Message = fmt.Sprintf("this comment silences nothing: no analyzer, group or category is named %s", wording.Tail(name.Text, 50))
		if right != "" {
			finding.Message += fmt.Sprintf("; write %s", right)
			finding.Fix = replaceName(name, right)
		}
	case d.Problem != "":
		finding.Category = "malformed"
		finding.Message = fmt.Sprintf("this comment silences nothing: %s", d.Problem)
	case len(judges) > 0 && !rule.LeftToHost(d, &name) && !report.Outcome().Silences(name) && unused(pass, file, judges, name):
		if at, by := effect(pass, d, judges, name); at.IsValid() {
			finding.Category = "misplaced"
			finding.Message = fmt.Sprintf("this comment silences nothing: it stands at the cause of a finding; move it to %s, where %s reports it", placeFrom(pass.Fset, name.Pos, at), by)
			break
		}
		finding.Category = "unused"
		finding.Message = fmt.Sprintf("this comment hides the next mistake here, since %s finds nothing now; remove it", name.Text)
		finding.Fix = removeName(pass.Fset, file, d, name)
	default:
		return
	}
	report.Report(finding)
}

// meant returns the analyzers that a name stands for, and whether it is a name
// of the suite's at all. For a name that needs no judgement there is none.
func meant(name suppress.Name) (judges []*analysis.Analyzer, known bool) {
	switch {
	case name.Text == "all": // for other linters, too
		return nil, true
	case name.IsSuite():
		return registry.Rules, true
	case name.Matches(ownGroup, self, ""):
		return nil, true
	}
	for _, a := range registry.Rules {
		spec := rule.Of(a)
		if name.Matches(spec.Group, a.Name, "") ||
			slices.ContainsFunc(spec.Categories, func(c rule.Category) bool { return name.Matches("", a.Name, c.Name) }) {
			judges = append(judges, a)
		}
	}
	return judges, len(judges) > 0
}

const (
	self     = "unusedignore"
	ownGroup = "suppression"
)

// unused reports whether none of the analyzers would report what the name
// silences. Of a file that one of them does not look at, nothing is known.
func unused(pass *analysis.Pass, file *ast.File, judges []*analysis.Analyzer, name suppress.Name) bool {
	for _, a := range judges {
		if len(judges) == 1 && rule.Of(a).Elsewhere {
			return false
		}
		if !rule.Wants(a, pass.Fset, file) || pass.ResultOf[a].(*rule.Outcome).Silences(name) {
			return false
		}
	}
	return true
}
