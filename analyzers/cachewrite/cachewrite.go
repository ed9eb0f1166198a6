package cachewrite

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachewrite/internal/stores"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const (
	put      = "put"
	deleted  = "delete"
	replaced = "replace"
)

// Analyzer finds writes to the stores of informers.
var Analyzer = rule.New(rule.Spec{
	Name:      "cachewrite",
	Summary:   "find writes to the store of a running informer",
	DocSource: doc,
	Group:     "informers",
	Since:     "v0.1.0",
	Strict:    true,
	Categories: []rule.Category{
		{Name: put, Summary: "an object is put into an informer's store, past the watch that fills it", Harm: rule.Loss, Trial: true, EndsWithProcess: true},
		{Name: deleted, Summary: "an object is taken out of an informer's store", Harm: rule.Loss, Trial: true, EndsWithProcess: true},
		{Name: replaced, Summary: "all that is in an informer's store is replaced", Harm: rule.Loss, EndsWithProcess: true},
	},
	Excuses:     excuses.Reasons(),
	Requires:    []*analysis.Analyzer{stores.Analyzer},
	ProductOnly: true,
	Run:         run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[stores.Analyzer].(*stores.Writes)
	for i := range info.Writes {
		w := &info.Writes[i]
		pos, end := syntax.Span(pass.Files, w.Instr)
		if excuses.Silence(report, pos, category(w.Change), candidate{info, w}) {
			continue
		}
		report.Report(rule.Finding{
			Pos: pos, End: end,
			Category: category(w.Change),
			Message:  message(w),
			Related:  related(w),
		})
	}
	return nil
}

// callsClient reports whether a function calls a client of the API server.
func callsClient(fn *ssa.Function) bool {
	return blocks.Any(fn, func(call ssa.CallInstruction) bool {
		_, calls := kubeapi.ClientOp(call.Common())
		_, deletes := kubeapi.DeletionOf(call.Common())
		return calls || deletes
	})
}

func category(change kubeapi.StoreChange) string {
	switch change {
	case kubeapi.StoreDeletes:
		return deleted
	case kubeapi.StoreReplaces:
		return replaced
	}
	return put
}

func message(w *stores.Write) string {
	return wording.Fit(func(name func(string) string) string {
		act := name(w.What)
		if w.Inner != nil {
			act = fmt.Sprintf("%s, by %s (%s),", name(w.Into), act, wording.File(w.Inner.Place))
		}
		object := "objects"
		if w.Object != "" {
			object = name(w.Object)
		}
		switch w.Change {
		case kubeapi.StoreDeletes:
			return fmt.Sprintf("delete handlers may never run: %s takes %s out of the informer's store; wait for the watch", act, object)
		case kubeapi.StoreReplaces:
			return fmt.Sprintf("what the watch has brought meanwhile is lost: %s replaces all of the informer's store; wait for the watch", act)
		}
		return fmt.Sprintf("a newer version from the watch may be lost: %s puts %s into the informer's store; wait for the watch", act, object)
	})
}

func related(w *stores.Write) []analysis.RelatedInformation {
	if !w.StorePos.IsValid() {
		return nil
	}
	return []analysis.RelatedInformation{{Pos: w.StorePos, Message: "the store comes from here"}}
}
