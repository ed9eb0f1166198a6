package informerlifecycle

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/lives"
	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/repetitions"
	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/informers"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// checkNeverStopped reports the informers that are started outside the set-up of
// the process and that nothing can stop.
func (u *unit) checkNeverStopped() {
	if u.Pass.Pkg.Name() == "main" {
		return
	}
	fakes := u.fakes()
	for _, op := range u.Info.Ops {
		if op.Verb != kubeapi.StartFactory && op.Verb != kubeapi.RunInformer || u.Reported[op.Instr] || u.Claimed[op.Instr] || fakes[op.Instr] {
			continue
		}
		lasts, what := u.LifeOf(op.Until, 0)
		// A function that goes on until the process ends is main in all but
		// name, and a type that only tests make ends with them.
		if u.IsForTests(op.Instr.Parent()) || lasts != lives.Endless || u.isSetUp(op.Instr.Parent(), 0) || u.wherever(op.Instr, u.StaysAfter, 0) || u.leftToStopDropped(op) {
			continue
		}
		owner, stop := stopOf(op.Instr.Parent())
		if owner == "" && u.wherever(op.Instr, u.maybeOnce, 0) && !u.Report.Strict() {
			continue
		}
		u.Reported[op.Instr] = true
		u.reportNeverStopped(op, what, owner, stop)
	}
}

// wherever reports whether something holds for an instruction, or for each call that
// leads to it where only the package can call its function.
func (u *unit) wherever(at ssa.CallInstruction, holds func(ssa.CallInstruction) bool, depth int) bool {
	if holds(at) {
		return true
	}
	fn := at.Parent()
	callers := u.Graph.Callers(fn)
	if depth > repetitions.MaxChain || len(callers) == 0 || fn.Object() != nil && fn.Object().Exported() || len(u.Entries.Of(fn)) > 0 {
		return false
	}
	return !slices.ContainsFunc(callers, func(site ssa.CallInstruction) bool {
		return site.Parent() == fn || !u.wherever(site, holds, depth+1)
	})
}

// fakes are the starts of factories over clients that serve objects from memory.
func (u *unit) fakes() map[ssa.Instruction]bool {
	found := make(map[ssa.Instruction]bool)
	for _, made := range u.Info.Made {
		if u.IsFake(made) {
			for _, use := range made.Uses {
				found[use.At] = true
			}
		}
	}
	return found
}

// leftToStopDropped reports whether ctxdone's stop-dropped has the finding: a
// stop channel is at hand that could be passed instead, or the context of
// something that runs.
func (u *unit) leftToStopDropped(op informers.Op) bool {
	if u.isParam(op.Until) {
		return false
	}
	_, started := op.Instr.(*ssa.Go)
	return u.wherever(op.Instr, func(at ssa.CallInstruction) bool {
		sources := u.Contexts.AtHand(at.Parent())
		return len(sources) > 0 && (sources[0].Stop || op.Verb == kubeapi.RunInformer && !started || u.runsThings(at.Parent()))
	}, 0)
}

// runsThings reports whether a function waits for its context, or gives it to
// what goes on until it ends.
func (u *unit) runsThings(fn *ssa.Function) bool {
	for instr := range blocks.Instrs(fn) {
		var until ssa.Value
		switch instr := instr.(type) {
		case *ssa.UnOp:
			if instr.Op == token.ARROW {
				until = kubeapi.DoneOf(instr.X)
			}
		case ssa.CallInstruction:
			if w, ok := kubeapi.WaitCall(instr.Common()); ok && !w.Poller && !w.Synced {
				until = w.Until
			}
		}
		if until != nil && u.isParam(until) {
			return true
		}
	}
	return false
}

func (u *unit) isParam(ctx ssa.Value) bool {
	return slices.ContainsFunc(u.Contexts.Origins(ctx), func(o contexts.Origin) bool {
		return o.Kind == contexts.Param && !o.Derived(contexts.Timeout) && o.Root != nil
	})
}

// isSetUp reports whether a function belongs to what puts the process together:
// a command, a function that asks for signals or gets a manager, a hook of an API
// server, and what nothing but these call.
func (u *unit) isSetUp(fn *ssa.Function, depth int) bool {
	if known, ok := u.SetUps[fn]; ok {
		return known
	}
	if depth > repetitions.MaxChain {
		return false
	}
	u.SetUps[fn] = false // for recursion
	is := u.setsUp(fn, depth)
	u.SetUps[fn] = is
	return is
}

