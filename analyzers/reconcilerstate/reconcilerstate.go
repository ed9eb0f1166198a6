package reconcilerstate

import (
	_ "embed"
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const (
	sharedMap = "map"
	perObject = "per-object"
	sharedAll = "slice"
)

// Analyzer finds state that reconciles share.
var Analyzer = rule.New(rule.Spec{
	Name:      "reconcilerstate",
	Summary:   "find state of reconcilers that concurrent reconciles share without a lock",
	DocSource: doc,
	Group:     "controllers",
	Since:     "unreleased",
	Strict:    true,
	Categories: []rule.Category{
		{Name: sharedMap, Summary: "map that concurrent reconciles write", Harm: rule.Crash},
		{Name: perObject, Summary: "field of the reconciler that is set for the object at hand", Harm: rule.Loss},
		{Name: sharedAll, Summary: "slice that concurrent reconciles append to", Harm: rule.Loss},
	},
	Requires:    []*analysis.Analyzer{controllers.Analyzer, entrypoints.Analyzer},
	ProductOnly: true,
	Run:         run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	result := pass.ResultOf[controllers.Analyzer].(*controllers.Result)
	if result.Calls.Pkg == nil || len(result.Local)+len(result.Workers) == 0 {
		return nil
	}
	r := &reader{
		Result: result, entries: pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result), report: report,
		writes: make(map[state][]*write), told: make(map[token.Pos]bool),
	}
	for _, c := range slices.Concat(result.Local, result.Workers) {
		if c.ReconcileFn != nil {
			r.reconcile(c)
		}
	}
	for _, key := range r.order {
		r.judge(key)
	}
	r.unlocked()
	return nil
}

// state is what outlives a reconcile: a field of the reconciler, or a package
// variable.
type state struct {
	owner types.Object // the field or the variable
	how   string       // the category
}

// write is a place that changes it, in the course of a controller's Reconcile.
type write struct {
	by    *controllers.Local
	instr ssa.Instruction
	fn    *ssa.Function
	field bool // it is the reconciler's own
}

type reader struct {
	*controllers.Result
	entries *entrypoints.Result
	report  *rule.Reporter
	writes  map[state][]*write
	order   []state
	told    map[token.Pos]bool
}

// judge reports a state if several reconciles certainly write it at a time.
func (r *reader) judge(key state) {
	writes := r.writes[key]
	for _, w := range writes {
		why := r.concurrent(w, writes)
		if why == "" && key.how == sharedMap && chosen(w.by) {
			why = "several workers"
		}
		if why == "" && !(r.report.Strict() && w.by.Workers.Value == 0) {
			continue
		}
		if why == "" {
			why = "MaxConcurrentReconciles may be above one"
		}
		if pos := w.instr.Pos(); !r.told[pos] {
			r.told[pos] = true
			r.tell(key, w, why)
		}
		return
	}
}

// chosen reports whether somebody can choose how many workers a controller has, and so
// was meant to: by a flag, a field of a configuration, or a parameter.
func chosen(c *controllers.Local) bool {
	return c.Workers.Value == 0 && c.Workers.Chosen
}

// concurrent says why several goroutines run a write; empty if that is not certain.
func (r *reader) concurrent(w *write, all []*write) string {
	if w.by.Workers.Value > 1 {
		return fmt.Sprintf("%d workers", w.by.Workers.Value)
	}
	for _, other := range all {
		if other.by == w.by || w.by.Framework == controllers.ClientGo && other.by.ReconcileFn == w.by.ReconcileFn {
			continue
		}
		if !w.field || sameValue(w.by.ReconcilerValue, other.by.ReconcilerValue) {
			return "2 controllers"
		}
	}
	return ""
}

// sameValue reports whether two controllers certainly have one reconciler.
func sameValue(a, b ssa.Value) bool {
	if a == nil || b == nil {
		return false
	}
	_, pointer := a.Type().Underlying().(*types.Pointer)
	return pointer && a == b
}

func (r *reader) tell(key state, w *write, why string) {
	what := w.by.Reconciler[lastDot(w.by.Reconciler)+1:] + "." + key.owner.Name()
	if !w.field {
		what = key.owner.Name()
	}
	harm := rule.Harm(0)
	if key.how == perObject && kubeapi.IsLogger(key.owner.Type()) {
		harm = rule.Hygiene // the wrong object in a log
	}
	r.report.Report(rule.Finding{
		Pos: position(w.instr), Category: key.how, Harm: harm,
		Message: wording.Fit(func(name func(string) string) string {
			switch key.how {
			case sharedMap:
				return fmt.Sprintf("the operator dies of concurrent map writes: %s write %s without a lock; guard it with a mutex or use sync.Map", why, name(what))
			case sharedAll:
				return fmt.Sprintf("elements get lost: %s append to %s without a lock; guard it with a mutex, or keep it in a local variable", why, name(what))
			}
			return fmt.Sprintf("one reconcile goes on with the %s of another: %s share %s; keep it in a local variable and pass it on", name(key.owner.Name()), why, name(what))
		}),
		Related: []analysis.RelatedInformation{{Pos: w.by.Pos, Message: "the controller is made here"}},
	})
}

func lastDot(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '.' {
			return i
		}
	}
	return -1
}

// position is where a finding about a write stands.
func position(instr ssa.Instruction) token.Pos {
	if store, ok := instr.(*ssa.Store); ok && store.Addr.Pos().IsValid() {
		return store.Addr.Pos()
	}
	return instr.Pos()
}
