package nilmap

import (
	"fmt"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nilmap/internal/entries"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// tellFresh words the finding about a store into an object that was made without the
// map.
func (c *checker) tellFresh(from *paths.Node, s entries.Store) {
	f := rule.Finding{Pos: s.At.Pos(), Category: metadata, Harm: rule.OfPanic(c.calls.Recovers(s.At.Parent())), Fix: c.fix(s.At)}
	if s.IsData() {
		f.Category = data
	}
	f.Message = fmt.Sprintf("this panics: the %s is made without %s, and the map is nil; make it before this entry is stored", wording.Tail(s.Kind.Obj().Name(), 40), s.Field())
	if s.Elsewhere != "" {
		f.Message = fmt.Sprintf("this panics: the %s is made without %s: %s stores an entry into nil; make the map before", wording.Tail(s.Kind.Obj().Name(), 40), s.Field(), s.Elsewhere)
	}
	if call, ok := s.At.(ssa.CallInstruction); ok {
		f.Pos, f.End = syntax.Span(c.pass.Files, call)
	}
	if from.Instr.Pos().IsValid() {
		f.Related = []analysis.RelatedInformation{{Pos: from.Instr.Pos(), Message: "the object is made here"}}
	}
	for _, call := range s.Through {
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: call.Pos(), Message: "it is handed over here"})
	}
	c.report.Report(f)
}
