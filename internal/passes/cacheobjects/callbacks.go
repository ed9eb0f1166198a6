package cacheobjects

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// binds tells what the parameters of function literals get at a call that runs
// them: the call's own operands, or what a helper calls them with.
func (u *unit) binds(call ssa.CallInstruction, get lookup, yield func(*ssa.Parameter, []origin)) {
	common := call.Common()
	bind := func(fn *ssa.Function, index int, list []origin) {
		if u.has(fn) && fn != u.outer && index < len(fn.Params) && len(list) > 0 {
			yield(fn.Params[index], list)
		}
	}
	for _, c := range u.callees(call) {
		if c.fn != nil && u.has(c.fn) && c.fn != u.outer {
			for i, arg := range operands(common, c) {
				if arg != nil {
					bind(c.fn, i, get(arg))
				}
			}
		}
	}
	for _, back := range u.callbacks(call, get) {
		bind(back.fn, back.param, back.list)
	}
}

// callback is a function that a call is handed, and what one of its parameters
// gets.
type callback struct {
	fn    *ssa.Function
	obj   *types.Func // if it is from elsewhere
	param int
	list  []origin
}

// callbacks tells what the functions that a call is handed are called with
// there.
func (u *unit) callbacks(call ssa.CallInstruction, get lookup) []callback {
	common := call.Common()
	var found []callback
	add := func(fn ssa.Value, param int, list []origin) {
		if len(list) == 0 {
			return
		}
		targets := u.Calls.FuncsOf(fn)
		for _, target := range targets.Funcs {
			at := param
			if target.Signature.Recv() != nil {
				at++ // a method value
			}
			found = append(found, callback{fn: target, param: at, list: list})
		}
		for _, e := range targets.External {
			at := param
			if e.Func.Signature().Recv() != nil {
				at++
			}
			found = append(found, callback{obj: e.Func, param: at, list: list})
		}
	}
	for _, c := range u.callees(call) {
		if c.sum == nil {
			continue
		}
		ops := operands(common, c)
		for i, p := range c.sum.Params {
			if i >= len(ops) || ops[i] == nil {
				continue
			}
			for _, with := range p.Calls {
				add(ops[i], with.Arg, u.flowed(call, c, ops, with.With, -100-10*i-with.Arg, get))
			}
		}
	}
	fn := kubeapi.Callee(common)
	if fn == nil {
		return append(found, u.ranged(call, get)...)
	}
	recv, args := kubeapi.Args(common)
	if recv != nil {
		return found
	}
	for i, arg := range args {
		sig, isSig := arg.Type().Underlying().(*types.Signature)
		if !isSig || !kubeapi.ObjectsCallback(fn, i) {
			continue
		}
		list := u.contents(call, args[0], get)
		for j := range sig.Params().Len() {
			if t := sig.Params().At(j).Type(); isElement(args[0].Type(), t) {
				add(arg, j, list)
			}
		}
	}
	return found
}

// ranged is what the body of a loop over an iterator of the standard library
// gets: the elements of what the iterator was made from.
func (u *unit) ranged(call ssa.CallInstruction, get lookup) []callback {
	made, ok := call.Common().Value.(*ssa.Call)
	if !ok || len(call.Common().Args) != 1 {
		return nil
	}
	fn := kubeapi.Callee(made.Common())
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "slices" && fn.Pkg().Path() != "maps" || len(made.Call.Args) == 0 {
		return nil
	}
	closure, ok := call.Common().Args[0].(*ssa.MakeClosure)
	if !ok {
		return nil
	}
	body := closure.Fn.(*ssa.Function)
	var found []callback
	for i, param := range body.Params {
		if isElement(made.Call.Args[0].Type(), param.Type()) {
			found = append(found, callback{fn: body, param: i, list: elements(get(made.Call.Args[0]))})
		}
	}
	return found
}

// contents is the origins of the objects in a store, slice, map or list.
func (u *unit) contents(call ssa.CallInstruction, container ssa.Value, get lookup) []origin {
	if kubeapi.IsStore(container.Type()) {
		kind := u.Store(container)
		if kind == OwnStore {
			return nil
		}
		what := calleeText(call.Common())
		src := u.source(sourceKey{value: container, what: what, result: int(call.Pos())}, func(s *source) {
			s.kind, s.what, s.doubtful, s.pos, s.at = kubeapi.StoreObject, what, kind == UnknownStore, call.Common().Pos(), call
		})
		return []origin{{src: src}}
	}
	switch container.Type().Underlying().(type) {
	case *types.Slice, *types.Map:
		return elements(get(container))
	}
	return get(container)
}

// isElement reports whether t is what a callback gets of a container.
func isElement(container, t types.Type) bool {
	switch c := container.Underlying().(type) {
	case *types.Slice:
		return types.Identical(c.Elem(), t)
	case *types.Map:
		return types.Identical(c.Elem(), t)
	}
	iface, ok := t.Underlying().(*types.Interface)
	return ok && (iface.Empty() || kubeapi.IsObject(t))
}

// callsParameter records a call of a function that is a parameter of the
// enclosing function.
func (u *unit) callsParameter(call ssa.CallInstruction) {
	common := call.Common()
	if common.IsInvoke() || common.StaticCallee() != nil {
		return
	}
	for _, fn := range u.get(common.Value) {
		if fn.src.fn == nil || fn.src.called || fn.take != "" || fn.put != "" {
			continue
		}
		for i, arg := range common.Args {
			for _, with := range u.get(arg) {
				if with.src.fn != nil && with.src.fn != fn.src.fn {
					continue
				}
				entry := callWith{at: call, fn: fn.src.fn, param: fn.src.param, arg: i, with: with}
				if !slices.ContainsFunc(u.calls, func(c callWith) bool {
					return c.at == entry.at && c.fn == entry.fn && c.param == entry.param && c.arg == entry.arg && c.with.same(with)
				}) {
					u.calls = append(u.calls, entry)
					u.changed = true
				}
			}
		}
	}
}
