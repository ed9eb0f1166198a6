package cacheretention

import (
	_ "embed"
	"fmt"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cacheretention/internal/retained"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const (
	neverDeleted = "never-deleted"
	growingSlice = "growing-slice"
	tornRead     = "torn-read"
	kept         = "kept"
)

// Analyzer finds cached objects that are kept forever.
var Analyzer = rule.New(rule.Spec{
	Name:      "cacheretention",
	Summary:   "find objects of an informer's cache that are kept beyond their deletion",
	DocSource: doc,
	Group:     "informers",
	Since:     "v0.1.0",
	Categories: []rule.Category{
		{Name: neverDeleted, Summary: "cached objects are put into a map from which nothing is ever taken", Harm: rule.Leak, Trial: true, EndsWithProcess: true},
		{Name: growingSlice, Summary: "cached objects are appended to a slice that is never cut", Harm: rule.Leak, EndsWithProcess: true},
		{Name: tornRead, Summary: "object that a handler keeps, and sets to nil, is tested and read again without a lock", Harm: rule.Crash},
		{Name: kept, Summary: "cached object is kept in any other way", Harm: rule.Leak, EndsWithProcess: true, Strict: true},
	},
	Strict:      true,
	Requires:    []*analysis.Analyzer{retained.Analyzer},
	ProductOnly: true,
	Run:         run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[retained.Analyzer].(*retained.Retentions)
	c := &checker{pass: pass, report: report}
	for i := range info.Kept {
		c.keeping(&info.Kept[i])
	}
	for i := range info.Torn {
		c.torn(&info.Torn[i])
	}
	return nil
}

type checker struct {
	pass   *analysis.Pass
	report *rule.Reporter
}

// category sorts what is kept.
func category(k *retained.Kept) string {
	switch {
	case k.Removed || k.Single || k.Copy || k.Origin.Doubtful:
		return kept
	case k.Slice:
		return growingSlice
	}
	return neverDeleted
}

func (c *checker) keeping(k *retained.Kept) {
	pos, end := syntax.Span(c.pass.Files, k.Instr)
	c.report.Report(rule.Finding{
		Pos: pos, End: end,
		Category: category(k),
		Message:  c.message(k),
		Related:  c.related(k),
	})
}

func (c *checker) message(k *retained.Kept) string {
	return wording.Fit(func(name func(string) string) string {
		where := name(k.Container)
		if k.Helper != "" {
			where += " (" + wording.File(k.Place) + ")"
		}
		switch object := c.object(k, name); {
		case category(k) == growingSlice:
			return fmt.Sprintf("memory leak: %s gets %s, and nothing in the package cuts it; keep keys, or take it out in the delete handler", where, object)
		case category(k) == neverDeleted:
			return fmt.Sprintf("memory leak: %s keeps %s, and nothing in the package takes it out; do so in the delete handler", where, object)
		case k.Copy:
			return fmt.Sprintf("memory may leak: %s keeps a copy of %s; take it out when the object is deleted", where, object)
		case k.Single:
			return fmt.Sprintf("stale reads: %s keeps %s when it has changed or is deleted; keep the key and ask the lister", where, object)
		case k.Removed:
			return fmt.Sprintf("memory may leak: %s keeps %s; take it out whenever the object is deleted, or keep the key", where, object)
		default:
			return fmt.Sprintf("memory may leak: %s keeps %s after its deletion; take it out then, or keep the key", where, object)
		}
	})
}

// object words what is kept, by where it comes from.
func (c *checker) object(k *retained.Kept, name func(string) string) string {
	if k.Origin.Source == kubeapi.HandlerObject || !k.Origin.Pos.IsValid() {
		return name(k.Origin.What)
	}
	return fmt.Sprintf("each object of %s (line %d)", name(k.Origin.What), c.line(k.Origin.Pos))
}

func (c *checker) related(k *retained.Kept) []analysis.RelatedInformation {
	var info []analysis.RelatedInformation
	add := func(pos token.Pos, message string) {
		if pos.IsValid() {
			info = append(info, analysis.RelatedInformation{Pos: pos, Message: message})
		}
	}
	add(k.Origin.Pos, "the object comes from here")
	for i := len(k.Calls) - 1; i >= 0; i-- {
		add(k.Calls[i].Pos(), "calls "+entrypoints.CalleeName(k.Calls[i]))
	}
	return info
}

func (c *checker) torn(t *retained.Torn) {
	clear := t.Clear.Pos()
	c.report.Report(rule.Finding{
		Pos:      t.Store.Pos(),
		Category: tornRead,
		Message: wording.Fit(func(name func(string) string) string {
			return fmt.Sprintf("nil dereference: a handler sets %s to nil (line %d) while %s tests it (line %d) and reads it again (line %d); read it once under a lock",
				name(t.Name), c.line(clear), name(readerName(t.Reader)), c.line(t.Test.Pos()), c.line(t.Use.Pos()))
		}),
		Related: []analysis.RelatedInformation{
			{Pos: clear, Message: "set to nil here"},
			{Pos: t.Test.Pos(), Message: "tested here"},
			{Pos: t.Use.Pos(), Message: "read again here"},
		},
	})
}

func (c *checker) line(pos token.Pos) int { return c.pass.Fset.Position(pos).Line }

func readerName(fn *ssa.Function) string { return strings.TrimSuffix(fn.Name(), "$bound") }
