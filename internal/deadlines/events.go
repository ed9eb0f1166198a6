package deadlines

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/callgraph"
	"github.com/opvet/opvet/internal/flow"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/loops"
)

// How tells what ends a context, or shows that it has ended.
type How uint8

// The ways in which a context is known to have ended.
const (
	// Waited is a receive from its Done channel, a check of its Err, or a call
	// that returns only then.
	Waited How = iota
	// Cancelled is a call of the function that cancels it.
	Cancelled
	// Closed is a call of a method of something that was made with the function
	// that cancels it, and calls it.
	Closed
	// Joined is a call of its group's Wait.
	Joined
)

// End is an instruction after which a context has ended.
type End struct {
	ID  ID
	How How
	Pos token.Pos
	// Sure tells that the context has ended whenever the instruction is left.
	// Otherwise it has, or something has failed.
	Sure bool
}

// endsOf returns the contexts that have ended when a node has run.
func (i *Info) endsOf(n *flow.Node) []End {
	if recv, ok := n.Instr.(*ssa.UnOp); ok && recv.Op == token.ARROW {
		if id := i.doneID(recv.X); id != nil {
			return []End{{ID: id, Pos: recv.Pos(), Sure: true}}
		}
		return nil
	}
	call := runs(n)
	if n.Joins != nil {
		call = n.Joins
	}
	if call == nil {
		return nil
	}
	common := call.Common()
	if until, sure, ok := kubeapi.ReturnsWhenDone(common); ok {
		if id := i.IDOf(until); id != nil {
			return []End{{ID: id, Pos: call.Pos(), Sure: sure}}
		}
		return nil
	}
	if !common.IsInvoke() && kubeapi.IsCancel(common.Value.Type()) {
		if id := i.cancels(common.Value); id != nil {
			return []End{{ID: id, How: Cancelled, Pos: call.Pos(), Sure: true}}
		}
		return nil
	}
	callee := kubeapi.Callee(common)
	if id := i.groupOf(callee, common); id != nil {
		return []End{{ID: id, How: Joined, Pos: call.Pos(), Sure: true}}
	}
	if id := i.closes(call, callee); id != nil {
		return []End{{ID: id, How: Closed, Pos: call.Pos(), Sure: true}}
	}
	return i.endsByCallee(call)
}

// runs returns the call that a node runs: a deferred one when it runs, not
// when it is deferred, and none that a goroutine runs.
func runs(n *flow.Node) ssa.CallInstruction {
	if n.Joins != nil {
		return nil // the call has a node of its own
	}
	switch instr := n.Instr.(type) {
	case *ssa.Call:
		return instr
	case *ssa.Defer:
		if n.Deferred {
			return instr
		}
	}
	return nil
}

// endsByCallee asks what the called function does.
func (i *Info) endsByCallee(call ssa.CallInstruction) []End {
	b := i.Of(call)
	if b == nil {
		return nil
	}
	operands := kubeapi.Operands(call.Common())
	var ends []End
	for _, p := range b.Waits {
		if p < len(operands) {
			if id := i.IDOf(operands[p]); id != nil {
				ends = append(ends, End{ID: id, Pos: call.Pos(), Sure: true})
			}
		}
	}
	for _, p := range b.Cancels {
		if p < len(operands) && kubeapi.IsCancel(operands[p].Type()) {
			if id := i.cancels(operands[p]); id != nil {
				ends = append(ends, End{ID: id, How: Cancelled, Pos: call.Pos(), Sure: true})
			}
		}
	}
	return ends
}

// doneID returns the context whose Done channel ch is, or nil.
func (i *Info) doneID(ch ssa.Value) ID {
	if !kubeapi.IsStopChannel(ch.Type()) {
		return nil
	}
	return i.IDOf(ch)
}

