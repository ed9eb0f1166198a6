package cacheobjects

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// unit is a declared function with the function literals in it, which share
// its variables. What its values may be is computed for all of them together,
// without regard to the order in which things happen; the order counts in
// trace.go.
type unit struct {
	*Objects
	outer *ssa.Function
	fns   []*ssa.Function

	vals    map[ssa.Value][]origin
	returns map[*ssa.Function][][]origin
	sources map[sourceKey]*source
	calls   []callWith // of parameters, with what
	changed bool
	lives   map[ssa.Value]map[*ssa.BasicBlock]bool // see trace.go
	sends   []send                                 // see impact.go
	listed  bool
	found   []*event
}

type sourceKey struct {
	value  ssa.Value
	result int
	what   string
	put    path
}

// callWith is a call of a function that is a parameter.
type callWith struct {
	at    ssa.CallInstruction
	fn    *ssa.Function // whose parameter it is
	param int
	arg   int
	with  origin
}

func (o *Objects) newUnit(fn *ssa.Function) *unit {
	u := &unit{
		Objects: o, outer: fn,
		vals:    make(map[ssa.Value][]origin),
		returns: make(map[*ssa.Function][][]origin),
		sources: make(map[sourceKey]*source),
		lives:   make(map[ssa.Value]map[*ssa.BasicBlock]bool),
	}
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		u.fns = append(u.fns, fn)
		for _, literal := range fn.AnonFuncs {
			add(literal)
		}
	}
	add(fn)
	return u
}

// has reports whether a function is the unit's own or a literal in it.
func (u *unit) has(fn *ssa.Function) bool { return fn != nil && paths.Outermost(fn) == u.outer }

// maxPasses bounds the fixed point over the instructions of a unit.
const maxPasses = 12

func (u *unit) solve() {
	for _, fn := range u.fns {
		for i, param := range fn.Params {
			for _, from := range u.parameter(fn, i, param) {
				u.add(param, from)
			}
		}
	}
	for range maxPasses {
		u.changed = false
		for _, fn := range u.fns {
			for instr := range blocks.Instrs(fn) {
				u.step(instr)
			}
		}
		if !u.changed {
			return
		}
	}
}

// parameter is what a parameter is from the start: itself, to be seen by the
// callers, and an object of the cache if the function is a handler.
func (u *unit) parameter(fn *ssa.Function, index int, param *ssa.Parameter) []origin {
	if !holdsReferences(param.Type()) && !kubeapi.IsFuncType(param.Type()) {
		return nil
	}
	found := []origin{{src: u.source(sourceKey{value: param}, func(s *source) {
		s.fn, s.param, s.result = fn, index, -1
		s.what = param.Name()
	})}}
	for _, entry := range u.Entries.Of(fn) {
		if !fromCache(entry.Role) || !slices.Contains(entry.Objects(), param) || u.isForTests(entry) {
			continue
		}
		found = append(found, u.handed(entry, param)...)
	}
	return found
}

// handed is what the object that an entry is called with is from the start, or the two
// objects of an update.
func (u *unit) handed(entry *entrypoints.Entry, param *ssa.Parameter) []origin {
	from := func(field string, replaced bool) origin {
		src := u.source(sourceKey{value: param, what: entry.Name() + field}, func(s *source) {
			s.kind, s.result, s.deleted, s.replaced = kubeapi.HandlerObject, -1, isDeletion(entry.Role), replaced
			name := param.Name()
			if field != "" {
				name += "." + field
				s.put = path(field)
			}
			s.what = name + " of " + article(entry.Kind, entry.Name())
		})
		return origin{src: src, put: src.put}
	}
	if isUpdateEvent(param.Type()) {
		return []origin{from(oldObject, true), from(newObject, false)}
	}
	objects := entry.Objects()
	return []origin{from("", len(objects) == 2 && objects[0] == param)}
}

// The fields of an update event of controller-runtime.
const (
	oldObject = "ObjectOld"
	newObject = "ObjectNew"
)

// isUpdateEvent reports whether t is the struct in which controller-runtime hands
// over the old and the new object.
func isUpdateEvent(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	return ok && step(s, oldObject) != nil && step(s, newObject) != nil
}

