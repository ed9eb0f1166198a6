package cacheobjects

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// A lookup tells the origins of a value: at any time, or at a point of a path.
type lookup func(ssa.Value) []origin

// call takes the effect of a call on what is known.
func (u *unit) call(call ssa.CallInstruction) {
	for i, list := range u.results(call, u.get) {
		if v := calls.ResultOf(call, i); v != nil && (holdsReferences(v.Type()) || kubeapi.IsFuncType(v.Type())) {
			u.addAll(v, list)
		}
	}
	u.leaves(call, u.get, func(v ssa.Value, list []origin) {
		for i := range list {
			list[i].merged = true
		}
		u.reach(v, list, u.add)
	})
	u.binds(call, u.get, func(param *ssa.Parameter, list []origin) { u.addAll(param, list) })
	u.callsParameter(call)
}

// results is what a call returns.
func (u *unit) results(call ssa.CallInstruction, get lookup) map[int][]origin {
	common := call.Common()
	if _, ok := call.(*ssa.Call); !ok {
		return nil
	}
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		if builtin.Name() == "append" {
			return map[int][]origin{0: appended(common, get)}
		}
		return nil
	}
	fn := kubeapi.Callee(common)
	if kubeapi.IsDeepCopy(fn) {
		return nil
	}
	if called := u.callees(call); len(called) > 0 {
		found := make(map[int][]origin)
		for _, c := range called {
			for i, list := range u.resultsOf(call, c, get) {
				for _, o := range list {
					found[i], _ = merge(found[i], o)
				}
			}
		}
		return found
	}
	if fn == nil {
		return u.calledValue(call, get)
	}
	recv, _ := kubeapi.Args(common)
	if read, ok := u.cacheRead(fn, recv); ok {
		return map[int][]origin{read.Result: {u.readOrigin(call, read, calleeText(common))}}
	}
	ops := kubeapi.Operands(common)
	if i := kubeapi.Aliases(fn); i >= 0 && i < len(ops) {
		return map[int][]origin{0: get(ops[i])}
	}
	if kubeapi.SharesElements(fn) && len(ops) > 0 {
		return map[int][]origin{0: shared(get(ops[0]))}
	}
	return nil
}

// cacheRead recognises a call that returns objects of a cache.
func (u *unit) cacheRead(fn *types.Func, recv ssa.Value) (kubeapi.CacheRead, bool) {
	read, ok := kubeapi.CacheReadOf(fn, recv)
	if !ok {
		return read, false
	}
	if read.Source == kubeapi.StoreObject {
		switch u.Store(read.Store) {
		case OwnStore:
			return read, false
		case UnknownStore:
			read.Doubtful = true
		}
	}
	return read, true
}

func (u *unit) readOrigin(call ssa.CallInstruction, read kubeapi.CacheRead, what string) origin {
	var put path
	if read.Slice {
		put = path(element).join(follow)
	}
	v := call.Value()
	src := u.source(sourceKey{value: v, result: read.Result, what: what, put: put}, func(s *source) {
		s.kind, s.what, s.doubtful, s.pos = read.Source, what, read.Doubtful, call.Common().Pos()
	})
	return origin{src: src, put: put}
}

// resultsOf is what a call returns if it runs a function of the user's.
func (u *unit) resultsOf(call ssa.CallInstruction, c callee, get lookup) map[int][]origin {
	found := make(map[int][]origin)
	if c.fn != nil && u.has(c.fn) && c.fn != u.outer {
		// A literal: its variables are those of this function.
		for i, list := range u.returns[c.fn] {
			found[i] = slices.DeleteFunc(slices.Clone(list), func(o origin) bool { return o.src.fn == c.fn })
		}
	}
	if c.sum == nil {
		return found
	}
	ops := operands(call.Common(), c)
	for i, flows := range c.sum.Results {
		for _, f := range flows {
			if f.Source != kubeapi.NoCacheSource && c.fn != nil && u.has(c.fn) && c.fn != u.outer {
				continue // seen above
			}
			for _, o := range u.flowed(call, c, ops, f, i, get) {
				found[i], _ = merge(found[i], o)
			}
		}
	}
	return found
}

// flowed is a flow of a callee's summary at a call.
func (u *unit) flowed(call ssa.CallInstruction, c callee, ops []ssa.Value, f Flow, result int, get lookup) []origin {
	if f.Source != kubeapi.NoCacheSource {
		if _, ok := call.(ssa.Value); !ok {
			return nil
		}
		return []origin{u.cached(call, f, result, calleeText(call.Common()))}
	}
	if f.Param >= len(ops) || ops[f.Param] == nil {
		return nil
	}
	var from []origin
	if f.Called {
		from = u.returnedBy(call, ops[f.Param], f.Result)
	} else {
		from = each(c.receives(f.Param, get(ops[f.Param])), func(o origin) (origin, bool) { return o.walk(path(f.Take)) })
	}
	return each(from, func(o origin) (origin, bool) {
		if f.Put != "" {
			o.put, o.dyn = path(f.Put).join(path(o.dyn)).join(o.put), ""
		}
		o.shallow = o.shallow || f.Shallow
		return o, o.put.steps() <= maxOwnSteps
	})
}

