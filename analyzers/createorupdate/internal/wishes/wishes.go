// Package wishes tells what is made of the spec of a custom resource: what somebody wishes, and
// may wish otherwise tomorrow.
package wishes

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/createorupdate/internal/parts"
	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Analyzer finds what reads a spec; its result is a *[Table].
var Analyzer = facts.Pass("opvetwishes", "tell which functions read the spec of a custom resource", maxRounds, summarise)

// maxRounds bounds how often functions are looked at again.
const maxRounds = 3

// Reads is the fact on a function that reads the spec of a custom resource, itself or through
// functions that it calls.
type Reads struct{ Spec bool }

// AFact marks Reads as a fact.
func (*Reads) AFact() {}

// IsZero reports whether nothing is known.
func (f *Reads) IsZero() bool { return !f.Spec }

// A Table has what is known of functions.
type Table = facts.Table[Reads, *Reads]

func summarise(t *Table, fn *ssa.Function) *Reads {
	return &Reads{blocks.Any(fn, func(v ssa.Value) bool { return isSpec(v) && isRead(v) || readsElsewhere(t, v) })}
}

func readsElsewhere(t *Table, v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	return ok && len(t.At(call)) > 0
}

// isSpec reports whether a value is the spec of a custom resource, or its address.
func isSpec(v ssa.Value) bool {
	if field := calls.FieldAt(v); field == nil || field.Name() != "Spec" {
		return false
	}
	of, _ := values.Relation{Steps: values.Selected}.Sources(v)
	kind := kubeapi.KindOf(of[0].Type())
	return kind != nil && !kubeapi.IsBuiltin(kubeapi.KindID(kind))
}

// isRead reports whether nothing is stored into a field, as into that of an object which is made.
func isRead(v ssa.Value) bool {
	addr, ok := v.(*ssa.FieldAddr)
	return !ok || !blocks.IsStoredTo(addr)
}

// Reader answers for one package.
type Reader struct {
	Calls *calls.Graph
	Table *Table
}

// Has reports whether a value, or a part of it, comes from the spec of a custom resource. What
// somebody else was asked for, under a context, does not.
func (r *Reader) Has(v ssa.Value) bool {
	of := values.Relation{Calls: r.Calls, Steps: values.All, More: func(v ssa.Value) []ssa.Value {
		if call, _ := calls.CallOf(v); call != nil && slices.ContainsFunc(call.Call.Args, func(arg ssa.Value) bool { return kubeapi.IsContext(arg.Type()) }) {
			return nil
		}
		return parts.Of(r.Calls, v)
	}}
	return of.Any(v, func(v ssa.Value) bool {
		call, _ := calls.CallOf(v)
		return isSpec(v) || call != nil && readsElsewhere(r.Table, call)
	})
}