// fromCache reports whether the objects of an entry come from a cache.
func fromCache(role kubeapi.Role) bool {
	switch role.Kind {
	case kubeapi.EventHandler, kubeapi.Predicate, kubeapi.MapFunc:
		return role.What != "Generic" && role.What != "GenericFunc"
	}
	return false
}

func isDeletion(role kubeapi.Role) bool {
	switch role.What {
	case "Delete", "DeleteFunc", "OnDelete":
		return true
	}
	return false
}

func article(kind kubeapi.EntryKind, name string) string {
	switch kind {
	case kubeapi.EventHandler, kubeapi.Predicate:
		if name != kind.String() {
			return name
		}
	}
	return "a " + kind.String()
}

func (u *unit) source(key sourceKey, fill func(*source)) *source {
	if s, ok := u.sources[key]; ok {
		return s
	}
	s := &source{value: key.value, pos: key.value.Pos(), result: key.result, put: key.put}
	fill(s)
	u.sources[key] = s
	return s
}

// get returns the origins of a value.
func (u *unit) get(v ssa.Value) []origin {
	if free, ok := v.(*ssa.FreeVar); ok {
		if binding := u.Calls.Binding(free); binding != nil {
			return u.get(binding)
		}
	}
	return u.vals[v]
}

func (u *unit) add(v ssa.Value, from origin) {
	list, changed := merge(u.vals[v], from)
	if changed {
		u.vals[v] = list
		u.changed = true
	}
}

func (u *unit) addAll(v ssa.Value, list []origin) {
	for _, from := range list {
		u.add(v, from)
	}
}

// step takes an instruction's effect on what is known.
func (u *unit) step(instr ssa.Instruction) {
	switch instr := instr.(type) {
	case *ssa.Phi:
		u.addAll(instr, u.phi(instr))
	case *ssa.Store:
		at, p := base(instr.Addr)
		u.reach(at, into(p, instr.Val, u.get(instr.Val)), u.add)
		u.replace(instr, instr.Addr, instr.Val)
	case *ssa.MapUpdate:
		u.replace(instr, instr.Map, instr.Value)
		u.reach(instr.Map, into(element, instr.Value, u.get(instr.Value)), u.add)
	case *ssa.Return:
		u.returned(instr)
	case *ssa.MakeClosure, *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice:
	case ssa.CallInstruction:
		u.call(instr)
		u.eachSet(instr, func(at ssa.Value, p path, byCopy bool) {
			if p == element && byCopy {
				u.replaced(instr, at)
			}
		})
	case ssa.Value:
		if t := instr.Type(); t != nil && (holdsReferences(t) || kubeapi.IsFuncType(t)) {
			u.addAll(instr, eval(instr, u.get))
		}
	}
}

// replace notes that an element of a slice or map is replaced by a copy.
func (u *unit) replace(instr ssa.Instruction, at, v ssa.Value) {
	if !u.isCopied(v) {
		return
	}
	if addr, ok := at.(*ssa.IndexAddr); ok {
		at = addr.X
	} else if _, ok := at.Type().Underlying().(*types.Map); !ok {
		return
	}
	u.replaced(instr, at)
}

func (u *unit) replaced(instr ssa.Instruction, at ssa.Value) {
	for _, o := range u.get(at) {
		if o.put != "" && !slices.Contains(o.src.copied, instr) {
			o.src.copied = append(o.src.copied, instr)
		}
	}
}

// isCopy reports whether v is what DeepCopy returned.
func isCopy(v ssa.Value) bool {
	call, ok := kubeapi.Unconverted(v).(*ssa.Call)
	return ok && kubeapi.IsDeepCopy(kubeapi.Callee(call.Common()))
}

// isCopied reports whether v is a deep copy, made here or in a function that returns it.
func (u *unit) isCopied(v ssa.Value) bool {
	return isCopy(v) || u.sums.DeepCopied(kubeapi.Unconverted(v)) != nil
}

