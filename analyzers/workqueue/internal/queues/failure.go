package queues

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Reason is why an instruction runs, as far as the branches that lead to it on
// every path tell.
type Reason struct {
	// Err is an error that is known not to be nil, or nil.
	Err ssa.Value
	// Kind tells that a certain kind of error is asked for.
	Kind bool
	// Invalid tells that a type assertion has failed.
	Invalid bool
	// Retries tells that an item has been tried more than so many times.
	Retries bool
	// Asked tells that the caller has asked for it: by a boolean argument, or a
	// boolean field of an argument.
	Asked bool
}

// AfterFailure reports whether an instruction runs only because something has
// failed.
func AfterFailure(at ssa.Instruction) bool {
	why := ReasonFor(at)
	return why.Err != nil || why.Kind || why.Retries
}

// Ordinary reports whether an instruction runs in the ordinary course of
// events: nothing has failed, and the caller has not asked for it.
func Ordinary(at ssa.Instruction) bool { return !AfterFailure(at) && !ReasonFor(at).Asked }

// IsSuccess reports whether nothing has failed, and nothing was given up.
func (w Reason) IsSuccess() bool { return w.Err == nil && !w.Kind && !w.Invalid && !w.Retries }

// ReasonFor tells why an instruction runs.
func ReasonFor(at ssa.Instruction) Reason {
	var why Reason
	for branch, held := range blocks.Decided(at.Block()) {
		why.learn(branch.Cond, held)
	}
	return why
}

func (w *Reason) learn(cond ssa.Value, holds bool) {
	if ofParameter(cond) {
		w.Asked = true
	}
	cond, holds = values.Asked(cond, holds)
	switch c := cond.(type) {
	case *ssa.Extract:
		if _, ok := c.Tuple.(*ssa.TypeAssert); ok && c.Index == 1 && !holds {
			w.Invalid = true
		}
	case *ssa.Call:
		for _, arg := range kubeapi.Operands(c.Common()) {
			if kubeapi.IsError(arg.Type()) && holds {
				w.Kind = true
			}
		}
	case *ssa.BinOp:
		w.compared(c, holds)
	}
}

// ofParameter reports whether a boolean is a parameter, or a field of one. A field of the
// receiver is how the controller is configured.
func ofParameter(v ssa.Value) bool {
	of := values.Relation{Steps: values.Selected | values.Address, More: values.StoredOnce, Until: func(v ssa.Value) bool {
		field, ok := v.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		p, ok := field.X.(*ssa.Parameter)
		return ok && calls.IsReceiver(p)
	}}
	asked, _ := values.Asked(v, true)
	_, ok := of.End(asked).(*ssa.Parameter)
	return ok
}

func (w *Reason) compared(c *ssa.BinOp, holds bool) {
	if x, ok := nonNil(c.X, c.Y); ok {
		if kubeapi.IsError(x.Type()) && (c.Op == token.NEQ) == holds && (c.Op == token.NEQ || c.Op == token.EQL) {
			w.Err = x
		}
		return
	}
	if kubeapi.IsError(c.X.Type()) && kubeapi.IsError(c.Y.Type()) {
		w.Kind = w.Kind || (c.Op == token.EQL) == holds // one of the package's own errors
		return
	}
	greater, limit := c.Op == token.GTR || c.Op == token.GEQ, c.Y
	less := c.Op == token.LSS || c.Op == token.LEQ
	switch {
	case IsRequeues(c.Y):
		greater, less, limit = less, greater, c.X
	case !IsRequeues(c.X):
		return
	}
	w.Retries = w.Retries || greater && holds && !literals.IsZero(limit) || less && !holds
}

// IsRequeues reports whether v is what NumRequeues says.
func IsRequeues(v ssa.Value) bool {
	if convert, ok := v.(*ssa.Convert); ok {
		v = convert.X
	}
	call, ok := v.(*ssa.Call)
	return ok && kubeapi.QueueVerbOf(kubeapi.Callee(call.Common())) == kubeapi.QueueNumRequeues
}

// nonNil returns the operand of a comparison whose other operand is nil.
func nonNil(x, y ssa.Value) (ssa.Value, bool) {
	switch {
	case calls.IsNil(y):
		return x, true
	case calls.IsNil(x):
		return y, true
	}
	return nil, false
}