// cancels returns the context that a function cancels, or nil.
func (i *Info) cancels(fn ssa.Value) ID {
	for range maxTrace {
		switch v := fn.(type) {
		case *ssa.ChangeType:
			fn = v.X
		case *ssa.Extract:
			call, ok := v.Tuple.(*ssa.Call)
			if !ok {
				return nil
			}
			for r := range call.Common().Signature().Results().Variables() {
				if kubeapi.IsContext(r.Type()) {
					return call
				}
			}
			return nil
		case *ssa.FreeVar:
			if fn = i.calls.Binding(v); fn == nil {
				return nil
			}
		case *ssa.UnOp:
			if values, ok := i.variable(v); ok {
				values = slices.DeleteFunc(values, isNil)
				if len(values) != 1 || !i.setBefore(v, values[0]) {
					return nil
				}
				fn = values[0]
				continue
			}
			return i.pairedField(v)
		case *ssa.Parameter:
			return i.pairedParam(v)
		default:
			return nil
		}
	}
	return nil
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// pairedParam returns the context that a parameter cancels: that which is
// handed to the function along with it, if there is just one of each.
func (i *Info) pairedParam(p *ssa.Parameter) ID {
	var ctx *ssa.Parameter
	for _, q := range p.Parent().Params {
		switch {
		case kubeapi.IsContext(q.Type()):
			if ctx != nil {
				return nil
			}
			ctx = q
		case kubeapi.IsCancel(q.Type()) && q != p:
			return nil
		}
	}
	if ctx == nil {
		return nil
	}
	return ctx
}

// pairedField returns the context that a field of a struct cancels: that in
// another field, if there is just one of each.
func (i *Info) pairedField(load *ssa.UnOp) ID {
	addr, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	ptr, ok := addr.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	s, ok := ptr.Elem().Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var ctx *types.Var
	cancels := 0
	for field := range s.Fields() {
		switch {
		case kubeapi.IsContext(field.Type()):
			if ctx != nil {
				return nil
			}
			ctx = field.Origin()
		case kubeapi.IsCancel(field.Type()):
			cancels++
		}
	}
	if ctx == nil || cancels != 1 {
		return nil
	}
	return fieldID{i.base(addr.X), ctx}
}

// groupOf returns the context of a group (errgroup.WithContext) whose Wait is
// called: it ends when Wait returns.
func (i *Info) groupOf(callee *types.Func, common *ssa.CallCommon) ID {
	if callee == nil || callee.Name() != "Wait" {
		return nil
	}
	recv, _ := kubeapi.Args(common)
	if recv == nil {
		return nil
	}
	extract, ok := i.base(recv).(*ssa.Extract)
	if !ok || extract.Index != 0 {
		return nil
	}
	call, ok := extract.Tuple.(*ssa.Call)
	if !ok || !kubeapi.GroupContext(call.Common()) {
		return nil
	}
	return call
}

// closes returns the context that the end of an object cancels: the object was
// made by a call that got the function which cancels the context.
func (i *Info) closes(call ssa.CallInstruction, callee *types.Func) ID {
	if !kubeapi.IsStop(callee) {
		return nil
	}
	recv, _ := kubeapi.Args(call.Common())
	if recv == nil {
		return nil
	}
	if i.isOwn(callee) {
		if b := i.Of(call); b == nil || !b.CancelsOwn {
			return nil
		}
	}
	var id ID
	for _, made := range i.makers(recv) {
		owned := i.owns(made)
		if owned == nil || id != nil && id != owned {
			return nil
		}
		id = owned
	}
	return id
}

// makers returns the calls that make the object v; a nil among them for what
// is made otherwise.
func (i *Info) makers(v ssa.Value) []*ssa.Call {
	var calls []*ssa.Call
	seen := make(map[ssa.Value]bool)
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		if seen[v] || isNil(v) || len(seen) > maxVisits {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Extract:
			call, _ := v.Tuple.(*ssa.Call)
			calls = append(calls, call)
		case *ssa.Call:
			calls = append(calls, v)
		case *ssa.Phi:
			for _, edge := range v.Edges {
				visit(edge)
			}
		case *ssa.MakeInterface:
			visit(v.X)
		case *ssa.FieldAddr:
			// The method of an embedded struct.
			if field := callgraph.FieldOf(v.X.Type(), v.Field); field != nil && field.Embedded() {
				visit(v.X)
				return
			}
			calls = append(calls, nil)
		case *ssa.UnOp:
			if addr, ok := v.X.(*ssa.FieldAddr); ok && v.Op == token.MUL {
				visit(addr)
				return
			}
			values, ok := i.variable(v)
			if !ok {
				calls = append(calls, nil)
			}
			for _, value := range values {
				visit(value)
			}
		default:
			calls = append(calls, nil)
		}
	}
	visit(v)
	return calls
}

