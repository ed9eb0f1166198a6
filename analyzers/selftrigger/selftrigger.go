package selftrigger

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const (
	clockInStatus  = "clock-in-status"
	conditionFlaps = "condition-flaps"
)

// Analyzer finds reconciles that cause their own next run.
var Analyzer = rule.New(rule.Spec{
	Name:      "selftrigger",
	Summary:   "find reconciles that cause their own next run",
	DocSource: doc,
	Group:     "controllers",
	Since:     "unreleased",
	Categories: []rule.Category{
		{Name: clockInStatus, Summary: "each reconcile writes a time or random value into the status that it watches", Harm: rule.Load},
		{Name: conditionFlaps, Summary: "each reconcile sets LastTransitionTime to now", Harm: rule.Load},
	},
	Requires:    []*analysis.Analyzer{controllers.Analyzer, objects.Analyzer},
	ProductOnly: true,
	Run:         run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	result := pass.ResultOf[controllers.Analyzer].(*controllers.Result)
	r := &reader{
		summaries: pass.ResultOf[objects.Analyzer].(*objects.Summaries), report: report, told: make(map[ssa.Instruction]bool),
	}
	for _, c := range result.Local {
		if c.ReconcileFn != nil && hearsItself(c) {
			r.reconcile(c)
		}
	}
	return nil
}

// hearsItself reports whether a change of the status of the reconciled kind certainly runs
// Reconcile again.
func hearsItself(c *controllers.Local) bool {
	for _, w := range c.Watches {
		if w.Role != controllers.For || !w.Kind.IsKnown() || w.Handler.Class != controllers.Self {
			continue
		}
		e := controllers.Event{Changed: controllers.StatusPart | controllers.ResourceVersionPart, Deleting: kinds.No, Kind: w.Kind.ID}
		return c.Filter.And(w.Filter).Update.Passes(e) == kinds.Yes
	}
	return false
}

type reader struct {
	summaries *objects.Summaries
	report    *rule.Reporter
	told      map[ssa.Instruction]bool
}

// reconcile looks at Reconcile itself: what a helper does under a condition of its own is
// not certain to happen each time.
func (r *reader) reconcile(c *controllers.Local) {
	fn := c.ReconcileFn
	for instr := range blocks.Instrs(fn) {
		store, ok := instr.(*ssa.Store)
		if !ok {
			continue
		}
		category := r.category(c, store)
		if category == "" || r.told[store] || !eachTime(fn.Blocks[0], store) || !r.isStored(c, store) {
			continue
		}
		r.told[store] = true
		r.tell(c, store, category)
	}
}

// category tells which mistake an assignment would be if it happened each time.
func (r *reader) category(c *controllers.Local, store *ssa.Store) string {
	place := r.summaries.Resolve.Place(store.Addr)
	if place.Kind == nil || kubeapi.KindID(place.Kind) != c.For.ID || place.Aspect() != kubeapi.Status {
		return ""
	}
	switch {
	case differsEachTime(store.Val, 0):
		return clockInStatus
	case hasFreshCondition(store.Val):
		return conditionFlaps
	}
	return ""
}

// isStored reports whether the object is certainly written after an assignment.
func (r *reader) isStored(c *controllers.Local, store *ssa.Store) bool {
	object := r.summaries.Resolve.Place(store.Addr).Object
	for instr := range blocks.Instrs(store.Parent()) {
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			continue
		}
		op, ok := kubeapi.ClientOp(call.Common())
		if !ok || op.Verb != kubeapi.Update && op.Verb != kubeapi.Patch || op.Object == nil || op.Endpoint&kubeapi.StatusEndpoint == 0 {
			continue
		}
		if r.summaries.Resolve.Place(op.Object).Object == object && blocks.Precedes(store, call) && eachTime(store.Block(), call) {
			return true
		}
	}
	return false
}

func (r *reader) tell(c *controllers.Local, store *ssa.Store, category string) {
	pos := store.Addr.Pos()
	if !pos.IsValid() {
		pos = store.Pos()
	}
	r.report.Report(rule.Finding{
		Pos: pos, Category: category,
		Message: wording.Fit(func(name func(string) string) string {
			if category == conditionFlaps {
				return fmt.Sprintf("each reconcile of a %s changes its condition's LastTransitionTime, which runs the next reconcile; use meta.SetStatusCondition", name(c.For.Name()))
			}
			return fmt.Sprintf("each reconcile of a %s changes its status, which runs the next one, without end; write the value only when something else changes", name(c.For.Name()))
		}),
		Related: []analysis.RelatedInformation{{Pos: c.Pos, Message: "no filter of this controller drops the event"}},
	})
}