// returnedBy is what a function that is handed to a call returns when it is
// called there.
func (u *unit) returnedBy(call ssa.CallInstruction, fn ssa.Value, result int) []origin {
	targets := u.Calls.FuncsOf(fn)
	var found []origin
	v, _ := call.(ssa.Value)
	for _, target := range targets.Funcs {
		if u.has(target) && target != u.outer {
			if results := u.returns[target]; result < len(results) {
				for _, o := range results[result] {
					if o.src.fn != target {
						found, _ = merge(found, o)
					}
				}
			}
			continue
		}
		if sum := u.summary(target); sum != nil && v != nil && result < len(sum.Results) {
			found = append(found, u.wrapped(call, sum.Results[result], result, target.Name())...)
		}
	}
	for _, e := range targets.External {
		if v == nil {
			break
		}
		if sum := u.of(e.Func); sum != nil && result < len(sum.Results) {
			found = append(found, u.wrapped(call, sum.Results[result], result, e.Func.Name())...)
		} else if sum == nil {
			if read, ok := u.cacheRead(e.Func, e.Recv); ok && read.Result == result {
				found = append(found, u.readOrigin(call, read, e.Func.Name()))
			}
		}
	}
	return found
}

// wrapped is what of a summary's flows comes from a cache.
func (u *unit) wrapped(call ssa.CallInstruction, flows []Flow, result int, what string) []origin {
	var found []origin
	for _, f := range flows {
		if f.Source != kubeapi.NoCacheSource {
			found = append(found, u.cached(call, f, result, what))
		}
	}
	return found
}

// cached is the object of a cache that a flow says a call returns.
func (u *unit) cached(call ssa.CallInstruction, f Flow, result int, what string) origin {
	src := u.source(sourceKey{value: call.(ssa.Value), result: result, what: f.What, put: path(f.Put)}, func(s *source) {
		s.kind, s.what, s.through, s.place, s.doubtful = f.Source, what, f.What, f.Place, f.Doubtful
		s.pos = call.Common().Pos()
	})
	return origin{src: src, put: path(f.Put), shallow: f.Shallow}
}

// calledValue is what a call of a function value returns: what a parameter
// returns is for the callers to tell, a method value may be a lister's.
func (u *unit) calledValue(call ssa.CallInstruction, get lookup) map[int][]origin {
	common := call.Common()
	found := make(map[int][]origin)
	for _, e := range u.Calls.FuncsOf(common.Value).External {
		if read, ok := u.cacheRead(e.Func, e.Recv); ok {
			found[read.Result], _ = merge(found[read.Result], u.readOrigin(call, read, calleeText(common)))
		}
	}
	for _, from := range get(common.Value) {
		if from.src.fn == nil || from.src.called || from.take != "" || from.put != "" {
			continue
		}
		results := common.Signature().Results()
		for i := range results.Len() {
			if !holdsReferences(results.At(i).Type()) {
				continue
			}
			src := u.source(sourceKey{value: call.Value(), result: i, what: fmt.Sprint("called ", from.src.param)}, func(s *source) {
				s.fn, s.param, s.called, s.result = from.src.fn, from.src.param, true, i
				s.what = from.src.what
			})
			found[i], _ = merge(found[i], origin{src: src})
		}
	}
	return found
}

// appended is what append returns: a slice that is taken to be new, with the
// elements of both.
func appended(common *ssa.CallCommon, get lookup) []origin {
	var found []origin
	for i, arg := range common.Args {
		slice, ok := arg.Type().Underlying().(*types.Slice)
		if !ok {
			continue
		}
		list := get(arg)
		for _, o := range list {
			if i == 0 && o.short {
				found, _ = merge(found, o) // in place
			}
		}
		if !holdsReferences(slice.Elem()) {
			continue
		}
		for _, o := range shared(list) {
			found, _ = merge(found, o)
		}
	}
	return found
}

// shared is the origins of a new container with the elements of one that has
// the given origins.
func shared(list []origin) []origin {
	return each(list, func(o origin) (origin, bool) {
		if o.put == "" {
			o.put, o.shallow = follow, true
			if o.src.fn != nil {
				o.take = o.take.add(follow)
			}
		}
		o.short = false
		return o, true
	})
}

// leaves tells what a call stores where its operands lead.
func (u *unit) leaves(call ssa.CallInstruction, get lookup, yield func(ssa.Value, []origin)) {
	common := call.Common()
	for _, c := range u.callees(call) {
		if c.sum == nil {
			continue
		}
		ops := operands(common, c)
		for i, p := range c.sum.Params {
			if i >= len(ops) || ops[i] == nil {
				continue
			}
			for _, f := range p.Gets {
				yield(ops[i], u.flowed(call, c, ops, f, -2-i, get))
			}
		}
	}
	if calls.IsBuiltin(call, "copy") {
		yield(common.Args[0], shared(get(common.Args[1])))
	}
}
