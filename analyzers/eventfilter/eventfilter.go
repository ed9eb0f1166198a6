package eventfilter

import (
	_ "embed"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

const (
	noGeneration    = "no-generation"
	statusDropped   = "status-dropped"
	metadataDropped = "metadata-dropped"
	deletionDropped = "deletion-dropped"
)

// Analyzer finds filters that drop events which Reconcile depends on.
var Analyzer = rule.New(rule.Spec{
	Name:      "eventfilter",
	Summary:   "find event filters that drop what Reconcile waits for",
	DocSource: doc,
	Group:     "controllers",
	Since:     "unreleased",
	Strict:    true,
	Categories: []rule.Category{
		{Name: noGeneration, Summary: "filter by generation on a kind whose generation never changes", Harm: rule.Loss},
		{Name: statusDropped, Summary: "filter that drops the status which Reconcile tests", Harm: rule.Loss, Trial: true},
		{Name: metadataDropped, Summary: "filter that drops labels or annotations which Reconcile tests", Harm: rule.Hygiene},
		{Name: deletionDropped, Summary: "filter that drops the deletions which Reconcile handles", Harm: rule.Stuck, Trial: true},
	},
	Requires:    []*analysis.Analyzer{controllers.Analyzer, entrypoints.Analyzer, kinds.Analyzer},
	ProductOnly: true,
	Run:         run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	result := pass.ResultOf[controllers.Analyzer].(*controllers.Result)
	known := pass.ResultOf[kinds.Analyzer].(*kinds.Kinds)
	entries := pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result)
	// The branches of one function that make the same controller in two ways have one cause.
	var setups []*ssa.Function
	found := make(map[*ssa.Function][]rule.Finding)
	for _, c := range result.Local {
		r := &reader{Local: c, pass: pass, result: result, calls: result.Calls, entries: entries, kinds: known, strict: report.Strict()}
		r.noGeneration()
		r.statusDropped()
		r.metadataDropped()
		r.deletionDropped()
		if found[c.Setup] == nil && len(r.found) > 0 {
			setups = append(setups, c.Setup)
		}
		found[c.Setup] = append(found[c.Setup], r.found...)
	}
	for _, fn := range setups {
		report.ReportOnce(found[fn])
	}
	return nil
}

// reader looks at one controller.
type reader struct {
	*controllers.Local
	pass    *analysis.Pass
	result  *controllers.Result
	calls   *calls.Graph
	entries *entrypoints.Result
	kinds   *kinds.Kinds
	strict  bool
	found   []rule.Finding
}

func (r *reader) tell(f rule.Finding) { r.found = append(r.found, f) }

// filtered is a watch with all that filters it.
type filtered struct {
	controllers.Watch
	all   controllers.Filter
	index int
}

// watches yields the watches of known kinds whose events wake somebody; nothing filters
// a raw source but its own predicates.
func (r *reader) watches(yield func(filtered) bool) {
	for i, w := range r.Watches {
		if !w.Kind.IsKnown() || w.Handler.Idle {
			continue
		}
		all := w.Filter
		if w.Role != controllers.Raw {
			all = r.Filter.And(w.Filter)
		}
		if all.IsSet() && !yield(filtered{w, all, i}) {
			return
		}
	}
}

// drops reports whether a filter certainly drops an update in which just these parts
// of an object of the watched kind differ.
func drops(f controllers.Filter, kind controllers.Kind, changed controllers.Parts, deleting kinds.Answer) bool {
	e := controllers.Event{Changed: changed | controllers.ResourceVersionPart, Deleting: deleting, Kind: kind.ID}
	return f.Update.Passes(e) == kinds.No
}

// cause is where the filter of a watch is set that drops an event: all of the
// controller's, or that of the watch.
func (r *reader) cause(w filtered, dropped func(controllers.Filter) bool) token.Pos {
	if len(r.FilterPos) > 0 && w.Role != controllers.Raw && dropped(r.Filter) {
		return r.FilterPos[0]
	}
	return r.WatchPos[w.index]
}

// name is the reconciler as users know it.
func (r *reader) name() string {
	if r.Reconciler == "" {
		return "Reconcile"
	}
	return r.Reconciler[strings.LastIndexByte(r.Reconciler, '.')+1:]
}

// list names kinds: "Secret and ConfigMap", "Secret and 3 other kinds".
func list(names []string) string {
	switch len(names) {
	case 1:
		return names[0]
	case 2:
		return names[0] + " and " + names[1]
	case 3:
		return names[0] + ", " + names[1] + " and " + names[2]
	}
	return names[0] + ", " + names[1] + " and others"
}
