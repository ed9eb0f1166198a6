package maporder

import (
	_ "embed"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

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
		{Name: intoObject, Summary: "a list or text of an object is in the order of a map, another one each time", Harm: rule.Load, EndsWithProcess: true, Repeats: true},
		{Name: intoHash, Summary: "a hash is made of the entries of a map in its order", Harm: rule.Load, EndsWithProcess: true, Repeats: true},
	},
	Requires: []*analysis.Analyzer{objects.Analyzer, entrypoints.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil {
		return nil
	}
	entries := pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result)
	compared := comparedLists(sums.Calls)
	for _, fn := range sums.Calls.Funcs {
		if kubeapi.TakesTesting(fn) || runsOnce(entries, fn) {
			continue
		}
		for _, s := range sourcesOf(fn) {
			judge(pass, report, sums, compared, s)
		}
	}
	return nil
}

// runsOnce reports whether a function does its work when an object is made, not
// again and again: it serves requests of the API server or of users.
func runsOnce(entries *entrypoints.Result, fn *ssa.Function) bool {
	return entries.PathTo(fn, kubeapi.Admission, kubeapi.HTTPHandler) != nil && entries.PathTo(fn, kubeapi.Reconcile, kubeapi.Worker, kubeapi.Sync) == nil
}

// judge follows what is in a map's order to an object or hash.
func judge(pass *analysis.Pass, report *rule.Reporter, sums *objects.Summaries, compared lists, s source) {
	if s.hash {
		tell(pass, report, s, intoHash, "", rule.Load)
		return
	}
	f := newFlow(sums.Calls)
	f.follow(s.value, 0)
	switch {
	case f.sorted || f.sortsLike(s) || tellsChange(s) || compared.has(s.value.Type()):
	case f.hash != nil:
		tell(pass, report, s, intoHash, "", rule.Load)
	case len(f.ends) > 0:
		object, harm := f.ends[0], rule.Hygiene
		if i := slices.IndexFunc(f.ends, func(e end) bool { return isWrittenAgain(sums, e.addr) }); i >= 0 {
			object, harm = f.ends[i], rule.Load
		}
		tell(pass, report, s, intoObject, object.name, harm)
	}
}

func tell(pass *analysis.Pass, report *rule.Reporter, s source, category, object string, harm rule.Harm) {
	pos, end := s.instr.Pos(), token.NoPos
	if call, ok := s.instr.(ssa.CallInstruction); ok {
		pos, end = syntax.Span(pass.Files, call)
	}
	message := "the hash is another one each time, though nothing has changed: it is built in the order of a map; go through the sorted keys"
	if category == intoObject {
		message = wording.Tail(object, maxName) + " changes each time, though nothing has changed: it is in the order of a map; go through the sorted keys"
	}
	report.Report(rule.Finding{
		Pos: pos, End: end, Category: category, Message: message, Harm: harm,
		Related: []analysis.RelatedInformation{{Pos: s.over.Pos(), Message: "the map is gone through here"}},
	})
}

// maxName bounds names from the code under analysis.
const maxName = 40
