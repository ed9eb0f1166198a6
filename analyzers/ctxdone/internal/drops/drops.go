// Package drops finds calls that wait or go on and are given nothing that could
// end them: pollers, loops and informers under a context or stop channel that
// never ends, and pollers that take neither.
//
// A function of the user's modules that makes such a call for its callers, and has
// no context at hand itself, says so in a fact, so that the calls in other packages
// count.
package drops

import (
	"go/types"
	"reflect"
	"slices"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/waits"
)

// Analyzer finds calls that nothing ends; its result is a *[Drops].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetdrops",
	Doc:        "find calls that are given nothing which could end them",
	Requires:   []*analysis.Analyzer{calls.Analyzer, contexts.Analyzer, waits.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Drops](),
	FactTypes:  []analysis.Fact{new(Endless)},
}

// Endless is the fact on a function that makes a call which nothing ends, for its
// callers.
type Endless struct {
	// Name is what is called, "wait.Forever", and Where the place of the call.
	Name, Where string
	// Given is what it is given that never ends: "wait.NeverStop"; empty if it
	// takes nothing.
	Given string
	// Forever tells that it does not give up after a time either, and Blocking
	// that the function waits for it.
	Forever, Blocking bool
	// Poller tells that it waits until the answer to a question is yes.
	Poller bool
}

// AFact marks Endless as a fact.
func (*Endless) AFact() {}

// IsZero reports whether there is no such call.
func (e *Endless) IsZero() bool { return e.Where == "" }

// Drop is a call that nothing ends.
type Drop struct {
	Call   ssa.CallInstruction
	Callee *types.Func
	// Until is the argument that never ends, nil if there is no such parameter,
	// and Given what it is: "wait.NeverStop".
	Until ssa.Value
	Given string
	// Forever tells that it does not give up after a time either, and Soon that
	// it does so before anybody minds.
	Forever, Soon bool
	// Derived tells that Until is derived from what never ends.
	Derived bool
	// Blocking tells that the caller waits for it, and Poller that it does so until the answer
	// to a question is yes.
	Blocking, Poller bool
	// Elsewhere is the call itself, if it is in a function of another package.
	Elsewhere *Endless

	limit time.Duration // of the timeout with which Until is derived, if known
}

// Drops answers for one package.
type Drops struct {
	pass     *analysis.Pass
	graph    *calls.Graph
	contexts *contexts.Sources
	waits    *waits.Waits
	endless  *facts.Table[Endless, *Endless]
}

func run(pass *analysis.Pass) (any, error) {
	i := &Drops{
		pass: pass, graph: pass.ResultOf[calls.Analyzer].(*calls.Graph),
		contexts: pass.ResultOf[contexts.Analyzer].(*contexts.Sources), waits: pass.ResultOf[waits.Analyzer].(*waits.Waits),
	}
	i.endless = facts.New[Endless](pass, i.graph)
	if i.graph.Pkg == nil {
		return i, nil
	}
	i.endless.Fill(rounds, i.ofFunction)
	i.endless.Export()
	return i, nil
}

// rounds bounds the calls between functions of a package that are followed.
const rounds = 4

// ofFunction tells what a function makes its callers wait for.
func (i *Drops) ofFunction(fn *ssa.Function) *Endless {
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		if found := i.forCallers(fn, call); found != nil {
			return found
		}
	}
	return nil
}

func (i *Drops) forCallers(fn *ssa.Function, call ssa.CallInstruction) *Endless {
	var found *Endless
	if d := i.At(call); d != nil && !d.Soon {
		if found = d.Elsewhere; found == nil {
			found = &Endless{Name: d.Name(), Where: syntax.Place(i.pass.Fset, call.Pos()), Given: d.Given, Forever: d.Forever, Blocking: d.Blocking, Poller: d.Poller}
		}
	} else if _, waits := call.(*ssa.Call); waits {
		if all := i.endless.At(call); len(all) == 1 {
			found = all[0]
		}
	}
	if found == nil || i.waits.IsOver(call) || !i.waits.Answers(fn, call).None() {
		return nil // somebody here answers for it
	}
	return found
}

// At returns what a call does that nothing ends, nil if something does.
func (i *Drops) At(call ssa.CallInstruction) *Drop {
	if _, deferred := call.(*ssa.Defer); deferred {
		return nil
	}
	d := i.direct(call)
	if d == nil {
		return i.elsewhere(call)
	}
	if i.asksItself(call) {
		return nil
	}
	d.Soon = !d.Forever && i.givesUpSoon(d) || i.backsOffSoon(d)
	return d
}

func (i *Drops) direct(call ssa.CallInstruction) *Drop {
	_, started := call.(*ssa.Go)
	if callee, forever, ok := kubeapi.EndlessWait(call.Common()); ok {
		return &Drop{Call: call, Callee: callee, Forever: forever, Blocking: !started, Poller: kubeapi.IsPoller(callee)}
	}
	w, ok := kubeapi.WaitCall(call.Common())
	if !ok {
		return nil
	}
	blocking := !started && (w.Poller || w.Synced || w.Callee.Signature().Recv() == nil || kubeapi.IsEndless(w.Callee))
	given, limit, bounded := i.neverEnds(w.Until, blocking)
	if given == "" {
		return nil
	}
	return &Drop{
		Call: call, Callee: w.Callee, Until: w.Until, Given: given,
		Forever: !bounded && !w.Limited,
		Derived: isDerived(i.contexts.Origins(w.Until)), limit: limit, Blocking: blocking, Poller: w.Poller,
	}
}

func (i *Drops) elsewhere(call ssa.CallInstruction) *Drop {
	fact := i.endless.Elsewhere(call)
	if fact == nil {
		return nil
	}
	_, started := call.(*ssa.Go)
	return &Drop{Call: call, Callee: kubeapi.Callee(call.Common()), Forever: fact.Forever, Blocking: fact.Blocking && !started, Poller: fact.Poller, Elsewhere: fact}
}

// asksItself reports whether the function that a poller asks again and again
// listens itself, and so ends the poller.
func (i *Drops) asksItself(call ssa.CallInstruction) bool {
	_, args := kubeapi.Args(call.Common())
	return slices.ContainsFunc(args, func(arg ssa.Value) bool {
		return kubeapi.IsFuncType(arg.Type()) && slices.ContainsFunc(i.graph.FuncsOf(arg).Funcs, i.waits.Listens)
	})
}

// short is how long a poller may go on that gives up by itself.
const short = 5 * time.Second

// givesUpSoon reports whether a poller has a short timeout.
func (i *Drops) givesUpSoon(d *Drop) bool {
	if d.limit > 0 && d.limit <= short {
		return true
	}
	_, args := kubeapi.Args(d.Call.Common())
	index := 1 // Poll(interval, timeout, …)
	if d.Until != nil {
		index = 2 // PollUntilContextTimeout(ctx, interval, timeout, …)
	}
	if index >= len(args) || !kubeapi.IsNamed(args[index].Type(), "time", "Duration") {
		return false
	}
	timeout, known := i.contexts.Duration(args[index])
	return known && timeout <= short
}

// Name is how the code calls what is called.
func (d *Drop) Name() string {
	if d.Callee.Pkg() != nil && d.Callee.Signature().Recv() == nil {
		return d.Callee.Pkg().Name() + "." + d.Callee.Name()
	}
	return d.Callee.Name()
}
