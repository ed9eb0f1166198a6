package webhookdelete

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/webhookdelete/internal/refusals"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const blocksFinalizer = "blocks-finalizer"

// Analyzer finds webhooks that refuse updates of objects which are being
// deleted.
var Analyzer = rule.New(rule.Spec{
	Name:       "webhookdelete",
	Summary:    "find webhooks that refuse the update which takes a finalizer off",
	DocSource:  doc,
	Group:      "finalizers",
	Since:      "unreleased",
	Categories: []rule.Category{{Name: blocksFinalizer, Summary: "a webhook for updates fails if another object is gone, also while its own object is being deleted", Harm: rule.Stuck}},
	Requires:   []*analysis.Analyzer{objects.Analyzer, entrypoints.Analyzer, refusals.Analyzer, refusals.ChecksAnalyzer},
	Run:        run,
})

type checker struct {
	pass      *analysis.Pass
	report    *rule.Reporter
	sums      *objects.Summaries
	elsewhere *refusals.Table
	checks    *refusals.Checking
	entries   *entrypoints.Result
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil || neverUpdated(pass) {
		return nil
	}
	entries := pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result)
	c := &checker{pass, report, sums, pass.ResultOf[refusals.Analyzer].(*refusals.Table), pass.ResultOf[refusals.ChecksAnalyzer].(*refusals.Checking), entries}
	for _, entry := range entries.Entries {
		if entry.Kind == kubeapi.Admission && (entry.What == "ValidateUpdate" || entry.What == "Default" || entry.What == "Handle") && entry.Fn.Blocks != nil && !ofBuiltin(sums.Calls, entry.Fn) {
			c.webhook(entry)
		}
	}
	return nil
}

// walk goes through the functions of a webhook.
type walk struct {
	*checker
	refusals.Walk
}

func (c *checker) walk(entry *entrypoints.Entry) *walk {
	return &walk{c, refusals.Walk{Sums: c.sums, Elsewhere: c.elsewhere, Entry: entry, Seen: make(map[*ssa.Function]bool)}}
}

// webhook looks for a read whose failure makes the webhook refuse.
func (c *checker) webhook(entry *entrypoints.Entry) {
	w := c.walk(entry)
	found, way := w.Refusal(entry.Fn)
	served := kindServed(c.sums.Calls, entry.Fn)
	if found.Call == nil && entry.What != "Default" {
		c.checked(entry, served)
	}
	if found.Call == nil || c.isKept(found.Kind) || found.Kind != "" && strings.HasSuffix(served, "."+found.Kind) || entry.What == "Handle" && slices.ContainsFunc(slices.Collect(maps.Keys(w.Seen)), decodesBuiltin) {
		return
	}
	first := found.Call
	if len(way) > 0 {
		first = way[len(way)-1]
	}
	article, kind := "", "another object"
	if found.Kind != "" {
		article, kind = "the ", found.Kind
	}
	var related []analysis.RelatedInformation
	if first != found.Call {
		related = append(related, analysis.RelatedInformation{Pos: found.Call.Pos(), Message: "the other object is read here"})
	}
	pos, end := syntax.Span(c.pass.Files, first)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: blocksFinalizer, Harm: w.harm(served), Related: related, Finalized: served,
		Message: wording.Fit(func(name func(string) string) string {
			if found.Where != "" {
				return "what is being deleted stays forever if " + article + name(kind) + " is gone (" + found.Where + "): " + entry.What + " does not let its finalizer go; return early"
			}
			return "an object that is being deleted stays forever if " + article + name(kind) + " is gone: " + entry.What + " refuses the update that takes its finalizer off; return early"
		}),
	})
}
