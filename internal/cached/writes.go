package cached

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/callgraph"
	"github.com/opvet/opvet/internal/kubeapi"
)

// write is something that an instruction, or what it calls, writes to.
type write struct {
	// target is the value in whose memory it is, behind the path.
	target ssa.Value
	path   path
	// list has its origins, for a function that is called back.
	list []origin
	// to is the helper, of whose parameter param the path is.
	to    callee
	param int
	how   string
	// via is the helper's write, by the helper named fn.
	via *Write
	fn  string
	// short tells that only a slice that was cut off is overwritten.
	short bool
	// doubtful tells that it depends on what the memory is like.
	doubtful bool
}

// writes lists what an instruction writes to.
func (u *unit) writes(instr ssa.Instruction, get lookup) []write {
	switch instr := instr.(type) {
	case *ssa.Store:
		return []write{{target: instr.Addr, how: kubeapi.WriteSet}}
	case *ssa.MapUpdate:
		return []write{{target: instr.Map, how: kubeapi.WriteSet}}
	case ssa.CallInstruction:
		return u.callWrites(instr, get)
	}
	return nil
}

func (u *unit) callWrites(call ssa.CallInstruction, get lookup) []write {
	common := call.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		return builtinWrites(builtin.Name(), common)
	}
	ops := kubeapi.Operands(common)
	fn := kubeapi.Callee(common)
	if fn != nil && kubeapi.IsDeepCopy(fn) {
		if len(ops) == 2 {
			return []write{{target: ops[1], how: kubeapi.WriteOverlap}}
		}
		return nil
	}
	var found []write
	called := u.callees(call)
	for _, c := range called {
		if c.sum == nil || c.fn != nil && u.has(c.fn) && c.fn != u.outer {
			continue // a literal: what it writes is seen there
		}
		for i, v := range operands(common, c) {
			if v == nil || i >= len(c.sum.Params) {
				continue
			}
			for j := range c.sum.Params[i].Writes {
				w := &c.sum.Params[i].Writes[j]
				found = append(found, write{target: v, path: path(w.Path), how: w.How, via: w, fn: c.name(), to: c, param: i})
			}
		}
	}
	for _, back := range u.callbacks(call, get) {
		var sum *Func
		var name string
		switch {
		case back.fn == nil:
			sum, name = u.of(back.obj), back.obj.Name()
		case u.has(back.fn) && back.fn != u.outer:
			continue
		default:
			sum, name = u.summary(back.fn), back.fn.Name()
		}
		if sum == nil || back.param >= len(sum.Params) {
			continue
		}
		for j := range sum.Params[back.param].Writes {
			w := &sum.Params[back.param].Writes[j]
			found = append(found, write{list: back.list, path: path(w.Path), how: w.How, via: w, fn: name})
		}
	}
	if len(called) > 0 || fn == nil || fn.Pkg() != nil && u.Calls.SameModule(fn.Pkg()) {
		return found
	}
	if w, ok := kubeapi.MemoryWriteOf(fn); ok && w.Operand < len(ops) {
		found = append(found, write{target: ops[w.Operand], how: w.How})
		if w.Deep != "" {
			found = append(found, write{target: ops[w.Operand], path: path(w.Deep), how: w.How})
		}
	}
	return found
}

func (c callee) name() string {
	if c.obj != nil {
		return c.obj.Name()
	}
	return "a function literal"
}

func builtinWrites(name string, common *ssa.CallCommon) []write {
	switch name {
	case "delete", "clear":
		return []write{{target: common.Args[0], how: kubeapi.WriteDelete}}
	case "copy":
		return []write{{target: common.Args[0], how: kubeapi.WriteOverlap}}
	case "append":
		if isNil(common.Args[1]) {
			return nil
		}
		return []write{
			{target: common.Args[0], how: kubeapi.WriteOverlap, short: true},
			{target: common.Args[0], how: kubeapi.WriteOverlap, doubtful: true},
		}
	}
	return nil
}

// origins is the origins of what is written that are shared memory.
func (w write) origins(get lookup) []origin {
	list := w.list
	if w.target != nil {
		list = w.to.receives(w.param, get(w.target))
	}
	if w.short || w.doubtful {
		list = each(list, func(o origin) (origin, bool) { return o, o.short == w.short })
	}
	return each(list, func(o origin) (origin, bool) {
		o, ok := o.walk(w.path)
		return o, ok && o.put == "" && o.except == ""
	})
}

// event is a write to memory that came from a source.
type event struct {
	write
	instr ssa.Instruction
	from  origin

	confirmed, refuted bool
}

// events lists the writes of the unit to memory that came from outside, as far
// as it matters: those that a merge leaves open only if a path leads there.
func (u *unit) events() []*event {
	var found []*event
	for _, fn := range u.fns {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				for _, w := range u.writes(instr, u.get) {
					for _, from := range w.origins(u.get) {
						found = append(found, &event{write: w, instr: instr, from: from})
					}
				}
			}
		}
	}
	return found
}

