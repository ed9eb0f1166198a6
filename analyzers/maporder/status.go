package maporder

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/maporder/internal/unordered"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// doesHarm reports whether another order of what an object gets leads to something: of the
// spec, that it is written again or compared. A list in the status starts nothing by itself;
// it has to be compared in its order, so that each other order is a write. Texts there are
// for people; another one counts if the package itself asks whether the text has changed.
func doesHarm(sums *objects.Summaries, e unordered.End) bool {
	field, ok := e.Addr.(*ssa.FieldAddr)
	if !ok || sums.Resolve.Place(field).Aspect() != kubeapi.Status && !kubeapi.IsOnlyInStatus(field.X.Type()) {
		return isWrittenAgain(sums, e.Addr, false)
	}
	if kubeapi.IsString(calls.FieldOf(field.X.Type(), field.Field).Type()) {
		return isTextCompared(sums.Calls, field)
	}
	return isWrittenAgain(sums, e.Addr, true)
}

// isTextCompared reports whether a function of the package compares two texts of a field.
func isTextCompared(graph *calls.Graph, field *ssa.FieldAddr) bool {
	of := calls.FieldOf(field.X.Type(), field.Field)
	is := func(v ssa.Value) bool {
		switch v := v.(type) {
		case *ssa.UnOp:
			addr, ok := v.X.(*ssa.FieldAddr)
			return ok && calls.FieldOf(addr.X.Type(), addr.Field) == of
		case *ssa.Field:
			return calls.FieldOf(v.X.Type(), v.Field) == of
		}
		return false
	}
	for _, fn := range graph.Funcs {
		for op := range blocks.InstrsOf[*ssa.BinOp](fn) {
			if (op.Op == token.EQL || op.Op == token.NEQ) && is(op.X) && is(op.Y) {
				return true
			}
		}
	}
	return false
}