// owns returns the context that an object made by call can cancel.
func (i *Info) owns(call *ssa.Call) ID {
	if call == nil {
		return nil
	}
	if callee := kubeapi.Callee(call.Common()); i.isOwn(callee) {
		if b := i.Of(call); b == nil || !b.KeepsCancel {
			return nil
		}
	}
	for _, arg := range kubeapi.Operands(call.Common()) {
		if kubeapi.IsCancel(arg.Type()) {
			return i.cancels(arg)
		}
	}
	return nil
}

// EndsOnEdge returns the contexts that have ended when a branch is taken.
func (i *Info) EndsOnEdge(branch *ssa.If, when bool) []End {
	cond := branch.Cond
	for range maxTrace {
		not, ok := cond.(*ssa.UnOp)
		if !ok || not.Op != token.NOT {
			break
		}
		cond, when = not.X, !when
	}
	end := func(ctx ssa.Value, pos token.Pos) []End {
		if id := i.IDOf(ctx); id != nil {
			return []End{{ID: id, Pos: pos, Sure: true}}
		}
		return nil
	}
	if _, state := loops.SelectCase(cond); state != nil {
		if compare := cond.(*ssa.BinOp); compare.Op == token.EQL && when && state.Dir == types.RecvOnly && kubeapi.IsStopChannel(state.Chan.Type()) {
			pos := state.Pos
			if !pos.IsValid() {
				pos = branch.Pos()
			}
			return end(state.Chan, pos)
		}
		return nil
	}
	switch cond := cond.(type) {
	case *ssa.BinOp:
		ctx := askedErr(cond.X)
		other := cond.Y
		if ctx == nil {
			ctx, other = askedErr(cond.Y), cond.X
		}
		if ctx == nil {
			return i.waitedFor(cond, when)
		}
		// Err() != nil, or Err() == context.DeadlineExceeded.
		if isNil(other) && (cond.Op == token.NEQ) == when || !isNil(other) && (cond.Op == token.EQL) == when {
			return end(ctx, cond.Pos())
		}
	case *ssa.Call:
		if until, ok := kubeapi.IsCacheSync(cond.Common()); ok {
			if !when {
				return end(until, cond.Pos())
			}
			return nil
		}
		if callee := kubeapi.Callee(cond.Common()); when && callee != nil && callee.FullName() == "errors.Is" {
			if ctx := askedErr(cond.Common().Args[0]); ctx != nil {
				return end(ctx, cond.Pos())
			}
		}
	}
	return nil
}

// askedErr returns the context whose Err or Cause v is, or nil.
func askedErr(v ssa.Value) ssa.Value {
	if ctx := loops.ErrOf(v); ctx != nil {
		return ctx
	}
	call, ok := v.(*ssa.Call)
	if ok && kubeapi.IsFunc(kubeapi.Callee(call.Common()), "context", "Cause") && len(call.Common().Args) == 1 {
		return call.Common().Args[0]
	}
	return nil
}

// waitedFor handles `err == nil` of a function that succeeds only when its
// context has ended.
func (i *Info) waitedFor(cond *ssa.BinOp, when bool) []End {
	err, other := cond.X, cond.Y
	if isNil(err) {
		err, other = other, err
	}
	if !isNil(other) || (cond.Op == token.EQL) != when {
		return nil
	}
	var call *ssa.Call
	switch err := err.(type) {
	case *ssa.Call:
		call = err
	case *ssa.Extract:
		call, _ = err.Tuple.(*ssa.Call)
	}
	if call == nil || !kubeapi.IsError(err.Type()) {
		return nil
	}
	var ends []End
	for _, id := range i.endsIfOK(call) {
		ends = append(ends, End{ID: id, Pos: call.Pos(), Sure: true})
	}
	return ends
}

