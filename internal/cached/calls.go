package cached

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/callgraph"
	"github.com/opvet/opvet/internal/kubeapi"
)

// A lookup tells the origins of a value: at any time, or at a point of a path.
type lookup func(ssa.Value) []origin

// callee is something that a call may run.
type callee struct {
	fn   *ssa.Function // in this package, or nil
	obj  *types.Func   // nil for a literal
	sum  *Func
	recv ssa.Value // what a method value is bound to
}

// callees returns what a call may run of the user's modules.
func (u *unit) callees(call ssa.CallInstruction) []callee {
	common := call.Common()
	if _, builtin := common.Value.(*ssa.Builtin); builtin {
		return nil
	}
	if !common.IsInvoke() && common.StaticCallee() == nil && u.isParameter(common.Value) {
		return nil // each caller of this function tells what it hands in
	}
	targets := u.Calls.Callees(call)
	found := u.inPackage(targets)
	if len(found) > 0 {
		return found
	}
	if fn := kubeapi.Callee(common); fn != nil {
		if sum := u.of(fn); sum != nil {
			return []callee{{obj: fn, sum: sum}}
		}
		return nil
	}
	return u.external(targets)
}

// isParameter reports whether a function value is a parameter of the unit's
// declared function.
func (u *unit) isParameter(fn ssa.Value) bool {
	return slices.ContainsFunc(u.get(fn), func(o origin) bool {
		return o.src.fn == u.outer && !o.src.called && o.take == "" && o.put == ""
	})
}

func (u *unit) inPackage(targets callgraph.Targets) []callee {
	var found []callee
	for _, fn := range targets.Funcs {
		obj, _ := fn.Object().(*types.Func)
		found = append(found, callee{fn: fn, obj: obj, sum: u.summary(fn)})
	}
	return found
}

// summary is the summary of a function of this package, as far as it is known;
// the unit is looked at again when that changes.
func (u *unit) summary(fn *ssa.Function) *Func {
	if !slices.Contains(u.users[fn], u.outer) {
		u.users[fn] = append(u.users[fn], u.outer)
	}
	return u.local[fn]
}

func (u *unit) external(targets callgraph.Targets) []callee {
	var found []callee
	for _, e := range targets.External {
		if sum := u.of(e.Func); sum != nil {
			found = append(found, callee{obj: e.Func, sum: sum, recv: e.Recv})
		}
	}
	return found
}

// receives is what of a call's operand can reach the callee's parameter: a
// method of a concrete type runs for receivers of that type only.
func (c callee) receives(param int, list []origin) []origin {
	if c.obj == nil || param > 0 || c.obj.Signature().Recv() == nil || types.IsInterface(c.obj.Signature().Recv().Type()) {
		return list
	}
	step := typeStep(c.obj.Signature().Recv().Type())
	return each(list, func(o origin) (origin, bool) {
		ok := o.dyn == "" || o.dyn == step
		o.dyn = ""
		return o, ok
	})
}

// operands are a call's operands as the callee's parameters are counted.
func operands(common *ssa.CallCommon, c callee) []ssa.Value {
	ops := kubeapi.Operands(common)
	params := -1
	switch {
	case c.fn != nil:
		params = len(c.fn.Params)
	case c.obj != nil:
		params = c.obj.Signature().Params().Len()
		if c.obj.Signature().Recv() != nil {
			params++
		}
	}
	if len(ops) == params-1 {
		return append([]ssa.Value{c.recv}, ops...)
	}
	return ops
}

