package controllers

import (
	"cmp"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// handlers adds the watches that a call registers handlers for, to the controllers of
// the queues that the handlers add to.
func (q *queues) handlers(instr ssa.Instruction, found map[types.Object]*Local) {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return
	}
	op, ok := kubeapi.InformerOpOf(call)
	if !ok || op.Verb != kubeapi.AddHandler {
		return
	}
	for _, pair := range q.registered(op) {
		q.register(call, pair[0], pair[1], found)
	}
}

// registered returns the pairs of informers and handlers that a call puts together:
// one, or in a loop over a map those of its entries.
func (q *queues) registered(op kubeapi.InformerOp) [][2]ssa.Value {
	key, of := entryOf(op.Informer)
	if value, same := entryOf(op.Handler); of != nil && same == of {
		if entries, ok := q.finder.read.Entries(of); ok && len(entries) > 0 {
			var pairs [][2]ssa.Value
			for _, e := range entries {
				parts := map[int]ssa.Value{1: e.Key, 2: e.Value}
				pairs = append(pairs, [2]ssa.Value{parts[key], parts[value]})
			}
			return pairs
		}
	}
	return [][2]ssa.Value{{op.Informer, op.Handler}}
}

// entryOf tells which part of a map's entry a value is in a loop over the map: 1 for the
// key, 2 for the value.
func entryOf(v ssa.Value) (part int, of ssa.Value) {
	extract, ok := calls.Behind(v).(*ssa.Extract)
	if !ok {
		return 0, nil
	}
	next, ok := extract.Tuple.(*ssa.Next)
	if !ok {
		return 0, nil
	}
	loop, ok := next.Iter.(*ssa.Range)
	if !ok {
		return 0, nil
	}
	return extract.Index, loop.X
}

// register adds the watches of an informer with a handler.
func (q *queues) register(call ssa.CallInstruction, informer, handler ssa.Value, found map[types.Object]*Local) {
	h := &eventHandler{queues: q}
	h.read(handler, 0)
	adds, reach := q.addsTo(h.funcs)
	if len(adds) == 0 {
		return
	}
	w := Watch{Role: Watches, Filter: h.filter, At: q.place(call.Pos()), Conditional: mayBeSkipped(call), Handler: Handler{Class: reach.class(), At: q.place(call.Pos())}}
	if len(h.funcs) > 0 {
		if obj, ok := h.funcs[0].Object().(*types.Func); ok {
			w.Handler.Func, w.Handler.At = kubeapi.FullName(obj), q.place(obj.Pos())
		}
	}
	for _, o := range q.kindsInformed(informer, 0) {
		for _, queue := range adds {
			if c := found[queue]; c != nil {
				w := w
				if w.Handler.Class == Self && !c.For.IsKnown() {
					w.Role = For
				}
				q.addWatch(c, w, o, call)
			}
		}
	}
}

// mayBeSkipped reports whether a function can succeed without a call. That a loop may have
// no rounds does not count.
func mayBeSkipped(call ssa.CallInstruction) bool {
	fn := call.Parent()
	passed := map[*ssa.BasicBlock]bool{call.Block(): true}
	for _, loop := range loops.Of(fn) {
		if loop.Blocks[call.Block()] {
			maps.Copy(passed, loop.Blocks)
		}
	}
	work := []*ssa.BasicBlock{fn.Blocks[0]}
	for len(work) > 0 {
		block := work[len(work)-1]
		work = work[:len(work)-1]
		if passed[block] {
			continue
		}
		passed[block] = true
		if ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return); ok && !slices.ContainsFunc(ret.Results, mayBeError) {
			return true
		}
		work = append(work, block.Succs...)
	}
	return false
}

func mayBeError(v ssa.Value) bool { return kubeapi.IsError(v.Type()) && !literals.IsZero(v) }

// eventHandler is what a handler of an informer runs.
type eventHandler struct {
	*queues
	funcs  []*ssa.Function
	filter Filter
}

var handlerFields = []string{"AddFunc", "UpdateFunc", "DeleteFunc"}

// read takes a handler apart: functions in a literal, one behind a filter, or a
// type with methods.
func (h *eventHandler) read(v ssa.Value, depth int) {
	if depth > maxDepth {
		return
	}
	v = calls.Behind(v)
	if call, ok := v.(*ssa.Call); ok {
		values, _ := h.results(call, 0)
		for _, value := range values {
			h.read(value, depth+1)
		}
		return
	}
	if kubeapi.HasField(v.Type(), "AddFunc") || kubeapi.HasField(v.Type(), "FilterFunc") {
		s := h.finder.read.Read(v)
		for _, name := range handlerFields {
			for _, fn := range s.Values[name] {
				for _, target := range h.calls.FuncsOf(fn).Funcs {
					if !slices.Contains(h.funcs, target) {
						h.funcs = append(h.funcs, target)
					}
				}
			}
		}
		for _, fn := range s.Values["FilterFunc"] {
			h.filter = h.filter.And(named(h.shortName(fn), h.place(fn.Pos()), unknownFilter))
		}
		for _, inner := range s.Values["Handler"] {
			h.read(inner, depth+1)
		}
		return
	}
	for _, name := range []string{"OnAdd", "OnUpdate", "OnDelete"} {
		obj, _, _ := types.LookupFieldOrMethod(v.Type(), true, h.pass.Pkg, name)
		if fn, ok := obj.(*types.Func); ok && fn.Pkg() == h.pass.Pkg {
			if body := h.calls.Pkg.Prog.FuncValue(fn.Origin()); body != nil {
				h.funcs = append(h.funcs, body)
			}
		}
	}
}

