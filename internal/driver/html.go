package driver

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"go/token"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/picture"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed html.tmpl
var htmlSource string

var htmlPage = template.Must(template.New("report").Parse(htmlSource))

// htmlFormat prints one page that needs nothing else: no network, no other
// files. It is what a lead forwards.
type htmlFormat struct{}

func (htmlFormat) write(out io.Writer, r *report) error {
	shown := newHTMLReport(r)
	var err error
	if shown.Map, err = r.htmlMap(); err != nil {
		return err
	}
	var page bytes.Buffer
	if err := htmlPage.Execute(&page, shown); err != nil {
		return err
	}
	_, err = page.WriteTo(out)
	return err
}

// htmlReport is what the page shows.
type htmlReport struct {
	Title, Version, Summary string
	Harms                   []htmlHarm
	Rules, Packages         []htmlCount
	Findings                []htmlFinding
	Problems                []string
	Map                     string // the page of opvet map; empty if nothing can be drawn
}

type htmlHarm struct {
	Name, Meaning string
	Count         int
}

type htmlCount struct {
	Name, URL string
	Count     int
}

type htmlFinding struct {
	Number                        int
	Harm, Message, Rule, URL      string
	Package, Declaration, Summary string
	Runs                          string     // in which programs
	Steps                         []htmlStep // the way from cause to effect; the finding is one of them
	Fix                           string     // what the fix says that it does
	Edits                         []htmlEdit
}

// htmlStep is a place on the way, with its lines.
type htmlStep struct {
	Place, Text string
	Here        bool // the finding itself
	Lines       []htmlLine
}

type htmlLine struct {
	Number                int
	Before, Marked, After string
	Hot                   bool
}

type htmlEdit struct {
	Line     int
	Old, New string
}

func newHTMLReport(r *report) *htmlReport {
	page := &htmlReport{
		Title: filepath.Base(r.root.dir), Version: moduleVersion(), Summary: r.summary(), Problems: r.Problems,
	}
	byHarm := make(map[rule.Harm]int)
	rules, packages := new(counter), new(counter)
	for i, f := range r.Findings {
		byHarm[f.Harm]++
		rules.add(f.ruleID(), f.Diagnostic.URL)
		packages.add(f.Pkg.Path(), "")
		page.Findings = append(page.Findings, r.htmlFinding(i+1, f))
	}
	for _, h := range rule.Harms() {
		if n := byHarm[h]; n > 0 {
			page.Harms = append(page.Harms, htmlHarm{h.String(), h.Meaning(), n})
		}
	}
	page.Rules, page.Packages = rules.sorted(), packages.sorted()
	return page
}

// htmlMap returns the page of opvet map, if the packages make something that can be
// drawn. Its findings lead to those of the report.
func (r *report) htmlMap() (string, error) {
	if r.model == nil {
		return "", nil
	}
	drawn := r.model.draw()
	if len(drawn.Programs) == 0 {
		return "", nil
	}
	findings := slices.Clone(r.Findings)
	for i := range findings {
		findings[i].Diagnostic.URL = fmt.Sprintf("#f%d", i+1)
	}
	r.model.addFindings(drawn, findings)
	var page strings.Builder
	if err := picture.HTML(&page, drawn, moduleVersion()); err != nil {
		return "", err
	}
	return page.String(), nil
}

// counter counts names, and knows their order.
type counter struct{ counts []htmlCount }

func (c *counter) add(name, url string) {
	i := slices.IndexFunc(c.counts, func(known htmlCount) bool { return known.Name == name })
	if i < 0 {
		i = len(c.counts)
		c.counts = append(c.counts, htmlCount{Name: name, URL: url})
	}
	c.counts[i].Count++
}

// sorted returns the counts, the largest first.
func (c *counter) sorted() []htmlCount {
	slices.SortStableFunc(c.counts, func(a, b htmlCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
	})
	return c.counts
}

func (r *report) htmlFinding(number int, f Finding) htmlFinding {
	message, _ := splitMessage(f)
	posn := f.Fset.PositionFor(f.Diagnostic.Pos, false)
	shown := htmlFinding{
		Number: number, Harm: f.Harm.String(), Message: message, Rule: f.ruleID(), URL: f.Diagnostic.URL,
		Runs: f.runsIn(), Package: f.Pkg.Path(), Declaration: r.sources.declaration(posn.Filename, posn.Offset),
	}
	before, after := r.way(f)
	for _, related := range before {
		shown.Steps = append(shown.Steps, r.htmlStep(f, related, 0))
	}
	here := r.htmlStep(f, analysis.RelatedInformation{Pos: f.Diagnostic.Pos, End: f.Diagnostic.End, Message: message}, excerptAround)
	here.Here = true
	shown.Steps = append(shown.Steps, here)
	for _, related := range after {
		shown.Steps = append(shown.Steps, r.htmlStep(f, related, 0))
	}
	for _, fix := range f.Diagnostic.SuggestedFixes {
		shown.Fix = fix.Message
		for _, edit := range fix.TextEdits {
			shown.Edits = append(shown.Edits, r.htmlEdit(f.Fset, edit))
		}
	}
	return shown
}

// excerptAround is how many lines are shown before and after that of a finding.
const excerptAround = 3

func (r *report) htmlStep(f Finding, at analysis.RelatedInformation, around int) htmlStep {
	start, end := f.Fset.Position(at.Pos), f.Fset.Position(endOr(at.End, at.Pos))
	file, _ := r.root.rel(start.Filename)
	step := htmlStep{Place: fmt.Sprintf("%s:%d", file, start.Line), Text: at.Message}
	for n := start.Line - around; n <= start.Line+around; n++ {
		text := r.sources.line(start.Filename, n)
		if n < 1 || n != start.Line && n > len(r.sources.file(start.Filename).lines) {
			continue
		}
		line := htmlLine{Number: n, Before: text, Hot: n == start.Line}
		if from := start.Column - 1; line.Hot && from >= 0 && from <= len(text) {
			to := len(text)
			if end.Line == n && end.Column-1 > from && end.Column-1 <= to {
				to = end.Column - 1
			}
			line.Before, line.Marked, line.After = text[:from], text[from:to], text[to:]
		}
		step.Lines = append(step.Lines, line)
	}
	return step
}

func (r *report) htmlEdit(fset *token.FileSet, edit analysis.TextEdit) htmlEdit {
	start, end := fset.PositionFor(edit.Pos, false), fset.PositionFor(endOr(edit.End, edit.Pos), false)
	return htmlEdit{Line: start.Line, Old: r.sources.between(start, end), New: string(edit.NewText)}
}
