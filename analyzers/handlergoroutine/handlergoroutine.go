package handlergoroutine

import (
	_ "embed"
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/callgraph"
	"github.com/opvet/opvet/internal/concurrency"
	"github.com/opvet/opvet/internal/entrypoint"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
)

//go:embed doc.go
var docSource string

// Analyzer reports goroutines that pile up because an event handler or
// reconciler starts them and leaves them behind.
var Analyzer = rule.New(rule.Spec{
	Name:      "handlergoroutine",
	Summary:   "find goroutines that event handlers and reconcilers start and leave behind",
	DocSource: docSource,
	Group:     "goroutines",
	Since:     "v0.1.0",
	Categories: []rule.Category{
		{Name: "per-event", Summary: "an event handler, predicate or map function starts a goroutine for each event", Harm: rule.Leak},
		{Name: "per-reconcile", Summary: "a reconciler or workqueue worker starts a goroutine for each reconcile", Harm: rule.Leak},
		{Name: "endless", Summary: "the goroutine that is started each time never ends by itself", Harm: rule.Leak},
		{Name: "captured-object", Summary: "the goroutine also holds the API object that the call is about", Harm: rule.Leak},
	},
	Requires: []*analysis.Analyzer{callgraph.Analyzer, entrypoint.Analyzer, concurrency.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	entries := pass.ResultOf[entrypoint.Analyzer].(*entrypoint.Result)
	info := pass.ResultOf[concurrency.Analyzer].(*concurrency.Info)
	reported := make(map[any]bool)
	for _, entry := range entries.Entries {
		if !entry.Kind.PerEvent() && !entry.Kind.PerItem() && entry.Kind != kubeapi.Watch {
			continue
		}
		for _, leak := range info.Leaks(entry.Fn) {
			if !entry.Covers(leak.At()) || reported[culprit(leak)] {
				continue
			}
			reported[culprit(leak)] = true
			report.Report(finding(pass, entry, leak))
		}
	}
	return nil
}

// culprit identifies the goroutine: it is reported once in a package, however
// many entry points and calls lead to it.
func culprit(leak *concurrency.Leak) any {
	if leak.Elsewhere != nil {
		return leak.Elsewhere.Where
	}
	return leak.Start()
}

// category sorts a finding by what is worst about it.
func category(entry *entrypoint.Entry, leak *concurrency.Leak) string {
	switch {
	case leak.Endless:
		return "endless"
	case leak.Object != nil:
		return "captured-object"
	case entry.Kind.PerItem():
		return "per-reconcile"
	}
	return "per-event"
}

func finding(pass *analysis.Pass, entry *entrypoint.Entry, leak *concurrency.Leak) rule.Finding {
	f := rule.Finding{Pos: leak.Start().Pos(), Category: category(entry, leak)}
	f.Message = fmt.Sprintf("%s %s, and %s: %s; %s", every(entry, leak), what(leak), consequence(entry, leak), route(pass, entry, leak), remedy(entry, leak))
	f.Related = related(entry, leak)
	return f
}

// every says how often the goroutine is started.
func every(entry *entrypoint.Entry, leak *concurrency.Leak) string {
	switch {
	case entry.Kind == kubeapi.Watch:
		return "each time that the watch is (re)established"
	case entry.Kind == kubeapi.Worker || entry.Kind == kubeapi.Sync:
		return "each item of the workqueue"
	case entry.Kind.PerItem():
		return "each reconcile"
	}
	return "each event"
}

// what says what is started.
func what(leak *concurrency.Leak) string {
	kind := "a goroutine"
	if leak.Spawn != nil && leak.Spawn.Timer {
		kind = "a timer"
	}
	s := "starts " + kind
	if leak.Elsewhere != nil {
		s += " (at " + leak.Elsewhere.Where + ")"
	}
	switch {
	case leak.Endless:
		s += " that never ends by itself"
	case leak.Stuck:
		s += " that waits for ever to send if its caller has given up"
	default:
		s += " that nothing waits for"
	}
	return s
}

// consequence says what that does in production.
func consequence(entry *entrypoint.Entry, leak *concurrency.Leak) string {
	var parts []string
	switch {
	case leak.Stuck:
		parts = append(parts, "each of these stays until the process ends")
	case leak.Endless && entry.Kind.PerItem():
		parts = append(parts, "they pile up with every reconcile and resync until memory runs out")
	case leak.Endless:
		parts = append(parts, "they pile up with every event and resync until memory runs out")
	case entry.Kind.PerItem():
		parts = append(parts, "the queue's deduplication and limits do not hold for it: a burst of 1,000 objects is 1,000 goroutines")
	default:
		parts = append(parts, "nothing bounds their number: a burst of 1,000 events is 1,000 goroutines")
	}
	if leak.Object != nil {
		parts = append(parts, "each holds the "+typeName(leak.Object)+" while others change it")
	}
	return strings.Join(parts, ", and ")
}

// route says how the entry point reaches the goroutine.
func route(pass *analysis.Pass, entry *entrypoint.Entry, leak *concurrency.Leak) string {
	var names []string
	for _, call := range leak.Chain[:len(leak.Chain)-1] {
		names = append(names, entrypoint.CalleeName(call))
	}
	if leak.Elsewhere != nil {
		names = append(names, entrypoint.CalleeName(leak.Start()))
		names = append(names, leak.Elsewhere.Via...)
	}
	return entrypoint.Route(pass.Fset, entry, names)
}

func remedy(entry *entrypoint.Entry, leak *concurrency.Leak) string {
	switch {
	case leak.Stuck:
		return "give the channel room for the result"
	case leak.Endless:
		return "start it once per object and stop it when the object goes, or run it from a Runnable"
	case entry.Kind.PerEvent():
		return "enqueue the key and do the work in the reconciler"
	case entry.Kind.PerItem():
		return "do the work in the reconcile and requeue, or wait for it before returning"
	}
	return "start it once, and stop it in Stop"
}

func typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// related has the registration and each call on the way.
func related(entry *entrypoint.Entry, leak *concurrency.Leak) []analysis.RelatedInformation {
	info := []analysis.RelatedInformation{{Pos: entry.Registered, Message: entry.Description()}}
	for _, call := range leak.Chain[:len(leak.Chain)-1] {
		info = append(info, analysis.RelatedInformation{Pos: call.Pos(), Message: "calls " + entrypoint.CalleeName(call)})
	}
	what := "starts the goroutine"
	if leak.Elsewhere != nil {
		what = "starts the goroutine at " + leak.Elsewhere.Where
	}
	return append(info, analysis.RelatedInformation{Pos: leak.Start().Pos(), Message: what})
}
