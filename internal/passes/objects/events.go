package objects

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// EventKind is what happens to an object.
type EventKind uint8

const (
	Mutated    EventKind = iota // a part of it is changed in memory
	Touched                     // a part of it may be changed: it is handed to code that is not known
	Written                     // it is sent to the API server
	Refreshed                   // it is overwritten by what was read or copied
	HandedOff                   // it, or its status, goes where this analysis cannot follow
	Copied                      // a copy of it is made
	Reassigned                  // the variable that holds it is assigned
)

// Event is one thing that an instruction does to an object.
type Event struct {
	Kind  EventKind
	Place paths.Place
	// Type is the kind of the object, or nil if it is not known.
	Type *types.Named
	// Write is how a Written event persists.
	Write Write
	// ViaCopy tells that a copy of the object is written, not the object.
	ViaCopy bool
	// Empty tells that a Mutated event only stores an empty value.
	Empty bool
	// Settled tells that the helper which makes a change also writes the status
	// of such objects, perhaps from a copy, and so has seen to it.
	Settled bool
	// Converted tells that a change is what a conversion between versions carries over.
	Converted bool
	// Via is the helper that does it, or nil if the instruction itself does.
	Via *types.Func
	// Arg is the value through which the instruction has the object.
	Arg ssa.Value
	// Copy is what a Copied event makes.
	Copy ssa.Value
}

// WrittenTo reports whether an object is sent to an endpoint, or to one of several.
func (e Event) WrittenTo(endpoint kubeapi.Endpoint) bool {
	return e.Kind == Written && e.Write.Endpoint&endpoint != 0
}

// at returns what happens to objects at a node, by the instruction itself or
// by the functions that it calls, in the order in which it happens.
func (s *Summaries) at(n *paths.Node) []Event {
	if n.Joins != nil {
		return s.joined(n.Joins)
	}
	if _, ok := n.Instr.(*ssa.Defer); ok && !n.Deferred {
		return nil // the call happens when the function returns
	}
	events := s.Events(n.Instr)
	if call := n.Call(); call != nil && len(n.Succs) > 0 && n.Succs[0].Frame.Call == call && n.Succs[0].Frame != n.Frame {
		// A helper that runs a literal: see joined.
		events = slices.DeleteFunc(events, isAfterLiterals)
	}
	return events
}

// isAfterLiterals reports whether a helper that runs a function literal is
// taken to do this after it, as those do that read an object, let the literal
// change it, and write it.
func isAfterLiterals(e Event) bool { return e.Kind == Written || e.Kind == HandedOff }

// Events returns what an instruction does to objects, itself or through the
// functions that it calls: of a call that runs function literals in place,
// what happens before they run.
func (s *Summaries) Events(instr ssa.Instruction) []Event {
	return s.eachElement(s.eventsOf(instr))
}

// eachElement makes of what happens to the element of a list that stands in the
// function what happens to each of them: a loop over it treats all alike.
func (s *Summaries) eachElement(events []Event) []Event {
	for i, e := range events {
		elements, path := paths.ListOf(e.Place.Object)
		if elements == nil {
			continue
		}
		all := slices.Clone(events[:i])
		for _, element := range elements {
			all = append(all, s.ofElement(e, element, path)...)
		}
		return append(all, s.eachElement(events[i+1:])...)
	}
	return events
}

// ofElement is an event on a list's element as one on what that is.
func (s *Summaries) ofElement(e Event, element ssa.Value, path string) []Event {
	sub := e.Place.Sub
	e.Place = s.Resolve.Place(element)
	e.Place.Object.Path += path
	e.Place.Sub = append(slices.Clip(e.Place.Sub), sub...)
	if path == "" {
		kind := kubeapi.KindBehind(element)
		if e.Type == nil {
			e.Type = kind
		}
		if e.Place.Kind == nil && len(e.Place.Sub) > 0 {
			e.Place.Kind = kind
		}
		if e.Kind == Written && !e.ViaCopy {
			written := s.written(e.Place, element, e.Write)
			for i := range written {
				written[i].Via = e.Via
			}
			return written
		}
	}
	return []Event{e}
}