// call takes the effect of a call on what is known.
func (u *unit) call(call ssa.CallInstruction) {
	for i, list := range u.results(call, u.get) {
		for _, v := range resultValues(call, i) {
			if holdsReferences(v.Type()) || isFunc(v.Type()) {
				u.addAll(v, list)
			}
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

// resultValues returns the values that hold a call's index-th result.
func resultValues(call ssa.CallInstruction, index int) []ssa.Value {
	v, ok := call.(*ssa.Call)
	if !ok {
		return nil
	}
	if _, tuple := v.Type().(*types.Tuple); !tuple {
		return []ssa.Value{v}
	}
	var found []ssa.Value
	if v.Referrers() != nil {
		for _, ref := range *v.Referrers() {
			if extract, ok := ref.(*ssa.Extract); ok && extract.Index == index {
				found = append(found, extract)
			}
		}
	}
	return found
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
	if fn != nil && copies(fn) {
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

// copies reports whether a function returns a copy of its receiver.
func copies(fn *types.Func) bool { return kubeapi.IsDeepCopy(fn) }

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
		v, _ := call.(ssa.Value)
		if v == nil {
			return nil
		}
		what := calleeText(call.Common())
		src := u.source(sourceKey{value: v, result: result, what: f.What, put: path(f.Put)}, func(s *source) {
			s.kind, s.what, s.through, s.place, s.doubtful = f.Source, what, f.What, f.Place, f.Doubtful
			s.pos = call.Common().Pos()
		})
		return []origin{{src: src, put: path(f.Put), shallow: f.Shallow}}
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
		if f.Source == kubeapi.NoCacheSource {
			continue
		}
		src := u.source(sourceKey{value: call.(ssa.Value), result: result, what: f.What, put: path(f.Put)}, func(s *source) {
			s.kind, s.what, s.through, s.place, s.doubtful = f.Source, what, f.What, f.Place, f.Doubtful
			s.pos = call.Common().Pos()
		})
		found = append(found, origin{src: src, put: path(f.Put), shallow: f.Shallow})
	}
	return found
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
		if i > 0 || len(list) > 0 {
			var keep []origin
			for _, o := range list {
				if i == 0 && o.short {
					keep = append(keep, o) // in place
				}
			}
			for _, o := range keep {
				found, _ = merge(found, o)
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
	if o, object, ok := u.uncopiedRead(call); ok {
		yield(object, []origin{o})
	}
	if builtin, ok := common.Value.(*ssa.Builtin); ok && builtin.Name() == "copy" && len(common.Args) == 2 {
		yield(common.Args[0], shared(get(common.Args[1])))
	}
}

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
		container, ok := kubeapi.ObjectsCallback(fn, i)
		sig, isSig := arg.Type().Underlying().(*types.Signature)
		if !ok || !isSig || container >= len(args) {
			continue
		}
		list := u.contents(call, args[container], get)
		for j := range sig.Params().Len() {
			if t := sig.Params().At(j).Type(); isElement(args[container].Type(), t) {
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
				entry := callWith{fn: fn.src.fn, param: fn.src.param, arg: i, with: with}
				if !slices.ContainsFunc(u.calls, func(c callWith) bool {
					return c.fn == entry.fn && c.param == entry.param && c.arg == entry.arg && c.with.same(with)
				}) {
					u.calls = append(u.calls, entry)
					u.changed = true
				}
			}
		}
	}
}

// calleeText names what a call calls, with what it is called on, as the source
// has it: c.podLister.Get.
func calleeText(common *ssa.CallCommon) string {
	fn := kubeapi.Callee(common)
	if fn == nil {
		return "the function"
	}
	recv, _ := kubeapi.Args(common)
	if recv == nil {
		if pkg := fn.Pkg(); pkg != nil {
			return fn.Name()
		}
		return fn.Name()
	}
	if name := valueText(recv, 0); name != "" {
		return name + "." + fn.Name()
	}
	return fn.Name()
}

// valueText names a value by the fields that lead to it.
func valueText(v ssa.Value, depth int) string {
	if depth > 5 {
		return ""
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return v.Name()
	case *ssa.FreeVar:
		return v.Name()
	case *ssa.Global:
		return v.Name()
	case *ssa.Alloc:
		if v.Comment != "complit" && v.Comment != "new" && !strings.Contains(v.Comment, " ") {
			return v.Comment
		}
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return valueText(v.X, depth+1)
		}
	case *ssa.FieldAddr:
		return fieldText(v.X, v.Field, depth)
	case *ssa.Field:
		return fieldText(v.X, v.Field, depth)
	case *ssa.MakeInterface:
		return valueText(v.X, depth+1)
	case *ssa.ChangeInterface:
		return valueText(v.X, depth+1)
	case *ssa.Call:
		// c.podLister.Pods(ns).Get is told as c.podLister.Get.
		if recv, args := kubeapi.Args(v.Common()); recv != nil && len(args) <= 1 {
			return valueText(recv, depth+1)
		}
	}
	return ""
}

func fieldText(x ssa.Value, field, depth int) string {
	name := fieldName(x.Type(), field)
	if f := callgraph.FieldOf(x.Type(), field); f != nil && f.Embedded() {
		return valueText(x, depth+1)
	}
	if of := valueText(x, depth+1); of != "" {
		return of + "." + name
	}
	return name
}

// place words a position, as in "signer.go:195".
func (o *Objects) place(pos token.Pos) string {
	if !pos.IsValid() {
		return ""
	}
	at := o.pass.Fset.Position(pos)
	dir := filepath.Base(filepath.Dir(at.Filename))
	return fmt.Sprintf("%s/%s:%d", dir, filepath.Base(at.Filename), at.Line)
}
