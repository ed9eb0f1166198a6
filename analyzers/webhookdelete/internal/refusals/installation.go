package refusals

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// isOfInstallation reports whether a call reads an object whose name and namespace do not depend on
// the one that the webhook is asked about: it is part of how the operator is installed, or the only one of its kind,
// and goes with the operator at the earliest.
func (w Walk) isOfInstallation(call *ssa.Call, read ssa.Value) bool {
	made := values.Relation{Calls: w.Sums.Calls, Steps: values.All, More: partsOf}
	for _, operand := range kubeapi.Operands(call.Common()) {
		if operand != read && !kubeapi.IsContext(operand.Type()) && made.Any(operand, w.isAsked) {
			return false
		}
	}
	return true
}

// isAsked reports whether a value is, or may be of, the object that the webhook is asked about.
func (w Walk) isAsked(v ssa.Value) bool {
	if kubeapi.IsAdmissionRequest(v.Type()) || kubeapi.IsObject(v.Type()) {
		return true
	}
	switch v := v.(type) {
	case *ssa.FreeVar:
		return true
	case *ssa.Parameter:
		args, _ := w.Sums.Calls.Arguments(v)
		return len(args) == 0 && !calls.IsReceiver(v) && !hasClient(v) && !kubeapi.IsContext(v.Type())
	}
	return false
}

// partsOf are what is stored into the fields of a struct, and what is handed to a call that returns
// something.
func partsOf(v ssa.Value) []ssa.Value {
	if call, _ := calls.CallOf(v); call != nil {
		return kubeapi.Operands(call.Common())
	}
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	if cell, ok := v.(*ssa.Alloc); ok {
		return storedWithin(cell)
	}
	return nil
}

// storedWithin are what is stored into a variable, or into its fields.
func storedWithin(cell *ssa.Alloc) []ssa.Value {
	found := calls.StoredInto(cell)
	for field := range blocks.UsesOf[*ssa.FieldAddr](cell) {
		found = append(found, calls.StoredInto(field)...)
	}
	return found
}
