package deadlines

import (
	"fmt"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/contexts"
	"github.com/opvet/opvet/internal/flow"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Behaviour is what a function does to the contexts that it is handed, and the
// fact on it. Parameters are counted with the receiver first.
type Behaviour struct {
	// Timeouts are given to a parameter, or to what derives from it.
	Timeouts []Given
	// Waits lists the parameters that have ended whenever the function
	// returns, WaitsOK those that have if it returns no error.
	Waits, WaitsOK []int
	// Cancels lists the parameters of type context.CancelFunc that have been
	// called whenever the function returns.
	Cancels []int
	// CancelsOwn tells that a function in a field of the receiver is called
	// that cancels a context.
	CancelsOwn bool
	// KeepsCancel tells that a parameter of type context.CancelFunc is stored
	// into a field.
	KeepsCancel bool
	// Needs are the parameters without which, once they have ended, the
	// function cannot do its work.
	Needs []Need
	// Lends are the results that need a parameter as long as they are used.
	Lends []Loan
}

// Given is a timeout that a function gives to a context.
type Given struct {
	Param int
	After time.Duration
	Where string // "status/update.go:41"
	// Only tells that the parameter has no other use.
	Only bool
}

// Need is an operation that fails if a parameter has ended.
type Need struct {
	Param int
	What  string // "Update"
	Where string
}

// Loan is a result that still needs the context of a parameter.
type Loan struct {
	Param, Result int
	What          string // "the response's body"
}

// AFact marks Behaviour as a fact.
func (*Behaviour) AFact() {}

func (b *Behaviour) String() string {
	var parts []string
	for _, t := range b.Timeouts {
		parts = append(parts, fmt.Sprintf("gives %d %s", t.Param, t.After))
	}
	list := func(what string, params []int) {
		if len(params) > 0 {
			parts = append(parts, fmt.Sprint(what, " ", params))
		}
	}
	list("waits", b.Waits)
	list("waits if ok", b.WaitsOK)
	list("cancels", b.Cancels)
	for _, n := range b.Needs {
		parts = append(parts, fmt.Sprintf("needs %d for %s", n.Param, n.What))
	}
	for _, l := range b.Lends {
		parts = append(parts, fmt.Sprintf("lends %d as %d", l.Param, l.Result))
	}
	return "deadlines(" + strings.Join(parts, ", ") + ")"
}

func (b *Behaviour) isZero() bool {
	return len(b.Timeouts)+len(b.Waits)+len(b.WaitsOK)+len(b.Cancels)+len(b.Needs)+len(b.Lends) == 0 && !b.CancelsOwn && !b.KeepsCancel
}

// maxKept bounds what is kept of each sort for one function.
const maxKept = 4

// summarise computes the behaviour of all functions, callees first; a second
// round sees to recursion.
func (i *Info) summarise() {
	order := i.bottomUp()
	for range 2 {
		clear(i.events)
		for _, fn := range order {
			if b := i.behaviourOf(fn); b != nil {
				i.behaviour[fn] = b
			}
		}
	}
	clear(i.events)
}

// bottomUp orders the functions of the package so that callees come before
// their callers where there is no recursion.
func (i *Info) bottomUp() []*ssa.Function {
	var order []*ssa.Function
	done := make(map[*ssa.Function]bool)
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) {
		if done[fn] || len(fn.Blocks) == 0 {
			return
		}
		done[fn] = true
		for _, literal := range fn.AnonFuncs {
			visit(literal)
		}
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				if call, ok := instr.(ssa.CallInstruction); ok {
					for _, callee := range i.calls.Callees(call).Funcs {
						visit(callee)
					}
				}
			}
		}
		order = append(order, fn)
	}
	for _, fn := range i.calls.Funcs {
		visit(fn)
	}
	return order
}

// concerns reports whether a function is handed a context or what cancels one.
func concerns(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool {
		return kubeapi.IsContext(p.Type()) || kubeapi.IsCancel(p.Type())
	})
}

