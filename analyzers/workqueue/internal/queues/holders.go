package queues

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// holds reports whether a value of type t is a queue, or a pointer to or a
// container of queues: elements are not told apart. What a generic function is handed
// may be one.
func (i *Queues) holds(t types.Type) bool {
	if known, ok := i.isQueue[t]; ok {
		return known
	}
	i.isQueue[t] = false
	_, generic := types.Unalias(t).(*types.TypeParam)
	found := generic || kubeapi.IsQueue(t)
	if !found {
		switch u := t.Underlying().(type) {
		case *types.Pointer, *types.Slice, *types.Array, *types.Map:
			found = i.holds(u.(interface{ Elem() types.Type }).Elem())
		}
	}
	i.isQueue[t] = found
	return found
}

func (i *Queues) at(key any) *Holder {
	i.mu.Lock()
	defer i.mu.Unlock()
	h := i.holders[key]
	if h == nil {
		h = new(Holder)
		switch key := key.(type) {
		case *types.Var:
			h.Field = key
			h.Escapes = key.Pkg() != i.pass.Pkg || key.Exported() && i.pass.Pkg.Name() != "main" && (!key.IsField() || i.public(key))
		case ssa.Value:
			h.Value = key
		}
		i.holders[key] = h
	}
	return h
}

// public reports whether other packages can name the struct that declares an
// exported field.
func (i *Queues) public(field *types.Var) bool {
	owner := calls.DeclaredIn(i.pass.Pkg, field)
	return owner == nil || owner.Obj().Exported()
}

// holder returns where the queue v is held, or nil.
func (i *Queues) holder(v ssa.Value) *Holder {
	of := values.Relation{Steps: values.Same | values.Element | values.Address}
	v = of.End(v)
	if field := calls.FieldAt(v); field != nil {
		return i.at(field)
	}
	switch v := v.(type) {
	case *ssa.Global:
		if obj, ok := v.Object().(*types.Var); ok {
			return i.at(obj)
		}
		return i.at(v)
	case *ssa.Const, nil:
		return nil
	}
	h := i.at(v)
	if f := embedded(v.Type()); f != nil && !h.initialised {
		h.initialised = true
		connect(i.at(f), h)
	}
	return h
}

// embedded returns the field by which a struct is a queue, or nil.
func embedded(t types.Type) *types.Var {
	s, ok := kubeapi.Deref(t).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for f := range s.Fields() {
		if f.Embedded() && kubeapi.IsQueue(f.Type()) {
			return f.Origin()
		}
	}
	return nil
}

func connect(from, to *Holder) {
	if from == nil || to == nil || from == to || slices.Contains(from.succs, to) {
		return
	}
	from.succs = append(from.succs, to)
	to.preds = append(to.preds, from)
}

func (i *Queues) flow(from, to ssa.Value) {
	if i.holds(from.Type()) {
		connect(i.holder(from), i.holder(to))
	}
}

func (i *Queues) escape(v ssa.Value) {
	if v != nil && i.holds(v.Type()) {
		if h := i.holder(v); h != nil {
			h.Escapes = true
		}
	}
}

// visit notes what one instruction does with queues.
func (i *Queues) visit(instr ssa.Instruction) {
	// A switch of its own: one edge of a graph for each instruction, in whatever order; nothing is followed.
	switch instr := instr.(type) {
	case *ssa.Store:
		if !i.holds(instr.Val.Type()) {
			return
		}
		if h := i.holder(instr.Addr); h != nil {
			h.initialised = true
			connect(i.holder(instr.Val), h)
		} else {
			i.escape(instr.Val)
		}
	case *ssa.MapUpdate:
		i.flow(instr.Value, instr.Map)
	case *ssa.Phi:
		if i.holds(instr.Type()) {
			for _, edge := range instr.Edges {
				i.flow(edge, instr)
			}
		}
	case *ssa.MakeInterface, *ssa.ChangeInterface:
		if v := instr.(ssa.Value); !i.holds(v.Type()) {
			i.escape(kubeapi.Converted(v))
		}
	case *ssa.Send:
		i.escape(instr.X)
	case *ssa.MakeClosure:
		i.closure(instr)
	case *ssa.Return:
		i.returned(instr)
	case ssa.CallInstruction:
		i.call(instr)
	case *ssa.FieldAddr:
		// The address of a field goes somewhere: it may be set there.
		if ptr, ok := instr.Type().Underlying().(*types.Pointer); ok && i.holds(ptr.Elem()) {
			for _, ref := range *instr.Referrers() {
				switch ref.(type) {
				case *ssa.UnOp, *ssa.Store:
				default:
					i.holder(instr).initialised = true
				}
			}
		}
	}
}

