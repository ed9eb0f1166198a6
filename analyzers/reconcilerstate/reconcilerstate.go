package reconcilerstate

import (
	_ "embed"
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
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
	var handed *write // by workers of which other packages say how many they are
	for _, w := range writes {
		n := w.by.Workers
		switch why := r.concurrent(w, writes); {
		case why != "":
			r.tell(key, w, why, nil)
		case key.how == sharedMap && n.Value == 0 && n.Chosen:
			r.tell(key, w, several, nil)
		case r.report.Strict() && n.Value == 0:
			r.tell(key, w, "MaxConcurrentReconciles may be above one", nil)
		case key.how == sharedMap && len(n.Handed) > 0 && handed == nil:
			handed = w
			continue
		default:
			continue
		}
		return
	}
	if handed != nil {
		r.tell(key, handed, several, handed.by.Workers.Handed)
	}
}

const several = "several workers"

// concurrent says why several goroutines run a write; empty if that is not certain.
func (r *reader) concurrent(w *write, all []*write) string {
	if w.by.Workers.Value > 1 {
		return fmt.Sprintf("%d workers", w.by.Workers.Value)
	}
	for _, other := range all {
		if other.by == w.by || w.by.Framework == controllers.ClientGo && other.by.ReconcileFn == w.by.ReconcileFn || r.areExclusive(w.by.Made, other.by.Made) {
			continue
		}
		if !w.field || sameValue(w.by.ReconcilerValue, other.by.ReconcilerValue) {
			return "several controllers"
		}
	}
	return ""
}

// areExclusive reports whether two controllers are made in branches of a function that runs once, of which
// only one is taken.
func (r *reader) areExclusive(a, b ssa.Instruction) bool {
	return a != nil && b != nil && a != b && a.Parent() == b.Parent() && !blocks.Follows(a, b) && !blocks.Follows(b, a) && r.runsOnce(a.Parent())
}

// runsOnce reports whether a function is called in one place at most, which is in no loop.
func (r *reader) runsOnce(fn *ssa.Function) bool {
	callers := r.Calls.Callers(fn)
	return len(callers) == 0 || len(callers) == 1 && !blocks.Repeats(callers[0].Block())
}

// sameValue reports whether two controllers certainly have one reconciler.
func sameValue(a, b ssa.Value) bool {
	if a == nil || b == nil {
		return false
	}
	_, pointer := a.Type().Underlying().(*types.Pointer)
	return pointer && a == b
}

// tell reports a write; handed are the parameters of which one must be handed more than one for it to
// be a finding.
func (r *reader) tell(key state, w *write, why string, handed []string) {
	if r.told[w.instr.Pos()] {
		return
	}
	r.told[w.instr.Pos()] = true
	what := w.by.Reconciler[lastDot(w.by.Reconciler)+1:] + "." + key.owner.Name()
	if !w.field {
		what = key.owner.Name()
	}
	harm := rule.Harm(0)
	if key.how == perObject && kubeapi.IsLogger(key.owner.Type()) {
		harm = rule.Hygiene // the wrong object in a log
	}
	r.report.Report(rule.Finding{
		Pos: position(w.instr), Category: key.how, Harm: harm, Several: handed,
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
