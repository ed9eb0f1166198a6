package deadlines

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
)

// walker follows one context back. onPath has the values that it is following,
// so that a variable which is derived from itself comes to an end.
type walker struct {
	info   *Deadlines
	onPath map[ssa.Value]bool
	found  []Lineage
	steps  int
}

func (w *walker) add(links []Link, kind contexts.Kind, root ID) {
	w.found = append(w.found, Lineage{Links: slices.Clone(links), Kind: kind, Root: root})
}

func (w *walker) visit(v ssa.Value, links []Link) {
	if w.steps++; w.steps > maxVisits {
		return
	}
	if v == nil {
		w.add(links, contexts.Unknown, nil)
		return
	}
	if w.onPath[v] {
		return // a variable that is derived from itself
	}
	w.onPath[v] = true
	defer delete(w.onPath, v)
	if inner := w.info.calls.Returned(v); inner != nil {
		w.visit(inner, links)
		return
	}
	same := values.Relation{Calls: w.info.calls, Steps: values.Local, Until: blocks.IsLoad}
	if from, _ := same.Sources(v); len(from) > 0 {
		for _, v := range from {
			w.visit(v, links)
		}
		return
	}
	if call, _ := calls.CallOf(v); call != nil {
		if ctx := kubeapi.DoneOf(call); ctx != nil {
			w.visit(ctx, links)
		} else {
			w.derived(v, call, links)
		}
		return
	}
	switch v := v.(type) {
	case *ssa.Const: // nil, which nobody uses
	case *ssa.UnOp:
		if blocks.IsLoad(v) {
			w.load(v, links)
			return
		}
		w.add(links, contexts.Unknown, v)
	case *ssa.Parameter:
		w.parameter(v, links)
	default:
		w.add(links, contexts.Unknown, v)
	}
}

// load follows what a variable or field holds.
func (w *walker) load(load *ssa.UnOp, links []Link) {
	if values := w.info.Variable(load); len(values) > 0 {
		for _, v := range values {
			w.visit(v, links)
		}
		return
	}
	switch addr := load.X.(type) {
	case *ssa.Global:
		w.add(links, contexts.Global, addr)
	case *ssa.FieldAddr:
		field := calls.FieldOf(addr.X.Type(), addr.Field)
		origins := w.info.contexts.Origins(load)
		if len(origins) == 1 && origins[0].Kind != contexts.Field && origins[0].Root != nil {
			// A struct that is made here.
			if o := origins[0]; len(o.Steps) == 0 && o.Root != load {
				w.visit(o.Root, links)
				return
			}
		}
		w.add(links, contexts.Field, fieldID{w.info.base(addr.X), field})
	default:
		w.add(links, contexts.Unknown, load)
	}
}

// parameter follows the parameter of a literal to what runs the literal.
func (w *walker) parameter(p *ssa.Parameter, links []Link) {
	fn := p.Parent()
	if fn.Parent() == nil {
		w.add(links, contexts.Param, p)
		return
	}
	call, index, ok := w.info.soleUse(fn)
	switch {
	case !ok:
	case index < 0:
		if arg := calls.ArgumentOf(call, p); arg != nil {
			w.visit(arg, links)
			return
		}
	default:
		at, isCall := call.(*ssa.Call)
		if !isCall {
			break
		}
		if parent, limit, derives, ok := kubeapi.PollTimeout(call.Common()); ok {
			if derives {
				link := Link{Call: at, Kind: contexts.Timeout, Limit: limit}
				link.After, link.Known = w.info.contexts.Duration(limit)
				links = append(slices.Clone(links), link)
			}
			w.visit(parent, links)
			return
		}
		if !kubeapi.RunsInPlace(kubeapi.Callee(call.Common()), index) {
			break
		}
		if _, args := kubeapi.Args(call.Common()); len(args) > 0 && kubeapi.IsContext(args[0].Type()) {
			w.visit(args[0], links)
			return
		}
	}
	w.add(links, contexts.Param, p)
}

// soleUse returns the one call that a literal is used in: called itself (index
// is negative), or handed over as the index-th argument.
func (i *Deadlines) soleUse(fn *ssa.Function) (call ssa.CallInstruction, index int, ok bool) {
	var values []ssa.Value
	for _, closure := range i.calls.Closures(fn) {
		values = append(values, closure)
	}
	if len(values) == 0 {
		values = append(values, fn)
	}
	if len(values) != 1 {
		return nil, 0, false
	}
	v := values[0]
	for range maxTrace {
		switch use := blocks.SoleUse(v).(type) {
		case *ssa.ChangeType:
			v = use
		case ssa.CallInstruction:
			common := use.Common()
			if !common.IsInvoke() && common.Value == v {
				return use, -1, true
			}
			_, args := kubeapi.Args(common)
			index := slices.Index(args, v)
			return use, index, index >= 0
		default:
			return nil, 0, false
		}
	}
	return nil, 0, false
}

// derived follows the result v of a call.
func (w *walker) derived(v ssa.Value, call *ssa.Call, links []Link) {
	origins := w.info.contexts.Origins(v)
	common := call.Common()
	link := Link{Call: call}
	terminal := true
	for n, o := range origins {
		if len(o.Steps) == 0 || o.Steps[0].Call != call {
			w.add(links, o.Kind, w.root(o))
			return
		}
		step := o.Steps[0]
		switch {
		case n == 0:
			link.Kind, link.After, link.Known = step.Kind, step.After, step.Known
		case step.Kind != link.Kind:
			link.Kind, link.Known = contexts.Cancel, false
		case step.After != link.After || !step.Known:
			link.Known = false
		}
		terminal = terminal && o.Root == ssa.Value(call)
	}
	parent := firstContext(common)
	if p, limit, ok := kubeapi.OptionalTimeout(common); ok {
		link.Kind, link.Limit, parent = contexts.Cancel, limit, p
		if link.After, link.Known = w.info.contexts.Duration(limit); link.Known && link.After > 0 {
			link.Kind = contexts.Timeout
		}
	} else if p, limit, deadline, ok := kubeapi.TimeoutOf(common); ok {
		parent = p
		if !deadline {
			link.Limit = limit
		}
	}
	if kubeapi.GroupContext(common) {
		link.Kind = contexts.Cancel
	}
	links = append(slices.Clone(links), link)
	if terminal || parent == nil {
		w.add(links, origins[0].Kind, w.root(origins[0]))
		return
	}
	w.visit(parent, links)
}

// root identifies the context with which an origin begins.
func (w *walker) root(o contexts.Origin) ID {
	if call, ok := o.Root.(*ssa.Call); ok && o.Kind == contexts.Request {
		if recv, _ := kubeapi.Args(call.Common()); recv != nil {
			return requestID{w.info.base(recv)}
		}
	}
	if o.Root == nil {
		return nil
	}
	return o.Root
}

// firstContext returns the first operand of a call that is a context or, if
// there is none, a stop channel.
func firstContext(common *ssa.CallCommon) ssa.Value {
	if ctx := firstOf(common, kubeapi.IsContext); ctx != nil {
		return ctx
	}
	return firstOf(common, kubeapi.IsStopChannel)
}

// firstOf returns the first operand of a call that is of such a type, or nil.
func firstOf(common *ssa.CallCommon, is func(types.Type) bool) ssa.Value {
	for _, arg := range kubeapi.Operands(common) {
		if is(arg.Type()) {
			return arg
		}
	}
	return nil
}
