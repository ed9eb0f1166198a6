package contexts

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// maxOrigins bounds how many possibilities are kept.
const maxOrigins = 16

// Origins returns where a context, or the stop channel that is some context's
// Done, may come from: one origin for each possibility. There is always one; its
// kind is Unknown if it cannot be told.
func (i *Sources) Origins(ctx ssa.Value) []Origin {
	t := &tracer{info: i, on: make(map[ssa.Value]bool)}
	t.visit(ctx, nil, 0)
	if len(t.found) == 0 {
		return []Origin{{Root: ctx}}
	}
	return t.found
}

// EndsWith reports whether a context or stop channel ends when another one does, wherever
// that comes from: it is that or derived from it, or may be, if it is one of several.
func (i *Sources) EndsWith(ctx, other ssa.Value) bool {
	if ctx == other {
		return true
	}
	derived := i.handedDown(ctx, 0)
	return !slices.ContainsFunc(i.Origins(other), func(from Origin) bool {
		return !slices.ContainsFunc(derived, func(o Origin) bool { return o.endsWith(from) })
	})
}

func (o Origin) endsWith(from Origin) bool {
	if o.Kind != from.Kind || o.Field != from.Field || o.Root != from.Root && o.Kind != Field {
		return false
	}
	steps, given := o.ending(), from.ending()
	n := len(steps) - len(given)
	return n >= 0 && slices.Equal(steps[n:], given)
}

// maxHandedDown bounds the calls that a context is handed down through.
const maxHandedDown = 3

// handedDown returns where a context comes from, and past the parameter of a function that
// is called in one place also where what is handed over there comes from.
func (i *Sources) handedDown(ctx ssa.Value, depth int) []Origin {
	var found []Origin
	for _, o := range i.Origins(ctx) {
		found = append(found, o)
		param, ok := o.Root.(*ssa.Parameter)
		if !ok || depth == maxHandedDown {
			continue
		}
		if args, known := i.graph.HandedOver(param); known && len(args) == 1 {
			for _, from := range i.handedDown(args[0], depth+1) {
				from.Steps = append(slices.Clone(o.Steps), from.Steps...)
				found = append(found, from)
			}
		}
	}
	return found
}

// ending are the steps that may end a context before what it is derived from: a group's
// context ends with the group.
func (o Origin) ending() []Step {
	return slices.DeleteFunc(slices.Clone(o.Steps), func(step Step) bool {
		return step.Kind == Value && (step.Call == nil || !kubeapi.GroupContext(step.Call.Common()))
	})
}

// tracer follows one context back.
type tracer struct {
	info  *Sources
	on    map[ssa.Value]bool // the values on the way to the current one
	taken int
	found []Origin
}

// maxTaken bounds all that is looked at for one context: merges of merges have
// more ways through them than anybody wants to know.
const maxTaken = 500

func (t *tracer) add(o Origin) {
	known := func(p Origin) bool {
		return p.Kind == o.Kind && p.Root == o.Root && slices.Equal(p.Steps, o.Steps)
	}
	if len(t.found) < maxOrigins && !slices.ContainsFunc(t.found, known) {
		o.Steps = slices.Clone(o.Steps)
		t.found = append(t.found, o)
	}
}

func (t *tracer) visit(v ssa.Value, steps []Step, depth int) {
	if v == nil || depth > 4*maxTrace || t.taken > maxTaken {
		t.add(Origin{Root: v, Steps: steps})
		return
	}
	if t.on[v] {
		return // a variable that is derived from itself
	}
	t.on[v] = true
	defer delete(t.on, v)
	t.taken++
	depth++
	same := values.Relation{Calls: t.info.graph, Steps: values.Converted | values.Merged | values.Held, Until: blocks.IsLoad, More: func(v ssa.Value) []ssa.Value {
		if inner := t.info.graph.Returned(v); inner != nil {
			return []ssa.Value{inner}
		}
		return t.info.handedOver(v)
	}}
	if from, _ := same.Sources(v); len(from) > 0 {
		for _, v := range from {
			t.visit(v, steps, depth)
		}
		return
	}
	if call, index := calls.CallOf(v); call != nil {
		t.call(call, index, steps, depth)
		return
	}
	if load, ok := v.(*ssa.UnOp); ok && blocks.IsLoad(v) {
		t.load(load, load.X, steps, depth)
		return
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		t.add(Origin{Kind: Param, Root: v, Steps: steps})
	case *ssa.Field:
		field := calls.FieldOf(v.X.Type(), v.Field)
		t.add(Origin{Kind: Field, Root: v, Field: field, Steps: steps})
	default:
		t.add(Origin{Root: v, Steps: steps})
	}
}

