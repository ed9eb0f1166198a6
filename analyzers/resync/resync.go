package resync

import (
	_ "embed"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/resync/internal/periods"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const tooOften = "too-often"

// shortest is the shortest period that is right: the analyzer's flag min.
var shortest time.Duration

// Analyzer finds resync periods that are too short.
var Analyzer = rule.New(rule.Spec{
	Name:      "resync",
	Summary:   "find informers that hand out all their objects again every few seconds",
	DocSource: doc,
	Group:     "informers",
	Since:     "unreleased",
	Strict:    true,
	Categories: []rule.Category{
		{Name: tooOften, Summary: "resync period of a factory, shared informer or cache that is under a minute", Harm: rule.Hygiene},
	},
	Requires: []*analysis.Analyzer{periods.Analyzer},
	Flags: func(fs *flag.FlagSet) {
		fs.DurationVar(&shortest, "min", time.Minute, "shortest resync period that is not reported")
	},
	ProductOnly: true,
	Run:         run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[periods.Analyzer].(*periods.Periods)
	for n := range info.Sites {
		site := &info.Sites[n]
		if site.Period >= shortest || !wanted(site, report.Strict()) {
			continue
		}
		pos, end := span(pass.Files, site)
		report.Report(rule.Finding{
			Pos: pos, End: end, Category: tooOften,
			Message: message(pass, site),
			Related: related(site),
		})
	}
	return nil
}

// wanted reports whether the period is wrong for what it is given to.
func wanted(site *periods.Site, strict bool) bool {
	switch {
	case site.Reach == periods.Narrow:
		return false
	case site.Reach == periods.Doubtful, site.Target == periods.Alone:
		return strict
	}
	return true
}

// span is the name of what is called, or the name of the option.
func span(files []*ast.File, site *periods.Site) (pos, end token.Pos) {
	store, ok := site.Instr.(*ssa.Store)
	if !ok {
		return syntax.Span(files, site.Instr)
	}
	for _, n := range syntax.Path(files, store.Addr.Pos()) {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			return n.Key.Pos(), n.Key.End()
		case *ast.SelectorExpr:
			return n.Sel.Pos(), n.Sel.End()
		}
	}
	return store.Pos(), token.NoPos
}

func message(pass *analysis.Pass, site *periods.Site) string {
	period := wording.Duration(site.Period)
	return wording.Fit(func(name func(string) string) string {
		switch {
		case site.Target == periods.Cache:
			return fmt.Sprintf("every %s all controllers get all objects of their kinds again, although nothing changed; leave SyncPeriod out and return RequeueAfter where needed", period)
		case site.Dropped:
			return fmt.Sprintf("every %s the informers of %s call handlers that drop unchanged objects, for nothing; use 0", period, name(called(pass, site)))
		case site.Target == periods.Alone:
			return fmt.Sprintf("every %s the handler of %s gets all objects again, although nothing changed; use 0", period, name(called(pass, site)))
		}
		made := ""
		if site.Inner != nil {
			made = " (" + wording.File(site.Inner.Place) + ")"
		}
		return fmt.Sprintf("every %s all update handlers get all objects of %s again%s; use 0, or AddEventHandlerWithResyncPeriod where needed",
			period, name(called(pass, site)), made)
	})
}

// called is what is called, as the source has it.
func called(pass *analysis.Pass, site *periods.Site) string {
	call, ok := site.Instr.(ssa.CallInstruction)
	if !ok {
		return "the informer"
	}
	if syntax := syntax.Call(pass.Files, call); syntax != nil {
		return types.ExprString(syntax.Fun)
	}
	if fn := kubeapi.Callee(call.Common()); fn != nil {
		return fn.Name()
	}
	return "the informer"
}

// related points to the value, if it is elsewhere.
func related(site *periods.Site) []analysis.RelatedInformation {
	if pos := site.Value.Pos(); pos.IsValid() && pos != site.Instr.Pos() {
		return []analysis.RelatedInformation{{Pos: pos, Message: "the period comes from here"}}
	}
	return nil
}