// behaviourOf summarises one function; nil if there is nothing to tell.
func (i *Info) behaviourOf(fn *ssa.Function) *Behaviour {
	b := new(Behaviour)
	i.ownCancels(fn, b)
	if concerns(fn) {
		g := i.Graph(fn)
		i.waits(fn, g, b)
		i.needs(fn, g, b)
		i.timeouts(fn, b)
		i.lends(fn, b)
	}
	if b.isZero() {
		return nil
	}
	return b
}

// ownCancels finds what a function does with functions that cancel contexts:
// those in fields of its receiver are called, its parameters are kept.
func (i *Info) ownCancels(fn *ssa.Function, b *Behaviour) {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			switch instr := instr.(type) {
			case ssa.CallInstruction:
				common := instr.Common()
				if common.IsInvoke() || !kubeapi.IsCancel(common.Value.Type()) || fn.Signature.Recv() == nil {
					continue
				}
				if load, ok := common.Value.(*ssa.UnOp); ok {
					if addr, ok := load.X.(*ssa.FieldAddr); ok && i.base(addr.X) == fn.Params[0] {
						b.CancelsOwn = true
					}
				}
			case *ssa.Store:
				if _, ok := instr.Addr.(*ssa.FieldAddr); ok && kubeapi.IsCancel(instr.Val.Type()) {
					if _, ok := i.value(instr.Val).(*ssa.Parameter); ok {
						b.KeepsCancel = true
					}
				}
			}
		}
	}
}

// value sees through a captured variable.
func (i *Info) value(v ssa.Value) ssa.Value {
	if change, ok := v.(*ssa.ChangeType); ok {
		v = change.X
	}
	return i.base(v)
}

// waits finds the parameters that have ended when the function returns.
func (i *Info) waits(fn *ssa.Function, g *flow.Graph, b *Behaviour) {
	for index, p := range fn.Params {
		if !kubeapi.IsContext(p.Type()) && !kubeapi.IsStopChannel(p.Type()) && !kubeapi.IsCancel(p.Type()) {
			continue
		}
		if kubeapi.IsCancel(p.Type()) {
			if i.calledAlways(g, p) {
				b.Cancels = append(b.Cancels, index)
			}
			continue
		}
		ended := i.endedAt(g, p)
		if ended == nil {
			continue
		}
		always, ok, returns := true, true, false
		for _, n := range g.Nodes {
			ret, isReturn := n.Instr.(*ssa.Return)
			if !isReturn || n.Frame.Parent != nil || !ended.Reached(n) {
				continue
			}
			returns = true
			if ended.Sure(n) {
				continue
			}
			always = false
			if !i.fails(ret) && !i.passesOn(ret, p) {
				ok = false
			}
		}
		switch {
		case !returns:
		case always:
			b.Waits = append(b.Waits, index)
		case ok:
			b.WaitsOK = append(b.WaitsOK, index)
		}
	}
}