// handedOver is what a parameter is for sure: the one thing that is handed over for it.
func (i *Sources) handedOver(v ssa.Value) []ssa.Value {
	p, ok := v.(*ssa.Parameter)
	if !ok {
		return nil
	}
	if given := i.graph.Given(p); given != nil {
		return []ssa.Value{given}
	}
	for _, call := range i.onlyCalls(p.Parent()) {
		if arg := calls.ArgumentOf(call, p); arg != nil {
			return []ssa.Value{arg}
		}
	}
	return nil
}

// onlyCalls returns the call of a function literal that is called, or started,
// where it stands and nowhere else.
func (i *Sources) onlyCalls(fn *ssa.Function) []ssa.CallInstruction {
	callers := i.graph.Callers(fn)
	if fn.Parent() == nil || len(callers) != 1 {
		return nil
	}
	for _, closure := range i.graph.Closures(fn) {
		if refs := closure.Referrers(); refs == nil || len(*refs) != 1 {
			return nil
		}
	}
	common := callers[0].Common()
	switch v := common.Value.(type) {
	case *ssa.Function:
		return callers
	case *ssa.MakeClosure:
		if v.Fn == fn {
			return callers
		}
	}
	return nil
}

// load follows what is stored at addr.
func (t *tracer) load(v *ssa.UnOp, addr ssa.Value, steps []Step, depth int) {
	switch addr := calls.Captured(addr).(type) {
	case *ssa.Alloc:
		values := calls.StoredInto(addr)
		if len(values) == 0 || escapes(addr) {
			t.add(Origin{Root: v, Steps: steps})
			return
		}
		for _, stored := range values {
			t.visit(stored, steps, depth)
		}
	case *ssa.Global:
		switch values := t.info.stores.only(calls.HolderOf(addr)); {
		case kubeapi.IsNeverStop(v):
			t.add(Origin{Kind: Detached, Root: v, Steps: steps})
		case len(values) == 1 && !isCancelled(values[0]):
			t.visit(values[0], steps, depth)
		default:
			t.add(Origin{Kind: Global, Root: v, Steps: steps})
		}
	case *ssa.FieldAddr:
		if made, ok := addr.X.(*ssa.Alloc); ok {
			if stored := fieldOfLiteral(made, addr.Field); stored != nil {
				t.visit(stored, steps, depth)
				return
			}
		}
		t.add(Origin{Kind: Field, Root: v, Field: calls.FieldOf(addr.X.Type(), addr.Field), Steps: steps})
	default:
		t.add(Origin{Root: v, Steps: steps})
	}
}

// isCancelled reports whether the package keeps or calls what cancels a context: that of
// a package-level variable ends with the process, such as on a signal.
func isCancelled(v ssa.Value) bool {
	extract, ok := v.(*ssa.Extract)
	if !ok {
		return false
	}
	for _, ref := range *extract.Tuple.Referrers() {
		if other, ok := ref.(*ssa.Extract); ok && kubeapi.IsCancel(other.Type()) && len(*other.Referrers()) > 0 {
			return true
		}
	}
	return false
}

// fieldOfLiteral returns what a field of a struct that is made here holds, if
// it is stored once.
func fieldOfLiteral(made *ssa.Alloc, index int) ssa.Value {
	if stored := calls.StoredInField(made, index); len(stored) == 1 {
		return stored[0]
	}
	return nil
}

