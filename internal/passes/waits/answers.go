package waits

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// Answers tells who is kept waiting by a pause.
type Answers struct {
	// Path leads from the entry point that matters most, nil if none reaches
	// the place.
	Path *entrypoints.Path
	// Source is the context or stop channel at hand, nil if there is none.
	Source *contexts.Source
	// Caller is the function that has the context at hand, if that is not the
	// one that pauses but one that calls it.
	Caller *ssa.Function
	// Calls lead from Caller to the function, if there is no Path.
	Calls []ssa.CallInstruction
	// Started tells that the place is in a goroutine.
	Started bool
	// Repeatedly is the entry point that starts the goroutine anew for each
	// event, item or watch, nil if there is none.
	Repeatedly *entrypoints.Entry
}

// Again reports whether a call that leads to the function is in a loop.
func (a Answers) Again() bool {
	return slices.ContainsFunc(a.Calls, func(call ssa.CallInstruction) bool {
		return innermost(loops.Of(call.Parent()), call.Block()) != nil
	})
}

// Along returns a pause as those see it who are kept waiting: in the loops around
// the calls that lead there from them, and after what ends before these.
func (i *Waits) Along(p *Pause, a Answers) *Pause {
	for _, call := range i.calls(p, a) {
		p = i.through(p, call)
	}
	return p
}

// calls returns the calls that lead to a pause from those who are kept waiting, the
// last first; if it is the function's own affair, those through which alone it is run.
func (i *Waits) calls(p *Pause, a Answers) []ssa.CallInstruction {
	calls := slices.Clone(a.Calls)
	if a.Caller == nil && a.Path != nil && weight(a.Path.Entry) > runs {
		calls = nil
		for _, edge := range a.Path.Edges() {
			calls = append(calls, edge.Site)
		}
	}
	slices.Reverse(calls)
	fn := p.At.Parent()
	if len(calls) > 0 {
		fn = calls[len(calls)-1].Parent()
	}
	for len(calls) < maxCallers {
		call := i.onlyCall(fn)
		if call == nil {
			break
		}
		calls, fn = append(calls, call), call.Parent()
	}
	return calls
}

// onlyCall returns the one call that runs a function, nil if there are others.
func (i *Waits) onlyCall(fn *ssa.Function) *ssa.Call {
	callers := i.graph.Callers(fn)
	if len(callers) != 1 || callers[0].Parent() == fn || fn.Object() != nil && fn.Object().Exported() {
		return nil
	}
	call, _ := callers[0].(*ssa.Call)
	return call
}

// through returns a pause as the function sees it that makes the call.
func (i *Waits) through(p *Pause, call ssa.CallInstruction) *Pause {
	around := loops.Of(call.Parent())
	seen := *p
	seen.Over = p.Over || i.isOver(call, 0)
	if loop := innermost(around, call.Block()); loop != nil {
		seen.Listens = p.Listens || i.listensIn(loop)
		seen.Fails = p.Fails || failsIn(loop)
		if seen.Loop == nil {
			seen.Loop = loop
		}
	}
	length, known := p.total, p.totalKnown
	rounds, bounded := i.rounds(call.Block(), around)
	given := i.given(p, call)
	if given != nil {
		seen.length = given
		if !p.Known {
			seen.For, seen.Known, seen.Brief = i.longest(given)
		}
	}
	switch {
	case bounded && known:
		seen.total = times(length, float64(rounds))
	case given != nil && p.Loop == nil && seen.Known && bounded:
		seen.total, seen.totalKnown = times(seen.For, float64(rounds)), true
	case given != nil && p.Loop == nil && seen.Loop != nil:
		seen.total, seen.totalKnown = i.sum(given, call, seen.Loop, around)
	default:
		seen.total, seen.totalKnown = 0, false
	}
	return &seen
}

// given returns what a call gives for the length of a pause in what it calls, nil if
// it does not say how long that is.
func (i *Waits) given(p *Pause, call ssa.CallInstruction) ssa.Value {
	switch length := p.length.(type) {
	case *ssa.Parameter:
		if slices.Contains(i.graph.Callees(call).Funcs, length.Parent()) {
			return calls.ArgumentOf(call, length)
		}
	case *ssa.UnOp:
		// What a literal reads of the variables around it.
		return i.captured(length.X, call)
	case *ssa.FreeVar:
		return i.captured(length, call)
	}
	return nil
}

// captured returns the variable of the function of a call that a variable is which the
// called literal has captured, or nil.
func (i *Waits) captured(addr ssa.Value, call ssa.CallInstruction) ssa.Value {
	free, ok := addr.(*ssa.FreeVar)
	if !ok || !slices.Contains(i.graph.Callees(call).Funcs, free.Parent()) {
		return nil
	}
	binding := i.graph.Binding(free)
	if binding == nil || binding.Parent() != call.Parent() {
		return nil
	}
	return binding
}

// None reports whether nobody in the package is known to be kept waiting.
func (a Answers) None() bool { return a.Path == nil && a.Source == nil }

// Answers tells who is kept waiting by a pause of fn at an instruction.
func (i *Waits) Answers(fn *ssa.Function, at ssa.Instruction) Answers {
	a := Answers{Path: i.pathTo(fn, at)}
	a.Started, a.Repeatedly = i.started(fn, 0)
	if sources := i.AtHand(fn); len(sources) > 0 {
		a.Source = &sources[0]
		return a
	}
	a.Caller, a.Source, a.Calls = i.caller(fn, 0)
	if a.Source != nil || a.Path == nil || weight(a.Path.Entry) > runs {
		return a
	}
	// What runs once may take its time, unless it could know of its end.
	if sources := i.AtHand(a.Path.Entry.Fn); len(sources) > 0 {
		a.Caller, a.Source = a.Path.Entry.Fn, &sources[0]
	} else {
		a.Path = nil
	}
	return a
}