// fails reports whether a return surely returns an error.
func (i *Info) fails(ret *ssa.Return) bool {
	if len(ret.Results) == 0 {
		return false
	}
	err := ret.Results[len(ret.Results)-1]
	if !kubeapi.IsError(err.Type()) {
		return false
	}
	switch err := err.(type) {
	case *ssa.MakeInterface:
		return true
	case *ssa.Call:
		if callee := kubeapi.Callee(err.Common()); callee != nil && (callee.FullName() == "fmt.Errorf" || callee.FullName() == "errors.New") {
			return true
		}
	}
	// Returned where it was just found not to be nil.
	block := ret.Block()
	if len(block.Preds) != 1 {
		return false
	}
	branch, ok := block.Preds[0].Instrs[len(block.Preds[0].Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	compare, ok := branch.Cond.(*ssa.BinOp)
	return ok && compare.X == err && isNil(compare.Y) && (compare.Op.String() == "!=") == (block.Preds[0].Succs[0] == block)
}

// passesOn reports whether a return hands on the error of a call that succeeds
// only when the context id has ended.
func (i *Info) passesOn(ret *ssa.Return, id ID) bool {
	if len(ret.Results) == 0 {
		return false
	}
	err := ret.Results[len(ret.Results)-1]
	if extract, ok := err.(*ssa.Extract); ok {
		err = extract.Tuple
	}
	call, ok := err.(*ssa.Call)
	return ok && slices.Contains(i.endsIfOK(call), id)
}

// calledAlways reports whether a function that is a parameter is called, or
// its call deferred, on every path.
func (i *Info) calledAlways(g *flow.Graph, p *ssa.Parameter) bool {
	var calls []*flow.Node
	for _, n := range g.Nodes {
		if call := runs(n); call != nil && !call.Common().IsInvoke() && i.value(call.Common().Value) == ssa.Value(p) {
			calls = append(calls, n)
		}
	}
	if len(calls) == 0 {
		return false
	}
	seen := make([]bool, len(g.Nodes))
	stack := []*flow.Node{g.Entry}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n == nil || seen[n.Index()] || slices.Contains(calls, n) {
			continue
		}
		seen[n.Index()] = true
		if g.IsExit(n) {
			return false
		}
		stack = append(stack, n.Succs...)
	}
	return true
}

// needs finds the first operation on each parameter that fails if the
// parameter has ended: those that are reached without asking whether it has.
func (i *Info) needs(fn *ssa.Function, g *flow.Graph, b *Behaviour) {
	for index, p := range fn.Params {
		if !kubeapi.IsContext(p.Type()) {
			continue
		}
		seen := make([]bool, len(g.Nodes))
		queue := []*flow.Node{g.Entry}
		for len(queue) > 0 {
			n := queue[0]
			queue = queue[1:]
			if n == nil || seen[n.Index()] {
				continue
			}
			seen[n.Index()] = true
			if i.Checks(n, p) {
				continue
			}
			if use, ok := i.UseOf(n); ok && use.Ctx != nil && !use.Derives && i.Covers(use.Ctx, p) {
				need := Need{Param: index, What: use.What, Where: use.Where}
				if need.What == "" {
					need.What, need.Where = calleeName(use.Call), i.Where(use.Call)
				}
				b.Needs = append(b.Needs, need)
				break
			}
			queue = append(queue, n.Succs...)
		}
	}
}

func calleeName(call ssa.CallInstruction) string {
	if callee := kubeapi.Callee(call.Common()); callee != nil {
		return callee.Name()
	}
	return "the call"
}

// Where names the place of an instruction for messages in other packages.
func (i *Info) Where(instr ssa.Instruction) string {
	at := i.pass.Fset.Position(instr.Pos())
	return fmt.Sprintf("%s:%d", path.Join(path.Base(i.pass.Pkg.Path()), filepath.Base(at.Filename)), at.Line)
}

// timeouts finds the timeouts that are given to parameters.
func (i *Info) timeouts(fn *ssa.Function, b *Behaviour) {
	var visit func(at *ssa.Function)
	visit = func(at *ssa.Function) {
		for _, block := range at.Blocks {
			for _, instr := range block.Instrs {
				call, ok := instr.(*ssa.Call)
				if !ok {
					continue
				}
				if t, ok := i.TimeoutAt(call); ok && t.Known {
					i.give(fn, b, t.Parent, Given{After: t.After, Where: i.Where(call)}, call)
					continue
				}
				inner := i.Of(call)
				if inner == nil || !i.soleCaller(call) {
					continue
				}
				operands := kubeapi.Operands(call.Common())
				for _, given := range inner.Timeouts {
					if given.Param < len(operands) {
						i.give(fn, b, operands[given.Param], given, call)
					}
				}
			}
		}
		for _, literal := range at.AnonFuncs {
			visit(literal)
		}
	}
	visit(fn)
}

// soleCaller reports whether nobody else calls what a call runs, so that the
// caller can answer for it.
func (i *Info) soleCaller(call *ssa.Call) bool {
	targets := i.calls.Callees(call)
	if !targets.Closed || len(targets.Funcs) != 1 {
		return false
	}
	fn := targets.Funcs[0]
	return fn.Object() != nil && !fn.Object().Exported() && len(i.calls.Callers(fn)) == 1
}

// give records a timeout if the context is a parameter of fn.
func (i *Info) give(fn *ssa.Function, b *Behaviour, ctx ssa.Value, given Given, call *ssa.Call) {
	lineages := i.Lineages(ctx)
	if len(lineages) != 1 || len(b.Timeouts) >= maxKept {
		return
	}
	p, ok := lineages[0].Root.(*ssa.Parameter)
	if !ok || p.Parent() != fn {
		return
	}
	given.Param = slices.Index(fn.Params, p)
	outer := lineages[0].Tightest()
	if given.Param < 0 || outer != nil && outer.After <= given.After {
		return
	}
	given.Only = ctx == ssa.Value(p) && usedOnce(p)
	b.Timeouts = append(b.Timeouts, given)
}

func usedOnce(p *ssa.Parameter) bool {
	uses := 0
	for _, ref := range *p.Referrers() {
		if _, debug := ref.(*ssa.DebugRef); !debug {
			uses++
		}
	}
	return uses == 1
}

// Timeout is a call that gives a timeout to a context.
type Timeout struct {
	Call   *ssa.Call
	Parent ssa.Value
	After  time.Duration
	Known  bool
	Limit  ssa.Value // the duration; nil if it is computed from a time
	// Derives tells that the call returns the context with the timeout.
	Derives bool
}

// TimeoutAt returns the timeout that a call gives to one of its arguments:
// context.WithTimeout and its like, helpers that call it, pollers, HTTP clients.
func (i *Info) TimeoutAt(call *ssa.Call) (Timeout, bool) {
	common := call.Common()
	t := Timeout{Call: call}
	callee := kubeapi.Callee(common)
	if parent, limit, _, ok := kubeapi.PollTimeout(common); ok {
		t.Parent, t.Limit = parent, limit
		t.After, t.Known = i.contexts.Duration(limit)
		if t.Known && t.After == 0 && callee.Name() != "PollUntilContextTimeout" {
			return Timeout{}, false // none
		}
		return t, true
	}
	if parent, limit, ok := kubeapi.OptionalTimeout(common); ok {
		t.Parent, t.Limit, t.Derives = parent, limit, true
		t.After, t.Known = i.contexts.Duration(limit)
		return t, !t.Known || t.After > 0
	}
	if request, limit, ok := kubeapi.ClientTimeout(common); ok {
		t.Parent, t.Limit = kubeapi.RequestContext(i.base(request)), limit
		t.After, t.Known = i.contexts.Duration(limit)
		return t, t.Parent != nil && (!t.Known || t.After > 0)
	}
	if parent, limit, deadline, ok := kubeapi.TimeoutOf(common); ok && len(i.calls.Callees(call).Funcs) == 0 {
		t.Parent, t.Derives = parent, true
		if deadline {
			t.After, t.Known = i.contexts.Until(limit)
		} else {
			t.Limit = limit
			t.After, t.Known = i.contexts.Duration(limit)
		}
		return t, true
	}
	// A helper that derives the context.
	result := contextResult(call)
	if result == nil {
		return Timeout{}, false
	}
	lineages := i.Lineages(result)
	if len(lineages) != 1 || len(lineages[0].Links) == 0 {
		return Timeout{}, false
	}
	link := lineages[0].Links[0]
	if link.Call != call || link.Kind != contexts.Timeout || lineages[0].Root == ID(call) {
		return Timeout{}, false
	}
	t.Parent, t.After, t.Known, t.Limit, t.Derives = firstContext(common), link.After, link.Known, link.Limit, true
	return t, t.Parent != nil && kubeapi.IsContext(t.Parent.Type())
}

// contextResult returns the result of a call that is a context, or nil.
func contextResult(call *ssa.Call) ssa.Value {
	if kubeapi.IsContext(call.Type()) {
		return call
	}
	if call.Referrers() == nil {
		return nil
	}
	for _, ref := range *call.Referrers() {
		if extract, ok := ref.(*ssa.Extract); ok && kubeapi.IsContext(extract.Type()) {
			return extract
		}
	}
	return nil
}

// export tells other packages what the functions of this one do.
func (i *Info) export() {
	for _, fn := range i.calls.Funcs {
		obj, ok := fn.Object().(*types.Func)
		if b := i.behaviour[fn]; ok && b != nil && obj.Pkg() == i.pass.Pkg {
			i.pass.ExportObjectFact(obj, b)
		}
	}
}