// call follows the index-th result of a call.
func (t *tracer) call(call *ssa.Call, index int, steps []Step, depth int) {
	common := call.Common()
	callee := kubeapi.Callee(common)
	switch {
	case kubeapi.IsRootContext(callee):
		t.add(Origin{Kind: Detached, Root: call, Steps: steps})
		return
	case kubeapi.IsWithoutCancel(callee):
		t.add(Origin{Kind: Severed, Root: call, Steps: steps})
		return
	case kubeapi.DoneOf(call) != nil:
		t.visit(kubeapi.DoneOf(call), steps, depth)
		return
	case kubeapi.IsRequestContext(callee):
		t.add(Origin{Kind: Request, Root: call, Steps: steps})
		return
	}
	if parent, limit, deadline, ok := kubeapi.TimeoutOf(common); ok && len(t.info.graph.Callees(call).Funcs) == 0 {
		step := Step{Call: call, Kind: Timeout, Cancel: cancelOf(call)}
		if deadline {
			step.After, step.Known = t.info.Until(limit)
		} else {
			step.After, step.Known = t.info.Duration(limit)
		}
		t.visit(parent, append(slices.Clip(steps), step), depth)
		return
	}
	// Before the callee is looked into: it bridges the two by a goroutine.
	if ch, ok := kubeapi.ContextForChannel(common); ok {
		t.visit(ch, append(slices.Clip(steps), Step{Call: call, Kind: Cancel, Cancel: cancelOf(call)}), depth)
		return
	}
	if results, ok := t.info.resultsOf(call, index); ok {
		for _, r := range results {
			t.result(call, r, steps, depth)
		}
		return
	}
	parent, cancels, ok := kubeapi.DerivedContext(common)
	if !ok || parent == nil {
		t.add(Origin{Root: call, Steps: steps})
		return
	}
	step := Step{Call: call}
	if cancels {
		step.Kind, step.Cancel = Cancel, cancelOf(call)
	}
	t.visit(parent, append(slices.Clip(steps), step), depth)
}

// result goes on with what is known of a helper's result.
func (t *tracer) result(call *ssa.Call, r Result, steps []Step, depth int) {
	step := Step{Call: call, Kind: r.Step, Cancel: cancelOf(call), known: !r.Ends}
	if r.Step == Timeout {
		step.After, step.Known = r.After, r.Known
		if r.Limit > 0 {
			if limit := operand(call.Common(), r.Limit-1); limit != nil {
				step.After, step.Known = t.info.Duration(limit)
			}
		}
	}
	steps = append(slices.Clip(steps), step)
	if r.Kind == Param {
		if arg := operand(call.Common(), r.Param); arg != nil {
			t.visit(arg, steps, depth)
			return
		}
		r.Kind = Unknown
	}
	t.add(Origin{Kind: r.Kind, Root: call, Steps: steps})
}

// operand returns the value of a callee's parameter, the receiver counted.
func operand(common *ssa.CallCommon, index int) ssa.Value {
	operands := kubeapi.Operands(common)
	if index < 0 || index >= len(operands) {
		return nil
	}
	return operands[index]
}

// cancelOf returns the function by which the context that a call makes is
// cancelled, or nil.
func cancelOf(call *ssa.Call) ssa.Value {
	for ref := range blocks.Uses(call) {
		if extract, ok := ref.(*ssa.Extract); ok && kubeapi.IsCancel(extract.Type()) {
			return extract
		}
	}
	return nil
}

// Written is how code writes what never ends: "context.Background()".
func (o Origin) Written() string {
	switch root := o.Root.(type) {
	case *ssa.Call:
		if callee := kubeapi.Callee(root.Common()); callee != nil {
			if callee.Pkg() != nil && callee.Signature().Recv() == nil {
				return callee.Pkg().Name() + "." + callee.Name() + "()"
			}
			return callee.Name() + "()"
		}
	case *ssa.UnOp:
		if kubeapi.IsNeverStop(root) {
			return "wait.NeverStop"
		}
	}
	return "something that never ends"
}