// shortName is the name of the one function that v is without its package; "?" for literals.
func (f *finder) shortName(v ssa.Value) string {
	full := f.funcName(v)
	return cmp.Or(full[strings.LastIndexByte(full, '.')+1:], "?")
}

// reach is what handlers do on their way to the queue.
type reach struct{ keys, owners, lists bool }

// class tells what the requests name. A key is that of the object unless the code asks
// for owners, or looks other objects up.
func (r reach) class() HandlerClass {
	switch {
	case r.owners:
		return Owner
	case r.lists || !r.keys:
		return Custom
	}
	return Self
}

// entered is a function with the way that led to it.
type entered struct {
	fn   *ssa.Function
	by   ssa.CallInstruction // nil if it is not called by one that is known
	from *entered
}

// maxReach bounds how many functions handlers are followed through.
const maxReach = 200

// addsTo returns the queues that functions add to, themselves or in what they call. A
// helper that is handed a queue adds to that one.
func (q *queues) addsTo(fns []*ssa.Function) (added []types.Object, does reach) {
	seen := make(map[entered]bool)
	var work []*entered
	enter := func(fn *ssa.Function, by ssa.CallInstruction, from *entered) {
		key := entered{fn: fn}
		if slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return kubeapi.IsQueue(p.Type()) }) {
			key.by = by
		}
		if !seen[key] && len(seen) < maxReach {
			seen[key] = true
			work = append(work, &entered{fn, by, from})
		}
	}
	for _, fn := range fns {
		enter(fn, nil, nil)
	}
	for len(work) > 0 {
		e := work[0]
		work = work[1:]
		for _, queue := range q.adders[e.fn] {
			for _, holder := range q.holders(e.handed(queue)) {
				if !slices.Contains(added, holder) {
					added = append(added, holder)
				}
			}
		}
		for instr := range blocks.Instrs(e.fn) {
			if made, ok := instr.(*ssa.MakeClosure); ok {
				enter(made.Fn.(*ssa.Function), nil, e)
			}
			if call, ok := instr.(ssa.CallInstruction); ok {
				does.note(call)
				for _, callee := range q.calls.Callees(call).Funcs {
					enter(callee, call, e)
				}
			}
		}
	}
	return added, does
}

// handed is what a value is on the way that led to the function: for a parameter, what
// the call hands over.
func (e *entered) handed(v ssa.Value) ssa.Value {
	for ; e != nil && e.by != nil; e = e.from {
		p, ok := calls.Behind(v).(*ssa.Parameter)
		if !ok {
			return v
		}
		index, operands := slices.Index(e.fn.Params, p), kubeapi.Operands(e.by.Common())
		if index < 0 || index >= len(operands) {
			return v
		}
		v = operands[index]
	}
	return v
}

func (r *reach) note(call ssa.CallInstruction) {
	fn := kubeapi.Callee(call.Common())
	if fn == nil {
		return
	}
	switch {
	case kubeapi.AsksOwner(fn):
		r.owners = true
	case kubeapi.IsListerGet(fn) || kubeapi.IsListerList(fn):
		r.lists = true
	case kubeapi.MakesKey(fn):
		r.keys = true
	}
}

// kindsInformed returns the kinds of an informer.
func (q *queues) kindsInformed(v ssa.Value, depth int) []object {
	unknown := []object{{}}
	if v == nil || depth > maxDepth {
		return unknown
	}
	v = calls.Behind(v)
	if call, index := calls.CallOf(v); call != nil {
		return q.informerCall(call, index, depth)
	}
	var found []object
	for _, value := range q.mayBe(v) {
		for _, o := range q.kindsInformed(value, depth+1) {
			if !slices.Contains(found, o) {
				found = append(found, o)
			}
		}
	}
	if len(found) == 0 {
		return unknown
	}
	return found
}

// mayBe returns what a value may be: what is merged, captured or handed over, is in the
// list, or is stored into the field.
func (q *queues) mayBe(v ssa.Value) []ssa.Value {
	of := values.Relation{Calls: q.calls, Steps: values.Local | values.Given, More: func(v ssa.Value) []ssa.Value {
		if load, ok := v.(*ssa.UnOp); ok {
			if element, ok := load.X.(*ssa.IndexAddr); ok {
				elements, _ := q.finder.read.Elements(element.X)
				return elements
			}
			return q.calls.Stored(calls.HolderOf(load.X))
		}
		return nil
	}}
	from, _ := of.Sources(v)
	return from
}

// informerCall returns the kinds of the informer that a call returns.
func (q *queues) informerCall(call *ssa.Call, index, depth int) []object {
	if kind := kubeapi.InformedKind(call.Common()); kind != nil {
		return []object{{Kind{kubeapi.KindID(kind), Typed}, kind}}
	}
	if values, _ := q.results(call, index); len(values) > 0 {
		var found []object
		for _, value := range values {
			found = append(found, q.kindsInformed(value, depth+1)...)
		}
		return found
	}
	// cache.NewSharedIndexInformer(source, &corev1.Pod{}, …), cache.GetInformer(ctx, &corev1.Pod{}).
	_, args := kubeapi.Args(call.Common())
	for _, arg := range args {
		if kubeapi.IsObjectInterface(arg.Type()) || kubeapi.IsObject(arg.Type()) || kubeapi.IsNamed(arg.Type(), "k8s.io/apimachinery/pkg/runtime", "Object") {
			return q.objectsOf(arg)
		}
	}
	return []object{{}}
}
