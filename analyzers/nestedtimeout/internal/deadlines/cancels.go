package deadlines

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// CancelledBy returns the context that a function of type context.CancelFunc
// cancels, or nil if that cannot be told.
func (i *Deadlines) CancelledBy(fn ssa.Value) ID {
	same := values.Relation{Steps: values.Converted, More: func(v ssa.Value) []ssa.Value {
		if inner := i.calls.Returned(v); inner != nil {
			return []ssa.Value{inner}
		}
		switch v := v.(type) {
		case *ssa.FreeVar:
			if bound := i.calls.Binding(v); bound != nil {
				return []ssa.Value{bound}
			}
		case *ssa.UnOp:
			stored := slices.DeleteFunc(i.Variable(v), calls.IsNil)
			if len(stored) == 1 && i.setBefore(v, stored[0]) {
				return stored
			}
		}
		return nil
	}}
	switch v := same.End(fn).(type) {
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
	case *ssa.UnOp:
		return i.pairedField(v)
	case *ssa.Parameter:
		return i.pairedParam(v)
	}
	return nil
}

// pairedParam returns the context that a parameter cancels: that which is
// handed to the function along with it, if there is just one of each.
func (i *Deadlines) pairedParam(p *ssa.Parameter) ID {
	var ctx ID
	for _, q := range p.Parent().Params {
		switch {
		case kubeapi.IsContext(q.Type()) && ctx != nil, kubeapi.IsCancel(q.Type()) && q != p:
			return nil
		case kubeapi.IsContext(q.Type()):
			ctx = q
		}
	}
	return ctx
}

// pairedField returns the context that a field of a struct cancels: that in
// another field, if there is just one of each.
func (i *Deadlines) pairedField(load *ssa.UnOp) ID {
	addr, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	s, ok := kubeapi.Deref(addr.X.Type()).Underlying().(*types.Struct)
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
func (i *Deadlines) groupOf(callee *types.Func, common *ssa.CallCommon) ID {
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
func (i *Deadlines) closes(call ssa.CallInstruction, callee *types.Func) ID {
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
func (i *Deadlines) makers(v ssa.Value) []*ssa.Call {
	made := values.Relation{Steps: values.Converted | values.Merged, More: func(v ssa.Value) []ssa.Value {
		if inner := i.calls.Returned(v); inner != nil {
			return []ssa.Value{inner}
		}
		switch v := v.(type) {
		case *ssa.FieldAddr:
			// The method of an embedded struct.
			if field := calls.FieldOf(v.X.Type(), v.Field); field != nil && field.Embedded() {
				return []ssa.Value{v.X}
			}
		case *ssa.UnOp:
			if addr, ok := v.X.(*ssa.FieldAddr); ok && v.Op == token.MUL {
				return []ssa.Value{addr}
			}
			return i.Variable(v)
		}
		return nil
	}}
	var found []*ssa.Call
	for end := range made.Ends(v) {
		if !calls.IsNil(end) {
			call, _ := calls.CallOf(end)
			found = append(found, call)
		}
	}
	return found
}

// owns returns the context that an object made by call can cancel.
func (i *Deadlines) owns(call *ssa.Call) ID {
	if call == nil {
		return nil
	}
	if callee := kubeapi.Callee(call.Common()); i.isOwn(callee) {
		if b := i.Of(call); b == nil || !b.KeepsCancel {
			return nil
		}
	}
	if cancel := firstOf(call.Common(), kubeapi.IsCancel); cancel != nil {
		return i.CancelledBy(cancel)
	}
	return nil
}