func (s *Summaries) eventsOf(instr ssa.Instruction) []Event {
	switch instr := instr.(type) {
	case *ssa.Store:
		return s.store(instr)
	case *ssa.MapUpdate:
		p := s.Resolve.Place(instr.Map).Child(instr.Map.Type(), "[]")
		events := []Event{s.event(Mutated, p, instr.Map)}
		return append(events, s.stored(instr.Value)...)
	case *ssa.Send:
		return s.stored(instr.X)
	case *ssa.Go:
		return s.handoffs(append(kubeapi.Operands(instr.Common()), captured(instr.Common().Value)...))
	case *ssa.MakeClosure:
		return s.closure(instr)
	case ssa.CallInstruction:
		return s.call(instr)
	}
	return nil
}

func (s *Summaries) event(kind EventKind, p paths.Place, arg ssa.Value) Event {
	t := p.Kind
	if t == nil && arg != nil && len(p.Sub) == 0 {
		t = kubeapi.KindBehind(arg)
	}
	return Event{Kind: kind, Place: p, Type: t, Arg: arg}
}

// store is an assignment.
func (s *Summaries) store(instr *ssa.Store) []Event {
	if isVarargs(instr.Addr) || paths.IsListed(instr.Addr) {
		return nil // an argument, or an element: the call tells, or what is done to each
	}
	place := s.Resolve.Place(instr.Addr)
	if alloc, ok := instr.Addr.(*ssa.Alloc); ok || isFreeVar(instr.Addr) {
		if !ok {
			alloc, _ = place.Object.Root.(*ssa.Alloc)
		}
		if alloc != nil && !isStruct(alloc) {
			// A variable. What it holds keeps its identity.
			return []Event{{Kind: Reassigned, Place: paths.Place{Object: paths.Object{Root: alloc, Path: ".*"}}}}
		}
	}
	var events []Event
	if isPointerLike(instr.Val.Type()) && place.Kind == nil {
		// A field that leads to an object.
		reassigned := Event{Kind: Reassigned, Place: place}
		return append([]Event{reassigned}, s.stored(instr.Val)...)
	}
	if len(place.Sub) == 0 && kubeapi.KindOf(instr.Val.Type()) != nil {
		// A whole object is overwritten.
		e := s.event(Refreshed, place, instr.Addr)
		events = append(events, e)
		if src := s.Resolve.Place(instr.Val); src.Object != place.Object {
			copied := s.event(Copied, src, instr.Val)
			copied.Copy = instr.Addr
			events = append(events, copied)
		}
		return events
	}
	e := s.event(Mutated, place, instr.Addr)
	e.Empty = isEmpty(instr.Val)
	events = append(events, e)
	return append(events, s.stored(instr.Val)...)
}

// stored is a value that is put where it can be found later.
func (s *Summaries) stored(v ssa.Value) []Event {
	p := s.Resolve.Place(v)
	if p.Aspect() == kubeapi.Status && len(p.Sub) == 1 && p.Kind != nil {
		return s.handoff(v) // the whole status goes into another object
	}
	if isPointerLike(v.Type()) {
		return s.handoff(v)
	}
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL && p.Kind == nil {
		if _, ok := v.Type().Underlying().(*types.Struct); ok {
			return s.handoff(load.X) // *status, whose kind is not seen here
		}
	}
	return nil
}

func isFreeVar(v ssa.Value) bool {
	_, ok := v.(*ssa.FreeVar)
	return ok
}

func isStruct(alloc *ssa.Alloc) bool {
	switch alloc.Type().Underlying().(*types.Pointer).Elem().Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

func isVarargs(addr ssa.Value) bool {
	index, ok := addr.(*ssa.IndexAddr)
	if !ok {
		return false
	}
	alloc, ok := index.X.(*ssa.Alloc)
	return ok && alloc.Comment == "varargs"
}

func isPointerLike(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	}
	_, param := types.Unalias(t).(*types.TypeParam)
	return param
}