// phi is a merge: of what comes in by some edges only, it is known that it may
// be something else.
func (u *unit) phi(phi *ssa.Phi) []origin {
	var found []origin
	isNothing := make([]bool, len(phi.Edges))
	for i, edge := range phi.Edges {
		isNothing[i] = u.isNothingFrom(phi.Block(), phi.Block().Preds[i], edge, 0)
		if isNothing[i] {
			continue
		}
		for _, from := range u.get(edge) {
			found, _ = merge(found, from)
		}
	}
	for i := range found {
		for n, edge := range phi.Edges {
			if edge != phi && !calls.IsNil(edge) && !isNothing[n] && !slices.ContainsFunc(u.get(edge), func(from origin) bool { return from.same(found[i]) }) {
				found[i].merged = true
			}
		}
	}
	return found
}

// readBeside returns the read of a lister or an indexer whose answer a value is: it is nil
// if there is an error.
func (u *unit) readBeside(v ssa.Value) *ssa.Call {
	result, ok := v.(*ssa.Extract)
	if !ok {
		return nil
	}
	call, ok := result.Tuple.(*ssa.Call)
	if !ok {
		return nil
	}
	targets := u.Calls.Callees(call)
	if len(targets.Funcs) > 0 || slices.ContainsFunc(targets.External, func(e calls.External) bool {
		_, isRead := u.cacheRead(e.Func, e.Recv)
		return !isRead
	}) {
		return nil
	}
	return call
}

// reach records that the memory which v refers to leads to what the origins
// say, and follows v back to all the values that refer to the same memory.
func (u *unit) reach(v ssa.Value, list []origin, add func(ssa.Value, origin)) {
	if len(list) == 0 {
		return
	}
	seen := make(map[ssa.Value]bool)
	var visit func(v ssa.Value, list []origin, depth int)
	visit = func(v ssa.Value, list []origin, depth int) {
		list = each(list, func(from origin) (origin, bool) { return from, from.put.steps() <= maxOwnSteps })
		if len(list) == 0 || seen[v] || depth > 10 {
			return
		}
		seen[v] = true
		for _, from := range list {
			if from.src.fn != nil && from.src.value == v {
				continue // a part of the parameter that is stored in the parameter
			}
			add(v, from)
		}
		prefixed := func(p path) []origin {
			return each(list, func(from origin) (origin, bool) {
				from.put = p.join(from.put)
				return from, true
			})
		}
		// A switch of its own: each kind changes the path by which shared memory is reached, as in eval.
		switch v := v.(type) {
		case *ssa.FreeVar:
			if binding := u.Calls.Binding(v); binding != nil {
				visit(binding, list, depth+1)
			}
		case *ssa.Phi:
			for _, edge := range v.Edges {
				visit(edge, list, depth+1)
			}
		case *ssa.UnOp:
			if v.Op == token.MUL {
				at, p := base(v.X)
				visit(at, prefixed(p.join(follow)), depth+1)
			}
		case *ssa.FieldAddr, *ssa.IndexAddr:
			at, p := base(v)
			visit(at, prefixed(p), depth+1)
		case *ssa.Slice:
			visit(v.X, list, depth+1)
		case *ssa.ChangeType:
			visit(v.X, list, depth+1)
		case *ssa.ChangeInterface:
			visit(v.X, list, depth+1)
		case *ssa.MakeInterface:
			visit(v.X, list, depth+1)
		case *ssa.TypeAssert:
			visit(v.X, list, depth+1)
		case *ssa.Lookup:
			visit(v.X, prefixed(path(element).join(follow)), depth+1)
		case *ssa.Extract:
			switch tuple := v.Tuple.(type) {
			case *ssa.TypeAssert:
				visit(tuple.X, list, depth+1)
			case *ssa.Lookup:
				visit(tuple.X, prefixed(path(element).join(follow)), depth+1)
			}
		case *ssa.Call:
			if calls.IsBuiltin(v, "append") {
				visit(v.Call.Args[0], list, depth+1)
			}
		}
	}
	visit(v, list, 0)
}

func (u *unit) returned(ret *ssa.Return) {
	fn := ret.Parent()
	results := u.returns[fn]
	if results == nil {
		results = make([][]origin, len(ret.Results))
		u.returns[fn] = results
	}
	for i, v := range ret.Results {
		if u.isNothingAt(ret.Block(), v, 0) {
			continue
		}
		for _, from := range u.get(v) {
			list, changed := merge(results[i], from)
			if changed {
				results[i] = list
				u.changed = true
			}
		}
	}
}