func (i *Queues) closure(instr *ssa.MakeClosure) {
	fn := instr.Fn.(*ssa.Function)
	if fn.Synthetic != "" && len(instr.Bindings) == 1 && i.holds(instr.Bindings[0].Type()) {
		// A method value: workers and timers call it later.
		if obj, ok := fn.Object().(*types.Func); ok {
			if verb := kubeapi.QueueVerbOf(obj.Origin()); verb != kubeapi.NoQueueVerb {
				i.op(&Op{Verb: verb, Instr: instr, Queue: instr.Bindings[0]})
			}
		}
		return
	}
	for n, binding := range instr.Bindings {
		if n < len(fn.FreeVars) && i.holds(binding.Type()) {
			// The variable is one, on both sides.
			connect(i.holder(binding), i.holder(fn.FreeVars[n]))
			if _, ok := binding.(*ssa.Alloc); ok {
				connect(i.holder(fn.FreeVars[n]), i.holder(binding))
			}
		}
	}
}

func (i *Queues) op(op *Op) {
	i.Ops = append(i.Ops, op)
	i.byInstr[op.Instr] = append(i.byInstr[op.Instr], op)
	if h := i.holder(op.Queue); h != nil {
		h.Ops = append(h.Ops, op)
	}
}

// returned follows queues to the callers in this package. Others may call an
// exported function.
func (i *Queues) returned(ret *ssa.Return) {
	fn := ret.Parent()
	for n, v := range ret.Results {
		if !i.holds(v.Type()) {
			continue
		}
		if obj, ok := fn.Object().(*types.Func); ok && fn.Parent() == nil && obj.Exported() && i.pass.Pkg.Name() != "main" {
			i.escape(v)
		}
		for _, site := range i.graph.Callers(fn) {
			if result := calls.ResultOf(site, n); result != nil {
				i.flow(v, result)
			}
		}
	}
}

func (i *Queues) call(call ssa.CallInstruction) {
	common := call.Common()
	fn := kubeapi.Callee(common)
	recv, _ := kubeapi.Args(common)
	operands := kubeapi.Operands(common)
	if recv != nil && i.holds(recv.Type()) && fn != nil {
		if verb := kubeapi.QueueVerbOf(fn); verb != kubeapi.NoQueueVerb {
			i.op(&Op{Verb: verb, Instr: call, Queue: recv, Item: kubeapi.QueueItem(common)})
		}
		for _, arg := range operands[1:] {
			i.escape(arg)
		}
		return
	}
	i.made(call, fn)
	if !slices.ContainsFunc(operands, func(v ssa.Value) bool { return i.holds(v.Type()) }) {
		return
	}
	_, isBuiltin := common.Value.(*ssa.Builtin)
	targets := i.graph.Callees(call).Funcs
	for _, target := range targets {
		for n, arg := range operands {
			if n < len(target.Params) && i.holds(arg.Type()) {
				connect(i.holder(arg), i.holder(target.Params[n]))
			}
		}
	}
	if len(targets) > 0 {
		return
	}
	if isBuiltin || kubeapi.NewsQueue(fn) {
		if result, ok := call.(*ssa.Call); ok && (!isBuiltin || calls.IsBuiltin(call, "append")) {
			for _, arg := range operands {
				i.flow(arg, result)
			}
		}
		return
	}
	uses := i.Of(fn)
	for n, arg := range operands {
		if !i.holds(arg.Type()) {
			continue
		}
		use := uses.param(n)
		if use == nil {
			i.escape(arg)
			continue
		}
		for _, done := range use.Done {
			i.op(&Op{Verb: done.Verb, Instr: call, Queue: arg, Helper: fn, Place: done.Place, HandsOn: done.HandsOn})
		}
		if use.Escapes {
			i.escape(arg)
		}
	}
}

// made notes a call that makes a queue.
func (i *Queues) made(site ssa.CallInstruction, fn *types.Func) {
	call, ok := site.(*ssa.Call)
	if !ok || fn == nil || !kubeapi.IsQueue(call.Type()) || len(i.graph.Callees(call).Funcs) > 0 {
		return
	}
	if recv, _ := kubeapi.Args(call.Common()); recv != nil && i.holds(recv.Type()) {
		return
	}
	m := &Made{Call: call, Known: kubeapi.NewsQueue(fn), holder: i.holder(call)}
	for _, arg := range call.Call.Args {
		if kubeapi.IsLimiter(arg.Type()) {
			m.Limiter = i.limiter(arg, 0)
		}
	}
	if m.Limiter == kubeapi.UnknownLimiter && !m.Known {
		return // a getter, perhaps
	}
	m.holder.made = append(m.holder.made, m)
	i.Made = append(i.Made, m)
}
