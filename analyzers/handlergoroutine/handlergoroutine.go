package handlergoroutine

import (
	_ "embed"
	"fmt"
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/goroutines"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
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
		{Name: "per-event", Summary: "an event handler, predicate or map function starts a goroutine for each event", Harm: rule.Hygiene},
		{Name: "per-reconcile", Summary: "a reconciler or workqueue worker starts a goroutine for each reconcile", Harm: rule.Hygiene},
		{Name: "endless", Summary: "the goroutine that is started each time never ends by itself", Harm: rule.Leak, EndsWithProcess: true},
		{Name: "captured-object", Summary: "the goroutine also holds the API object that the call is about", Harm: rule.Leak, Trial: true, EndsWithProcess: true},
	},
	Requires: []*analysis.Analyzer{calls.Analyzer, entrypoints.Analyzer, goroutines.Analyzer, objects.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	entries := pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result)
	info := pass.ResultOf[goroutines.Analyzer].(*goroutines.Starts)
	graph := pass.ResultOf[calls.Analyzer].(*calls.Graph)
	summaries := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	type found struct {
		rule.Finding
		culprit any
	}
	var certain, rest []found
	for _, entry := range entries.Entries {
		if !entry.Kind.PerEvent() && !entry.Kind.PerItem() && entry.Kind != kubeapi.Watch {
			continue
		}
		for _, leak := range info.Leaks(entry.Fn) {
			if !entry.Covers(leak.At()) || endsWithInner(graph, entry, leak) {
				continue
			}
			if f, does := harmful(pass.Fset, summaries, entry, leak); does {
				certain = append(certain, found{f, culprit(leak)})
			} else {
				rest = append(rest, found{finding(graph, entry, leak), culprit(leak)})
			}
		}
	}
	reported := make(map[any]bool)
	for _, f := range append(certain, rest...) { // what does harm goes before what is left of it
		if !reported[f.culprit] {
			reported[f.culprit] = true
			report.Report(f.Finding)
		}
	}
	return nil
}

// harmful words what a goroutine that may end by itself does for sure, if there is anything.
func harmful(fset *token.FileSet, summaries *objects.Summaries, entry *entrypoints.Entry, leak *goroutines.Leak) (rule.Finding, bool) {
	if leak.Endless || leak.Stuck || !entry.Kind.PerEvent() && !entry.Kind.PerItem() {
		return rule.Finding{}, false
	}
	f := rule.Finding{Pos: leak.Start().Pos(), Category: plainCategory(entry), Harm: rule.Loss, Related: related(entry, leak)}
	also := func(pos token.Pos, message string) {
		if pos.IsValid() {
			f.Related = append(f.Related, analysis.RelatedInformation{Pos: pos, Message: message})
		} else if leak.Elsewhere != nil {
			f.Cause = leak.Elsewhere.Where // it is all the other package's
		}
	}
	if leak.Poll != nil {
		f.Category, f.Harm, f.Message = "endless", rule.Leak, pollMessage(fset, entry, leak)
		also(leak.Poll.Pos, "reads it again and again")
	} else if leak.Missed != nil {
		f.Message = missedMessage(fset, entry, leak)
		also(leak.Missed.Pos, "reads it meanwhile")
	} else if c := clashOf(summaries, leak); c != nil {
		f.Message = c.message(fset, entry, leak)
		also(blocks.Position(c.at), "changes it meanwhile")
	} else if loses(leak) {
		f.Message = lostMessage(fset, entry, leak)
		also(leak.Lost.Pos, "writes")
	}
	return f, f.Message != ""
}

// culprit identifies the goroutine: it is reported once in a package, however
// many entry points and calls lead to it.
func culprit(leak *goroutines.Leak) any {
	switch {
	case leak.Elsewhere == nil:
		return leak.Start()
	case leak.Lost != nil && leak.Lost.Pos.IsValid():
		return leak.Lost.Pos // by a function that is given
	}
	return leak.Elsewhere.Where
}

// category sorts a finding by what is worst about it.
func category(entry *entrypoints.Entry, leak *goroutines.Leak) string {
	switch {
	case leak.Endless:
		return "endless"
	case leak.Object != nil:
		return "captured-object"
	}
	return plainCategory(entry)
}

// plainCategory is that of a goroutine that ends by itself.
func plainCategory(entry *entrypoints.Entry) string {
	if entry.Kind.PerItem() {
		return "per-reconcile"
	}
	return "per-event"
}

