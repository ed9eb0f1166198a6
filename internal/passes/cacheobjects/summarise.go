package cacheobjects

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
)

// summarise makes the summary of one of the unit's functions.
func (u *unit) summarise(fn *ssa.Function) *Summary {
	sum := &Summary{Params: make([]Param, len(fn.Params))}
	var events []*event
	for _, e := range u.allEvents() {
		src := e.from.src
		if src.fn == fn && !src.called && !e.doubtful && matters(fn.Params[src.param].Type(), e.from.take) {
			events = append(events, e)
		}
	}
	u.confirm(events)
	for _, e := range events {
		if !e.confirmed {
			continue
		}
		p := &sum.Params[e.from.src.param]
		p.Writes = append(p.Writes, u.told(fn, e))
	}
	for i, param := range fn.Params {
		sum.Params[i].Writes = sortWrites(sum.Params[i].Writes)
		for _, from := range u.vals[param] {
			if from.put == "" || from.src.value == param || len(u.Entries.Of(fn)) > 0 && from.src.kind == kubeapi.HandlerObject {
				continue
			}
			if f, ok := u.flow(fn, from); ok {
				sum.Params[i].Gets = appendNew(sum.Params[i].Gets, f, maxFlows)
			}
		}
	}
	u.setsIn(fn, 0, func(at ssa.Value, p path, byCopy bool) {
		at, p = u.reachedFrom(at, p)
		param, ok := at.(*ssa.Parameter)
		if i := slices.Index(fn.Params, param); ok && i >= 0 && p != "" && p.steps() <= maxOwnSteps {
			sum.Params[i].Sets = appendNew(sum.Params[i].Sets, Set{string(p), byCopy}, maxFlows)
		}
	})
	for _, c := range u.calls {
		if c.fn != fn || !u.handsOn(c) {
			continue
		}
		if f, ok := u.flow(fn, c.with); ok {
			p := &sum.Params[c.param]
			p.Calls = appendNew(p.Calls, CallWith{Arg: c.arg, With: f}, maxFlows)
		}
	}
	for i, list := range u.returns[fn] {
		for _, from := range u.returnsIt(fn, i, list) {
			f, ok := u.flow(fn, from)
			if !ok {
				continue
			}
			f.Doubtful = f.Doubtful || f.Source != kubeapi.NoCacheSource && copiesOnRequest(fn, i)
			for len(sum.Results) <= i {
				sum.Results = append(sum.Results, nil)
			}
			sum.Results[i] = appendNew(sum.Results[i], f, maxFlows)
		}
	}
	return sum
}

// setsIn yields what a function replaces on each of its paths, itself, in a literal that
// it calls, or in a function that it calls.
func (u *unit) setsIn(body *ssa.Function, depth int, yield func(at ssa.Value, p path, byCopy bool)) {
	for _, block := range body.Blocks {
		if !blocks.Inevitable(block) {
			continue
		}
		for _, instr := range block.Instrs {
			switch instr := instr.(type) {
			case *ssa.Store:
				at, p := base(instr.Addr)
				yield(at, p, u.isCopied(instr.Val))
			case *ssa.MapUpdate:
				yield(instr.Map, element, u.isCopied(instr.Value))
			case *ssa.Call:
				literal := u.literalRunBy(instr)
				if literal == nil || !u.has(literal) {
					u.eachSet(instr, yield)
				} else if depth < maxNested {
					u.setsIn(literal, depth+1, yield)
				}
			}
		}
	}
}

// literalRunBy returns the literal that a call is of, or that a function runs each time
// which it is handed to; nil for none.
func (u *unit) literalRunBy(call *ssa.Call) *ssa.Function {
	if literal := paths.Literal(u.Calls, call.Call.Value); literal != nil {
		return literal
	}
	for i, arg := range call.Call.Args {
		if how, ok := u.Calls.RunsArg(call.Common(), i); !ok || !how.Always {
			continue
		}
		if literal := paths.Literal(u.Calls, arg); literal != nil {
			return literal
		}
	}
	return nil
}

// reachedFrom is the value, a parameter at best, from which a path leads to what is
// reached from another value.
func (u *unit) reachedFrom(at ssa.Value, p path) (ssa.Value, path) {
	for range maxSteps {
		if same := u.Calls.Same(at); same != nil {
			at = same
			continue
		}
		load, ok := at.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			break
		}
		var before path
		at, before = base(load.X)
		p = before.join(follow).join(p)
	}
	return at, p
}

// eachSet yields what a call replaces.
func (u *unit) eachSet(call ssa.CallInstruction, yield func(at ssa.Value, p path, byCopy bool)) {
	if _, waits := call.(*ssa.Call); !waits {
		return
	}
	callees := u.callees(call)
	if len(callees) != 1 || callees[0].sum == nil {
		return
	}
	ops := operands(call.Common(), callees[0])
	for i, p := range callees[0].sum.Params {
		if i >= len(ops) || ops[i] == nil {
			continue
		}
		for _, set := range p.Sets {
			at, before := base(ops[i])
			yield(at, before.join(path(set.Path)), set.ByCopy)
		}
	}
}

// copiesOnRequest reports whether a function returns a copy as its index-th
// result on some paths, and has a parameter that may ask for it.
func copiesOnRequest(fn *ssa.Function, index int) bool {
	asked := slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return types.Identical(p.Type(), types.Typ[types.Bool]) })
	return asked && blocks.Any(fn, func(ret *ssa.Return) bool {
		if phi, ok := ret.Results[index].(*ssa.Phi); ok {
			return slices.ContainsFunc(phi.Edges, isCopy)
		}
		return isCopy(ret.Results[index])
	})
}

