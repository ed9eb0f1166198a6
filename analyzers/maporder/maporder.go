package maporder

import (
	_ "embed"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/maporder/internal/unordered"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const (
	intoObject = "into-object"
	intoHash   = "into-hash"
)

// Analyzer finds what is put together in a map's order and ends in an object or
// a hash.
var Analyzer = rule.New(rule.Spec{
	Name:      "maporder",
	Summary:   "find lists, strings and hashes that are built in a map's order and written into objects",
	DocSource: doc,
	Group:     "objects",
	Since:     "unreleased",
	Categories: []rule.Category{
		{Name: intoObject, Summary: "a list or text of an object is in the order of a map, another one each time", Harm: rule.Load, Trial: true, EndsWithProcess: true, Repeats: true},
		{Name: intoHash, Summary: "a hash is made of the entries of a map in its order", Harm: rule.Load, EndsWithProcess: true, Repeats: true},
	},
	Requires: []*analysis.Analyzer{objects.Analyzer, entrypoints.Analyzer, unordered.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil {
		return nil
	}
	entries := pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result)
	lists := pass.ResultOf[unordered.Analyzer].(*unordered.Lists)
	var fns []*ssa.Function
	found := make(map[*ssa.Function][]rule.Finding)
	for _, s := range lists.Sources {
		fn := s.Instr.Parent()
		if kubeapi.TakesTesting(fn) || runsOnce(entries, fn) {
			continue
		}
		if f, ok := judge(pass, sums, lists, s); ok {
			fn = paths.Outermost(fn)
			if found[fn] == nil {
				fns = append(fns, fn)
			}
			found[fn] = append(found[fn], f)
		}
	}
	for _, fn := range fns {
		report.ReportOnce(found[fn])
	}
	return nil
}

// runsOnce reports whether a function does its work when an object is made, not
// again and again: it serves requests of the API server or of users.
func runsOnce(entries *entrypoints.Result, fn *ssa.Function) bool {
	return entries.PathTo(fn, kubeapi.Admission, kubeapi.HTTPHandler) != nil && entries.PathTo(fn, kubeapi.Reconcile, kubeapi.Worker, kubeapi.Sync) == nil
}

// judge follows what is in a map's order to an object or hash.
func judge(pass *analysis.Pass, sums *objects.Summaries, lists *unordered.Lists, s unordered.Source) (rule.Finding, bool) {
	if hasOneEntry(sums, s) {
		return rule.Finding{}, false
	}
	if s.Hash {
		harm := rule.Load
		if !lists.IsSummed(s.Value) {
			harm = rule.Hygiene
		}
		return finding(pass, s, intoHash, "", harm), true
	}
	f := lists.Follow(s)
	switch {
	case f.Sorted:
	case f.Hash != nil:
		return finding(pass, s, intoHash, "", rule.Load), true
	case len(f.Ends) > 0:
		object, harm := f.Ends[0], rule.Hygiene
		if i := slices.IndexFunc(f.Ends, lists.Harms); i >= 0 && !isMild(sums, s) {
			object, harm = f.Ends[i], rule.Load
		} else if s.Object != "" {
			return rule.Finding{}, false // it is told where the object is put together
		}
		return finding(pass, s, intoObject, object.Name, harm), true
	}
	return rule.Finding{}, false
}

// isMild reports whether nothing, or little, comes of another order even where it is compared.
func isMild(sums *objects.Summaries, s unordered.Source) bool {
	return slices.ContainsFunc(mild, func(holds func(*objects.Summaries, unordered.Source) bool) bool { return holds(sums, s) })
}

// mild are the reasons for that.
var mild = []func(*objects.Summaries, unordered.Source) bool{
	// The lists differ only as long as two or more fail.
	func(_ *objects.Summaries, s unordered.Source) bool { return calls.AfterFailure(s.Instr) },
	func(sums *objects.Summaries, s unordered.Source) bool { return happensOnce(sums.Calls, s.Instr) },
	func(sums *objects.Summaries, s unordered.Source) bool { return isTakenOut(sums.Resolve, s) },
	func(sums *objects.Summaries, s unordered.Source) bool { return happensOnChange(sums, s.Over) },
	// Each owner is added once.
	func(_ *objects.Summaries, s unordered.Source) bool {
		return kubeapi.IsOwnerReferences(kubeapi.Deref(s.Value.Type()))
	},
}

func finding(pass *analysis.Pass, s unordered.Source, category, object string, harm rule.Harm) rule.Finding {
	pos, end := syntax.Span(pass.Files, s.Instr)
	message := "the hash is another one each time, though nothing has changed: it is built in the order of a map; go through the sorted keys"
	if category == intoObject {
		message = wording.Tail(object, maxName) + " changes each time, though nothing has changed: it is in the order of a map; go through the sorted keys"
	}
	f := rule.Finding{Pos: pos, End: end, Category: category, Message: message, Harm: harm}
	if s.Where == "" {
		f.Related = []analysis.RelatedInformation{{Pos: s.Over.Pos(), Message: "the map is gone through here"}}
	} else {
		f.Message = strings.Replace(message, "the order of a map", "the order of a map ("+s.Where+")", 1)
	}
	return f
}

// maxName bounds names from the code under analysis.
const maxName = 40