func finding(graph *calls.Graph, entry *entrypoints.Entry, leak *goroutines.Leak) rule.Finding {
	cause := ""
	if leak.Elsewhere != nil {
		cause = leak.Elsewhere.Where
	}
	return rule.Finding{
		Cause: cause,
		Pos:   leak.Start().Pos(), Category: category(entry, leak), Harm: harm(graph, entry, leak),
		Message: fmt.Sprintf("%s %s: %s; %s", subject(entry, leak), what(leak), consequence(entry, leak), remedy(entry, leak)),
		Related: related(entry, leak),
	}
}

// harm raises that of the category for a watch: reflectors establish it again
// forever, and nothing ends the goroutines of the earlier ones. It lowers that of an object
// which is held and not seen to change.
func harm(graph *calls.Graph, entry *entrypoints.Entry, leak *goroutines.Leak) rule.Harm {
	switch {
	case entry.Kind == kubeapi.Watch:
		return rule.Leak
	case !leak.Endless && leak.Object != nil && !races(graph, entry, leak):
		return rule.Hygiene
	}
	return 0
}

// subject names what starts the goroutine: the function that is called for each
// event or item, or the one that it calls for that.
func subject(entry *entrypoints.Entry, leak *goroutines.Leak) string {
	if len(leak.Chain) == 1 && leak.Elsewhere == nil {
		return entry.Name()
	}
	return starter(entry, leak) + " (from " + entry.ShortName() + ")"
}

// starter names the function that starts the goroutine.
func starter(entry *entrypoints.Entry, leak *goroutines.Leak) string {
	switch {
	case leak.Elsewhere != nil:
		return entrypoints.CalleeName(leak.Start())
	case len(leak.Chain) == 1:
		return entry.ShortName()
	}
	return entrypoints.CalleeName(leak.Chain[len(leak.Chain)-2])
}

// what says what is started.
func what(leak *goroutines.Leak) string {
	s := "starts a " + kind(leak)
	if leak.Elsewhere != nil {
		s += " (" + leak.Elsewhere.Where + ")"
	}
	switch {
	case leak.Stuck:
		return s + " that hangs in its send if the caller gives up"
	case leak.Endless:
		return s + " that never ends"
	case leak.Object != nil:
		return s + " that keeps the " + wording.TypeName(leak.Object)
	}
	return s + " nobody waits for"
}

// kind names what is left behind.
func kind(leak *goroutines.Leak) string {
	if leak.Spawn != nil && leak.Spawn.Timer {
		return "timer"
	}
	return "goroutine"
}

// consequence says what that does in production.
func consequence(entry *entrypoints.Entry, leak *goroutines.Leak) string {
	switch {
	case leak.Stuck:
		return "it stays forever"
	case entry.Kind == kubeapi.Watch:
		return "one more each time the watch is re-established"
	case leak.Endless:
		return "memory grows each time"
	case leak.Object != nil:
		return "others change it meanwhile"
	case entry.Kind.PerItem():
		return "1,000 objects, 1,000 " + kind(leak) + "s"
	}
	return "1,000 events, 1,000 " + kind(leak) + "s"
}

func remedy(entry *entrypoints.Entry, leak *goroutines.Leak) string {
	switch {
	case leak.Stuck:
		return "give the channel a buffer of 1"
	case entry.Kind == kubeapi.Watch:
		return "start it once, and stop it in Stop"
	case leak.Endless:
		return "start it once, stop it with the object"
	case entry.Kind.PerEvent():
		return "enqueue the key, work in the reconciler"
	}
	return "do the work inline and requeue"
}

// related has the registration and each call on the way.
func related(entry *entrypoints.Entry, leak *goroutines.Leak) []analysis.RelatedInformation {
	info := []analysis.RelatedInformation{{Pos: entry.Registered, Message: entry.Description()}}
	for _, call := range leak.Chain[:len(leak.Chain)-1] {
		info = append(info, analysis.RelatedInformation{Pos: call.Pos(), Message: "calls " + entrypoints.CalleeName(call)})
	}
	what := "starts the goroutine"
	if leak.Elsewhere != nil {
		what = "starts the goroutine at " + leak.Elsewhere.Where
	}
	return append(info, analysis.RelatedInformation{Pos: leak.Start().Pos(), Message: what})
}