// flow words an origin for the callers of fn.
func (u *unit) flow(fn *ssa.Function, from origin) (Flow, bool) {
	f := Flow{Put: string(from.put), Shallow: from.shallow}
	src := from.src
	if src.kind != kubeapi.NoCacheSource {
		f.Source, f.Doubtful = src.kind, src.doubtful
		f.What, f.Place = src.what, src.place
		if src.through != "" {
			f.What = src.through
		}
		if f.Place == "" {
			f.Place = syntax.Place(u.pass.Fset, src.pos)
		}
		return f, true
	}
	if src.fn != fn {
		return f, false
	}
	f.Param, f.Take, f.Called, f.Result = src.param, string(from.take), src.called, max(src.result, 0)
	return f, true
}

// told is a write as callers of fn see it.
func (u *unit) told(fn *ssa.Function, e *event) Write {
	on := u.askedOf(fn, e.instr)
	if e.via != nil {
		w := *e.via
		if call, ok := e.instr.(ssa.CallInstruction); ok && on == 0 {
			if v, holds := w.Asked.in(operands(call.Common(), e.to)); v != nil {
				on = switchOf(fn, v, holds)
			}
		}
		w.Asked = on
		w.Path, w.direct, w.Sent = string(e.from.take), false, u.sentBy(e)
		return w
	}
	return Write{
		Path: string(e.from.take), How: e.how, What: u.Expression(e.instr), Func: paths.Outermost(e.instr.Parent()).Name(),
		Place: syntax.Place(u.pass.Fset, e.instr.Pos()), pos: e.instr.Pos(), direct: true, Impact: e.impact(e.instr), Sent: u.sentBy(e), Asked: on,
	}
}

// matters reports whether memory that is reached from a parameter of type t may
// be that of an API object: the parameter is one or a part of one, or may be
// anything, or one is met on the way.
func matters(t types.Type, take path) bool {
	switch u := t.(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Array:
		if isPlain(u) {
			return true
		}
	}
	if _, isParam := types.Unalias(t).(*types.TypeParam); isParam || types.IsInterface(t) {
		return true
	}
	for {
		if isPart(t) {
			return true
		}
		var first string
		if take == "" || take.steps() == 1 {
			return false // a variable or field of the program's own
		}
		first, take = take.cut()
		if first == anything {
			return false
		}
		t = along(t, first)
		if t == nil {
			return false
		}
		if types.IsInterface(t) && !kubeapi.IsError(t) {
			return kubeapi.IsObject(t)
		}
	}
}

// isPlain reports whether a reference leads to nothing but predeclared types,
// as []string and map[string]any do.
func isPlain(t types.Type) bool {
	for range 6 {
		switch u := t.(type) {
		case *types.Pointer, *types.Slice, *types.Array, *types.Map:
			t = u.(interface{ Elem() types.Type }).Elem()
		case *types.Basic:
			return true
		case *types.Interface:
			return u.Empty()
		case *types.Alias:
			t = types.Unalias(u)
		default:
			return false
		}
	}
	return false
}

// isPart reports whether t is, or refers to, an API object or a type that
// objects are made of: those can be copied deeply.
func isPart(t types.Type) bool {
	for range 4 {
		if kubeapi.IsObject(t) || kubeapi.IsObjectMeta(t) || kubeapi.HasMethod(t, "DeepCopyInto") {
			return true
		}
		switch u := t.Underlying().(type) {
		case *types.Pointer, *types.Slice, *types.Map:
			t = u.(interface{ Elem() types.Type }).Elem()
		default:
			return false
		}
	}
	return false
}

// along is the type that a step of a path leads to.
func along(t types.Type, name string) types.Type {
	if name == follow {
		return t
	}
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return step(t, name)
	case *types.Slice, *types.Array, *types.Map:
		return u.(interface{ Elem() types.Type }).Elem()
	}
	return nil
}

// returnsIt tells of each origin of a result whether a path leads from the
// source to a return of what came from it.
func (u *unit) returnsIt(fn *ssa.Function, index int, list []origin) []origin {
	var found []origin
	for _, from := range list {
		if !mayBeReplaced(from) {
			found = append(found, from)
			continue
		}
		var goals []*goal
		for ret := range blocks.Returns(fn) {
			if !slices.ContainsFunc(u.get(ret.Results[index]), from.same) || from.src.isReplacedBefore(ret) {
				continue
			}
			goals = append(goals, &goal{to: ret, test: func(get lookup) bool {
				return slices.ContainsFunc(get(ret.Results[index]), func(o origin) bool { return o.src == from.src && o.put == from.put })
			}})
		}
		u.trace(from.src, goals)
		if slices.ContainsFunc(goals, func(g *goal) bool { return g.found }) {
			found = append(found, from)
		}
	}
	return found
}

// handsOn reports whether a path leads from a source to a call of a parameter that
// gets what came from it: a copy may be in its place by then.
func (u *unit) handsOn(c callWith) bool {
	from := c.with
	if !mayBeReplaced(from) {
		return true
	}
	if from.src.isReplacedBefore(c.at) {
		return false
	}
	arg := c.at.Common().Args[c.arg]
	g := &goal{to: c.at, test: func(get lookup) bool {
		return slices.ContainsFunc(get(arg), func(o origin) bool { return o.src == from.src && o.put == from.put })
	}}
	u.trace(from.src, []*goal{g})
	return g.found
}

// mayBeReplaced reports whether it takes a look at the paths to know that a value is
// what came from the source.
func mayBeReplaced(from origin) bool {
	return (from.merged || len(from.src.copied) > 0) && from.src.kind != kubeapi.NoCacheSource
}