// summarise makes the summary of one of the unit's functions.
func (u *unit) summarise(fn *ssa.Function) *Func {
	sum := &Func{Params: make([]Param, len(fn.Params))}
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
		p.Writes = append(p.Writes, u.told(e))
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
	for _, c := range u.calls {
		if c.fn != fn {
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

// copiesOnRequest reports whether a function returns a copy as its index-th
// result on some paths, and has a parameter that may ask for it.
func copiesOnRequest(fn *ssa.Function, index int) bool {
	asked := slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return types.Identical(p.Type(), types.Typ[types.Bool]) })
	return asked && slices.ContainsFunc(fn.Blocks, func(block *ssa.BasicBlock) bool {
		ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
		if !ok {
			return false
		}
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
			f.Place = u.place(src.pos)
		}
		return f, true
	}
	if src.fn != fn {
		return f, false
	}
	f.Param, f.Take, f.Called, f.Result = src.param, string(from.take), src.called, max(src.result, 0)
	return f, true
}

// told is a write as callers see it.
func (u *unit) told(e *event) Write {
	if e.via != nil {
		w := *e.via
		w.Path, w.direct = string(e.from.take), false
		return w
	}
	return Write{
		Path: string(e.from.take), How: e.how, What: u.expression(e.instr), Func: functionName(e.instr.Parent()),
		Place: u.place(e.instr.Pos()), pos: e.instr.Pos(), direct: true,
	}
}

func functionName(fn *ssa.Function) string {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn.Name()
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
		if types.IsInterface(t) && !types.Identical(t, types.Universe.Lookup("error").Type()) {
			return kubeapi.IsObject(t)
		}
	}
}

// isPlain reports whether a reference leads to nothing but predeclared types,
// as []string and map[string]any do.
func isPlain(t types.Type) bool {
	for range 6 {
		switch u := t.(type) {
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		case *types.Array:
			t = u.Elem()
		case *types.Map:
			t = u.Elem()
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
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		case *types.Map:
			t = u.Elem()
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
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	case *types.Map:
		return u.Elem()
	}
	return nil
}

// allEvents is events, computed once when the unit is solved.
func (u *unit) allEvents() []*event {
	if !u.listed {
		u.listed, u.found = true, u.events()
	}
	return u.found
}

// isReplacedBefore reports whether the elements of what the source returned may
// have been replaced by copies before an instruction: in a loop over all of them,
// it is taken.
func (s *source) isReplacedBefore(instr ssa.Instruction) bool {
	return slices.ContainsFunc(s.replaced, func(by ssa.Instruction) bool {
		return by.Parent() != instr.Parent() || callgraph.Follows(by, instr)
	})
}

// confirm marks those of the events to which a path leads from the source of
// what is written, on which it is still the same memory; where there is no merge
// on the way, that is known.
func (u *unit) confirm(events []*event) {
	bySource := make(map[*source][]*goal)
	var order []*source
	of := make(map[*goal]*event)
	for _, e := range events {
		switch {
		case e.confirmed || e.refuted:
			continue
		case e.from.src.isReplacedBefore(e.instr):
			e.refuted = true
			continue
		case !e.from.merged:
			e.confirmed = true
			continue
		}
		g := &goal{to: e.instr, test: func(get lookup) bool { return u.is(e, get) }}
		if bySource[e.from.src] == nil {
			order = append(order, e.from.src)
		}
		bySource[e.from.src] = append(bySource[e.from.src], g)
		of[g] = e
	}
	for _, src := range order {
		u.trace(src, bySource[src])
		for _, g := range bySource[src] {
			of[g].confirmed, of[g].refuted = g.found, !g.found
		}
	}
}

// is reports whether an event's instruction writes to what came from the
// source, at a point of a path.
func (u *unit) is(e *event, get lookup) bool {
	for _, w := range u.writes(e.instr, get) {
		if w.how != e.how || w.fn != e.fn || w.path != e.path || w.short != e.short || w.doubtful != e.doubtful {
			continue
		}
		if slices.ContainsFunc(w.origins(get), func(o origin) bool { return o.src == e.from.src }) {
			return true
		}
	}
	return false
}

// returnsIt tells of each origin of a result whether a path leads from the
// source to a return of what came from it.
func (u *unit) returnsIt(fn *ssa.Function, index int, list []origin) []origin {
	var found []origin
	for _, from := range list {
		if !from.merged && len(from.src.replaced) == 0 || from.src.kind == kubeapi.NoCacheSource {
			found = append(found, from)
			continue
		}
		var goals []*goal
		for _, block := range fn.Blocks {
			ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
			if !ok || !slices.ContainsFunc(u.get(ret.Results[index]), from.same) || from.src.isReplacedBefore(ret) {
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

// start is the instruction at which a source's value comes to be; nil for a
// parameter.
func (s *source) start() ssa.Instruction {
	if s.at != nil {
		return s.at
	}
	if _, ok := s.value.(*ssa.Parameter); ok {
		return nil
	}
	instr, _ := s.value.(ssa.Instruction)
	return instr
}