// AtHand is [contexts.Sources.AtHand], remembered. The requests of web frameworks,
// which wrap that of net/http, come last.
func (i *Waits) AtHand(fn *ssa.Function) []contexts.Source {
	i.mu.Lock()
	defer i.mu.Unlock()
	known, ok := i.atHand[fn]
	if !ok {
		known = append(i.contexts.AtHand(fn), wrappedRequests(fn)...)
		i.atHand[fn] = known
	}
	return known
}

// wrappedRequests returns the contexts of the requests that parameters of fn,
// and of the functions around it, have in a field.
func wrappedRequests(fn *ssa.Function) []contexts.Source {
	var found []contexts.Source
	for at := fn; at != nil; at = at.Parent() {
		for _, p := range at.Params {
			if field := kubeapi.RequestField(p.Type()); field != nil && p.Object() != nil && p.Name() != "_" {
				found = append(found, contexts.Source{
					Kind: contexts.FromRequest, Param: p, Fields: []*types.Var{field},
					Expr: p.Name() + "." + field.Name() + ".Context()",
				})
			}
		}
	}
	return found
}

// The weights of entry points: how bad it is to keep them waiting.
const (
	periodic = iota + 1
	runs
	handlesEvents
	handlesRequests
	handlesItems
)

// weight orders the kinds of entry points by how bad it is to keep them
// waiting; those without a weight are not kept.
func weight(entry *entrypoints.Entry) int {
	switch kind := entry.Kind; {
	case kind.PerItem():
		return handlesItems
	case kind == kubeapi.Admission || kind == kubeapi.HTTPHandler:
		return handlesRequests
	case kind.PerEvent() || kind == kubeapi.Transform:
		return handlesEvents
	case kind == kubeapi.Runnable || kind == kubeapi.Watch:
		return runs
	case kind == kubeapi.LeaderCallback && kubeapi.TakesContext(entry.Fn.Signature):
		return runs
	case kind == kubeapi.Periodic:
		return periodic
	}
	return 0
}

// findPaths finds the ways from entry points to functions.
func (i *Waits) findPaths() {
	follow := func(_ *entrypoints.Path, edge *entrypoints.Edge) bool {
		return edge.How == entrypoints.Called || edge.How == entrypoints.CalledBack
	}
	for _, entry := range i.entries.Entries {
		if weight(entry) == 0 {
			continue
		}
		i.entries.Walk(entry, follow, func(p *entrypoints.Path) {
			i.paths[p.Fn] = append(i.paths[p.Fn], p)
		})
	}
}

// pathTo returns the shortest way from the entry points that matter most.
func (i *Waits) pathTo(fn *ssa.Function, at ssa.Instruction) *entrypoints.Path {
	var best *entrypoints.Path
	for _, p := range i.paths[fn] {
		if p.Prev == nil && at != nil && !p.Entry.Covers(at) {
			continue
		}
		if best == nil || weight(p.Entry) > weight(best.Entry) ||
			weight(p.Entry) == weight(best.Entry) && len(p.Edges()) < len(best.Edges()) {
			best = p
		}
	}
	return best
}

// maxCallers bounds the search for a caller with a context.
const maxCallers = 3

// caller returns a function of the package that calls fn and has a context, a
// request or a stop channel among its parameters.
func (i *Waits) caller(fn *ssa.Function, depth int) (*ssa.Function, *contexts.Source, []ssa.CallInstruction) {
	if depth >= maxCallers {
		return nil, nil, nil
	}
	for _, call := range i.graph.Callers(fn) {
		if _, isGo := call.(*ssa.Go); isGo {
			continue
		}
		for _, source := range i.AtHand(call.Parent()) {
			if (source.Kind == contexts.FromParam || source.Kind == contexts.FromRequest) && !source.Blank {
				return call.Parent(), &source, []ssa.CallInstruction{call}
			}
		}
	}
	for _, call := range i.graph.Callers(fn) {
		if _, isGo := call.(*ssa.Go); isGo || call.Parent() == fn {
			continue
		}
		if found, source, calls := i.caller(call.Parent(), depth+1); found != nil {
			return found, source, append(slices.Clone(calls), call)
		}
	}
	return nil, nil, nil
}

// started reports whether fn is, or is in, the body of a goroutine, or what only
// goroutines call, and which entry point starts it again and again.
func (i *Waits) started(fn *ssa.Function, depth int) (bool, *entrypoints.Entry) {
	for at := fn; at != nil; at = at.Parent() {
		for _, from := range i.startedBy[at] {
			if p := i.pathTo(from, nil); p != nil && (p.Entry.Kind.PerEvent() || p.Entry.Kind.PerItem() || p.Entry.Kind == kubeapi.Watch) {
				return true, p.Entry
			}
		}
		if len(i.startedBy[at]) > 0 {
			return true, nil
		}
	}
	callers := i.graph.Callers(fn)
	if depth >= maxCallers || len(callers) == 0 || fn.Parent() == nil && (fn.Object() == nil || fn.Object().Exported()) {
		return false, nil
	}
	var again *entrypoints.Entry
	for _, call := range callers {
		started, entry := i.started(call.Parent(), depth+1)
		if !started {
			return false, nil
		}
		if again == nil {
			again = entry
		}
	}
	return true, again
}

// findStarters finds the functions that are started in goroutines.
func (i *Waits) findStarters() {
	for _, from := range i.graph.Funcs {
		for _, edge := range i.entries.Edges(from) {
			if edge.How == entrypoints.Started {
				i.startedBy[edge.Callee] = append(i.startedBy[edge.Callee], from)
			}
		}
	}
}