// isEmpty reports whether v is a zero value or an empty map or slice.
func isEmpty(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value == nil
	case *ssa.MakeMap:
		return onlyStored(v)
	case *ssa.UnOp:
		// A composite literal without elements is a variable that nothing
		// is stored into.
		alloc, ok := v.X.(*ssa.Alloc)
		return ok && v.Op == token.MUL && alloc.Comment == "complit" && len(*alloc.Referrers()) == 1
	}
	return literals.IsEmptyList(v)
}

func onlyStored(v ssa.Value) bool {
	for range blocks.UsesOf[*ssa.MapUpdate](v) {
		return false
	}
	return true
}

// handoff lets v out of sight, if it is or has an object.
func (s *Summaries) handoff(v ssa.Value) []Event {
	// A literal in a literal captures what that has captured.
	if alloc, ok := calls.Captured(v).(*ssa.Alloc); ok && !isStruct(alloc) {
		// A captured variable: what it holds.
		var events []Event
		for _, o := range s.Resolve.Roots(paths.Object{Root: alloc, Path: ".*"}) {
			events = append(events, Event{Kind: HandedOff, Place: paths.Place{Object: o}, Arg: v})
		}
		return events
	}
	if !mayHoldObject(v.Type()) {
		return nil
	}
	return []Event{s.event(HandedOff, s.Resolve.Place(v), v)}
}

func (s *Summaries) handoffs(all []ssa.Value) []Event {
	var events []Event
	for _, v := range all {
		events = append(events, s.handoff(v)...)
	}
	return events
}

// mayHoldObject leaves out values that no object can be reached through.
func mayHoldObject(t types.Type) bool {
	if kubeapi.IsContext(t) || kubeapi.IsError(t) {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Basic, *types.Signature, *types.Chan:
		return false
	}
	return true
}

// captured returns what a function literal captures.
func captured(v ssa.Value) []ssa.Value {
	if closure, ok := v.(*ssa.MakeClosure); ok {
		return closure.Bindings
	}
	return nil
}

// closure lets what a function literal captures out of sight, unless the
// literal is part of the path graph or is run at the end of the function.
func (s *Summaries) closure(instr *ssa.MakeClosure) []Event {
	if s.runsInPlace(instr) {
		return nil
	}
	return s.handoffs(instr.Bindings)
}

// runsInPlace reports whether a function literal is only called or deferred
// here, or handed to functions that call it before they return.
func (s *Summaries) runsInPlace(closure *ssa.MakeClosure) bool {
	fn := closure.Fn.(*ssa.Function)
	if fn.Synthetic != "" || closure.Referrers() == nil {
		return false
	}
	for v, use := range (values.Relation{Steps: values.Converted | values.Held}).Uses(closure) {
		call, ok := use.(ssa.CallInstruction)
		if _, isGo := use.(*ssa.Go); !ok || isGo || use.Parent() != closure.Parent() {
			return false
		}
		if paths.Literal(s.Calls, v) != fn {
			return false // one of several: not in the graph
		}
		if call.Common().Value != v && !s.callsArgument(call.Common(), v) {
			return false
		}
	}
	return true
}

// callsArgument reports whether a callee calls the function v, one of its
// arguments, before it returns.
func (s *Summaries) callsArgument(common *ssa.CallCommon, v ssa.Value) bool {
	callee := kubeapi.Callee(common)
	if callee == nil {
		return false
	}
	_, args := kubeapi.Args(common)
	index := slices.Index(args, v)
	return index >= 0 && s.runs(callee, index)
}

// runs reports whether callee calls the function that it gets as its index-th
// argument, the receiver not counted, before it returns.
func (s *Summaries) runs(callee *types.Func, index int) bool {
	if kubeapi.RunsInPlace(callee, index) {
		return true
	}
	sum := s.of(callee)
	if sum == nil {
		return false
	}
	if callee.Signature().Recv() != nil {
		index++
	}
	return index < len(sum.Params) && sum.Params[index].Calls && len(sum.Params[index].Handoffs) == 0
}