func (u *unit) setsUp(fn *ssa.Function, depth int) bool {
	for at := fn; at != nil; at = at.Parent() {
		if kubeapi.SetsUp(at.Signature) || kubeapi.IsCommand(at.Signature) || kubeapi.AsksForSignals(at) || isHook(at.Signature) || u.waitsForProcess(at) {
			return true
		}
		if at.Parent() == nil && at.Signature.Recv() == nil && (at.Name() == "init" || strings.HasPrefix(at.Name(), "init#")) {
			return true
		}
	}
	for _, entry := range u.Entries.Of(fn) {
		if entry.Kind != kubeapi.Runnable && entry.Kind != kubeapi.LeaderCallback {
			return false
		}
	}
	edges := u.Into[fn]
	return len(edges) > 0 && !slices.ContainsFunc(edges, func(edge entrypoints.Edge) bool {
		return edge.How != entrypoints.Once && !u.isSetUp(edge.Site.Parent(), depth+1)
	})
}

// waitsForProcess reports whether a function waits for the end of a context or
// stop channel that is nobody's but the process's: it comes from a function
// that is given nothing, as those for signals are.
func (u *unit) waitsForProcess(fn *ssa.Function) bool {
	for instr := range blocks.Instrs(fn) {
		for ch := range blocks.Received(instr) {
			if u.isOfProcess(ch) {
				return true
			}
		}
	}
	return false
}

func (u *unit) isOfProcess(ch ssa.Value) bool {
	if ctx := kubeapi.DoneOf(ch); ctx != nil {
		ch = ctx
	} else if !kubeapi.IsStopChannel(ch.Type()) {
		return false
	}
	return !slices.ContainsFunc(u.Contexts.Origins(ch), func(o contexts.Origin) bool {
		call, ok := o.Root.(*ssa.Call)
		return !ok || o.Kind != contexts.Unknown || len(kubeapi.Operands(call.Common())) > 0
	})
}

// isHook recognises the hooks that an API server runs when it has started.
func isHook(sig *types.Signature) bool {
	return kubeapi.AnyIs(sig.Params(), func(t types.Type) bool {
		return kubeapi.IsNamed(t, "k8s.io/apiserver/pkg/server", "PostStartHookContext")
	})
}

// maybeOnce reports whether a process may well do an instruction once only, so
// that nothing adds up: it is in a constructor, or in the method of a component,
// or kept in a map or list, of which nothing says that they are called again and
// again.
func (u *unit) maybeOnce(at ssa.CallInstruction) bool {
	fn := paths.Outermost(at.Parent())
	if fn.Signature.Recv() == nil && !makesSomething(fn.Signature) && !u.IsKept(fn) {
		return false
	}
	return u.Repeated(at) == nil
}

// makesSomething reports whether a function hands out something that lives on.
func makesSomething(sig *types.Signature) bool {
	return kubeapi.AnyIs(sig.Results(), func(t types.Type) bool {
		_, basic := t.Underlying().(*types.Basic)
		return !basic && !kubeapi.IsError(t)
	})
}

func (u *unit) reportNeverStopped(op informers.Op, what, owner, stop string) {
	pos, end := syntax.Span(u.Pass.Files, op.Instr)
	message := fmt.Sprintf("each call of %s leaks a watch and a cache: %s runs with %s; take a context to stop it",
		subject.FuncName(op.Instr.Parent()), subject.NameOf(op.InformerOp), what)
	if owner != "" {
		message = fmt.Sprintf("%s.%s leaks a watch and a cache: it does not stop %s, started with %s; start it with a channel that %s closes",
			wording.Tail(owner, subject.MaxName), stop, subject.NameOf(op.InformerOp), what, stop)
	}
	var harm rule.Harm
	if owner == "" && u.Repeated(op.Instr) == nil {
		harm = rule.Hygiene // nothing shows that it is called more than once, or at all
	}
	u.Report.Report(rule.Finding{Pos: pos, End: end, Category: subject.NeverStopped, Harm: harm, Message: message})
}

// stopOf names the receiver's type and its method that stops it, if the function
// is a method, or makes the type, and there is such a one.
func stopOf(fn *ssa.Function) (owner, stop string) {
	fn = paths.Outermost(fn)
	var t types.Type
	switch sig := fn.Signature; {
	case sig.Recv() != nil:
		t = sig.Recv().Type()
	case sig.Results().Len() > 0:
		t = sig.Results().At(0).Type()
	default:
		return "", ""
	}
	named := kubeapi.Named(t)
	if named == nil || fn.Pkg == nil || named.Obj().Pkg() != fn.Pkg.Pkg {
		return "", ""
	}
	for method := range named.Methods() {
		if kubeapi.IsStop(method) && method.Signature().Params().Len() == 0 {
			return named.Obj().Name(), method.Name()
		}
	}
	return "", ""
}
