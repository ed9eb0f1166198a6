package cacheretention

import (
	_ "embed"
	"fmt"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/entrypoint"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/retained"
	"github.com/opvet/opvet/internal/rule"
	"github.com/opvet/opvet/internal/source"
)

//go:embed doc.go
var doc string

const (
	neverDeleted = "never-deleted"
	growingSlice = "growing-slice"
	tornRead     = "torn-read"
	kept         = "kept"
)

// Analyzer finds cached objects that are kept for ever.
var Analyzer = rule.New(rule.Spec{
	Name:      "cacheretention",
	Summary:   "find objects of an informer's cache that are kept beyond their deletion",
	DocSource: doc,
	Group:     "cache",
	Since:     "v0.1.0",
	Categories: []rule.Category{
		{Name: neverDeleted, Summary: "cached objects are put into a map from which nothing is ever taken", Harm: rule.Leak},
		{Name: growingSlice, Summary: "cached objects are appended to a slice that is never cut", Harm: rule.Leak},
		{Name: tornRead, Summary: "object that a handler keeps, and sets to nil, is tested and read again without a lock", Harm: rule.Crash},
		{Name: kept, Summary: "cached object is kept in any other way", Harm: rule.Leak, Strict: true},
	},
	Strict:   true,
	Requires: []*analysis.Analyzer{retained.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[retained.Analyzer].(*retained.Info)
	if kubeapi.ServesTests(pass) {
		return nil
	}
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
	pos, end := source.Span(c.pass.Files, k.Instr)
	c.report.Report(rule.Finding{
		Pos: pos, End: end,
		Category: category(k),
		Message:  c.message(k),
		Related:  c.related(k),
	})
}

func (c *checker) message(k *retained.Kept) string {
	act := fmt.Sprintf("%s keeps %s", k.Container, c.object(k))
	if k.Helper != "" {
		act = fmt.Sprintf("%s keeps %s, in %s (%s, %s)", k.Helper, c.object(k), k.Container, k.Func, k.Place)
	}
	switch category(k) {
	case growingSlice:
		return act + ", after it was deleted, its managed fields and all: nothing in the package cuts the slice, and it grows with every object; keep the key only, or remove the object in the delete handler"
	case neverDeleted:
		return act + ", after it was deleted, its managed fields and all: nothing in the package removes it from there, and memory grows with every object; delete it in the delete handler, or keep the key only"
	}
	switch {
	case k.Copy:
		return act + ", as a copy: make sure that it is removed when the object is deleted, or keep only what is needed of it"
	case k.Single:
		return act + ": it lives on, and is read, after it was deleted or has changed; keep the key, and ask the lister when it is needed"
	case k.Removed:
		return act + ": make sure that it is removed whenever the object is deleted, or keep only what is needed of it"
	}
	return act + ": it lives on after it was deleted; remove it then, or keep the key only"
}

// object words what is kept, by where it comes from.
func (c *checker) object(k *retained.Kept) string {
	if k.Origin.Source == kubeapi.HandlerObject {
		return "the cache's object, " + k.Origin.What
	}
	line := ""
	if k.Origin.Pos.IsValid() {
		line = fmt.Sprintf(" on line %d", c.pass.Fset.Position(k.Origin.Pos).Line)
	}
	return "the cache's object, which " + k.Origin.What + " returned" + line
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
		add(k.Calls[i].Pos(), "calls "+entrypoint.CalleeName(k.Calls[i]))
	}
	return info
}

func (c *checker) torn(t *retained.Torn) {
	clear := t.Clear.Pos()
	c.report.Report(rule.Finding{
		Pos:      t.Store.Pos(),
		Category: tornRead,
		Message: fmt.Sprintf("%s is set by a handler without a lock, and to nil on line %d, while %s tests it on line %d and reads it again on line %d: "+
			"a deletion in between is a nil dereference; read it once, under a lock or from an atomic.Pointer",
			t.Name, c.line(clear), readerName(t.Reader), c.line(t.Test.Pos()), c.line(t.Use.Pos())),
		Related: []analysis.RelatedInformation{
			{Pos: clear, Message: "set to nil here"},
			{Pos: t.Test.Pos(), Message: "tested here"},
			{Pos: t.Use.Pos(), Message: "read again here"},
		},
	})
}

func (c *checker) line(pos token.Pos) int { return c.pass.Fset.Position(pos).Line }

func readerName(fn *ssa.Function) string { return strings.TrimSuffix(fn.Name(), "$bound") }