// endsIfOK returns the contexts that have ended if a call returns no error.
func (i *Info) endsIfOK(call *ssa.Call) []ID {
	if until, _, ok := kubeapi.ReturnsWhenDone(call.Common()); ok {
		if id := i.IDOf(until); id != nil {
			return []ID{id}
		}
		return nil
	}
	b := i.Of(call)
	if b == nil {
		return nil
	}
	operands := kubeapi.Operands(call.Common())
	var ids []ID
	for _, p := range b.WaitsOK {
		if p < len(operands) {
			if id := i.IDOf(operands[p]); id != nil {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// Checks reports whether a node asks if the context id has ended, so that what
// follows can take it into account.
func (i *Info) Checks(n *flow.Node, id ID) bool {
	switch instr := n.Instr.(type) {
	case *ssa.Select:
		for _, state := range instr.States {
			if state.Dir == types.RecvOnly && kubeapi.IsStopChannel(state.Chan.Type()) && i.sees(state.Chan, id) {
				return true
			}
		}
	case *ssa.UnOp:
		return instr.Op == token.ARROW && kubeapi.IsStopChannel(instr.X.Type()) && i.sees(instr.X, id)
	case *ssa.Call:
		if ctx := askedErr(instr); ctx != nil {
			return i.sees(ctx, id)
		}
		// A helper that answers yes or no.
		if basic, ok := instr.Type().(*types.Basic); ok && basic.Kind() == types.Bool && n.Joins == nil {
			ctx := firstContext(instr.Common())
			return ctx != nil && i.isOwn(kubeapi.Callee(instr.Common())) && i.sees(ctx, id)
		}
	}
	return false
}

// sees reports whether the end of ctx tells something about id.
func (i *Info) sees(ctx ssa.Value, id ID) bool {
	return slices.ContainsFunc(i.Lineages(ctx), func(l Lineage) bool { return l.Root == nil || l.Has(id) })
}

// Renews reports whether a node makes the context id anew.
func (i *Info) Renews(n *flow.Node, id ID) bool {
	switch instr := n.Instr.(type) {
	case *ssa.Call:
		return n.Joins == nil && ID(instr) == id
	case *ssa.Store:
		field, ok := id.(fieldID)
		if !ok {
			return false
		}
		addr, ok := instr.Addr.(*ssa.FieldAddr)
		return ok && callgraph.FieldOf(addr.X.Type(), addr.Field) == field.field
	}
	return false
}

// Use is a place that needs a context that has not ended.
type Use struct {
	Call ssa.CallInstruction
	// Ctx is the context that the call gets.
	Ctx ssa.Value
	// Derives tells that the call gives the context a timeout.
	Derives bool
	// What is the operation that needs it, if it is not the call itself but
	// something that the called function does: "Update", at Where.
	What, Where string
}

// UseOf returns what a node needs a context for that has not ended.
func (i *Info) UseOf(n *flow.Node) (Use, bool) {
	call := runs(n)
	if call == nil {
		return Use{}, false
	}
	common := call.Common()
	if _, builtin := common.Value.(*ssa.Builtin); builtin {
		return Use{}, false
	}
	if parent, _, _, ok := kubeapi.TimeoutOf(common); ok && !i.isOwn(kubeapi.Callee(common)) {
		return Use{Call: call, Ctx: parent, Derives: true}, true
	}
	if parent, _, ok := kubeapi.OptionalTimeout(common); ok {
		return Use{Call: call, Ctx: parent, Derives: true}, true
	}
	if request, ok := sentRequest(common); ok {
		ctx := kubeapi.RequestContext(i.base(request))
		return Use{Call: call, Ctx: ctx}, ctx != nil
	}
	callee := kubeapi.Callee(common)
	if len(i.calls.Callees(call).Funcs) > 0 || i.isOwn(callee) {
		b := i.Of(call)
		if b == nil {
			return Use{}, false
		}
		operands := kubeapi.Operands(common)
		for _, need := range b.Needs {
			if need.Param < len(operands) && kubeapi.IsContext(operands[need.Param].Type()) {
				return Use{Call: call, Ctx: operands[need.Param], What: need.What, Where: need.Where}, true
			}
		}
		return Use{}, false
	}
	ctx, ok := kubeapi.NeedsLiveContext(common)
	return Use{Call: call, Ctx: ctx}, ok
}

// sentRequest returns the request that an HTTP client sends.
func sentRequest(common *ssa.CallCommon) (ssa.Value, bool) {
	callee := kubeapi.Callee(common)
	if callee == nil || callee.Name() != "Do" && callee.Name() != "RoundTrip" {
		return nil, false
	}
	_, args := kubeapi.Args(common)
	if len(args) != 1 || !kubeapi.IsNamed(args[0].Type(), "net/http", "Request") {
		return nil, false
	}
	return args[0], true
}

// CancelledBy returns the context that a function of type context.CancelFunc
// cancels, or nil if that cannot be told.
func (i *Info) CancelledBy(fn ssa.Value) ID { return i.cancels(fn) }

// Variable returns the values that a load of a local variable can see; none if
// v is no such load or something else may change the variable.
func (i *Info) Variable(v *ssa.UnOp) []ssa.Value {
	values, _ := i.variable(v)
	return values
}
