package selftrigger

import (
	_ "embed"
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/controllers"
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
		{Name: conditionFlaps, Summary: "each reconcile sets LastTransitionTime to now", Harm: rule.Load, Trial: true},
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
		if c.ReconcileFn != nil && c.HearsOwnStatus() {
			r.reconcile(c)
		}
	}
	return nil
}

type reader struct {
	summaries *objects.Summaries
	report    *rule.Reporter
	told      map[ssa.Instruction]bool
}

// reconcile looks at Reconcile, and at what it calls each time.
func (r *reader) reconcile(c *controllers.Local) {
	r.look(c, &frame{graph: r.summaries.Calls, fn: c.ReconcileFn})
}

// look looks at a function that each reconcile runs. What a helper does under a condition
// of its own is not certain to happen each time.
func (r *reader) look(c *controllers.Local, f *frame) {
	if len(f.fn.Blocks) == 0 {
		return
	}
	for instr := range blocks.Instrs(f.fn) {
		switch instr := instr.(type) {
		case *ssa.Store:
			place, at, step := r.place(f, instr)
			category := r.category(c, f, place, instr.Val)
			if category == "" || r.told[instr] || !eachTime(f.fn.Blocks[0], instr) || !r.isStored(at, step, place.Object) {
				continue
			}
			r.told[instr] = true
			r.tell(c, f, instr, category)
		case *ssa.Call:
			if callee := r.callee(instr); callee != nil && !f.runs(callee) && f.depth() < maxCalls && eachTime(f.fn.Blocks[0], instr) {
				r.look(c, &frame{f.graph, callee, instr, f})
			}
		}
	}
}

// callee returns the only function of the package that a call may run, or nil.
func (r *reader) callee(call *ssa.Call) *ssa.Function {
	targets := r.summaries.Calls.Callees(call)
	if len(targets.Funcs) != 1 || !targets.Closed && !call.Call.IsInvoke() {
		return nil
	}
	return targets.Funcs[0]
}

// place tells what an assignment is to: if the function has no more than a pointer to a
// part of the object, such as its status, as those see it that lead there, from one of
// their instructions on.
func (r *reader) place(f *frame, store *ssa.Store) (place paths.Place, at *frame, step ssa.Instruction) {
	place, step = r.summaries.Resolve.Place(store.Addr), store
	for place.Kind == nil && f.up != nil {
		given := f.given(place.Object.Root)
		if given == nil {
			break
		}
		place = r.summaries.Resolve.Descend(r.summaries.Resolve.Place(given), given.Type(), place.FullPath())
		f, step = f.up, f.call
	}
	return place, f, step
}

// category tells which mistake an assignment would be if it happened each time.
func (r *reader) category(c *controllers.Local, f *frame, place paths.Place, v ssa.Value) string {
	if place.Kind == nil || kubeapi.KindID(place.Kind) != c.For.ID || place.Aspect() != kubeapi.Status {
		return ""
	}
	switch {
	case f.differsEachTime(v, 0):
		return clockInStatus
	case f.hasFreshCondition(v):
		return conditionFlaps
	}
	return ""
}

// isStored reports whether an object is certainly written after an instruction, in
// its function or in those that lead there.
func (r *reader) isStored(f *frame, at ssa.Instruction, object paths.Object) bool {
	for instr := range blocks.Instrs(f.fn) {
		if call, ok := instr.(*ssa.Call); ok && call != at && r.stores(call, object, 0) && blocks.Precedes(at, call) && eachTime(at.Block(), call) {
			return true
		}
	}
	if f.up == nil {
		return false
	}
	if given := f.given(object.Root); given != nil {
		place := r.summaries.Resolve.Place(given)
		object = paths.Object{Root: place.Object.Root, Path: place.Object.Path + object.Path}
	} else if object.Root.Parent() == f.fn {
		return false // its own
	}
	return r.isStored(f.up, f.call, object)
}

// stores reports whether a call writes an object's status, itself or in a function that
// does so each time.
func (r *reader) stores(call *ssa.Call, object paths.Object, depth int) bool {
	if op, ok := r.summaries.ClientOp(call.Common()); ok {
		return (op.Verb == kubeapi.Update || op.Verb == kubeapi.Patch) && op.Object != nil && op.Endpoint&kubeapi.StatusEndpoint != 0 &&
			r.summaries.Resolve.Place(op.Object).Object == object
	}
	callee := r.callee(call)
	if callee == nil || len(callee.Blocks) == 0 || depth > maxCalls {
		return false
	}
	inside := object // of a literal
	for _, p := range callee.Params {
		if given := calls.ArgumentOf(call, p); given != nil && isPointer(given) {
			if place := r.summaries.Resolve.Place(given); place.Object == object && len(place.Sub) == 0 {
				inside = r.summaries.Resolve.Place(p).Object
			}
		}
	}
	if inside == object && callee.Parent() == nil {
		return false
	}
	for instr := range blocks.Instrs(callee) {
		if inner, ok := instr.(*ssa.Call); ok && r.stores(inner, inside, depth+1) && eachTime(callee.Blocks[0], inner) {
			return true
		}
	}
	return false
}

func isPointer(v ssa.Value) bool {
	switch v.Type().Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	}
	return false
}

// isCheap reports whether a second pass does nothing but to read what the cache has, and is not
// followed by passes that nobody asked for: the controller does not come back by itself.
func isCheap(c *controllers.Local) bool {
	return !c.Does.Requeues && !c.Does.Open && !c.Does.Full && !slices.ContainsFunc(c.Does.Accesses, func(a controllers.Access) bool {
		switch a.Act {
		case controllers.Get, controllers.List:
			return a.Source == controllers.FromAPI
		case controllers.ReadPart, controllers.ChangePart:
			return false
		}
		return a.Kind.ID != c.For.ID
	})
}

func (r *reader) tell(c *controllers.Local, f *frame, store *ssa.Store, category string) {
	pos := store.Addr.Pos()
	if !pos.IsValid() {
		pos = store.Pos()
	}
	harm := rule.Load
	// What is missing is made then, or waited for, and neither goes on for long.
	if f.inSeconds(store.Val) && (isCheap(c) || values.IsWhereNotFound(store.Block())) {
		harm = rule.Hygiene
	}
	r.report.Report(rule.Finding{
		Pos: pos, Category: category, Harm: harm,
		Message: wording.Fit(func(name func(string) string) string {
			if category == conditionFlaps {
				return fmt.Sprintf("a reconcile of a %s changes LastTransitionTime, which runs it again until two end in one second; use meta.SetStatusCondition", name(c.For.Name()))
			}
			// What is the same again is no event.
			if f.inSeconds(store.Val) {
				return fmt.Sprintf("a reconcile of a %s changes its status, which runs it again until two end in one second; filter status updates, or set it only when more has changed", name(c.For.Name()))
			}
			return fmt.Sprintf("each reconcile of a %s changes its status, which runs the next one, without end; filter status updates, or set it only when more has changed", name(c.For.Name()))
		}),
		Related: []analysis.RelatedInformation{{Pos: c.Pos, Message: "no filter of this controller drops the event"}},
	})
}
