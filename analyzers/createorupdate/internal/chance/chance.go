// Package chance tells which functions make something random or of the moment, themselves
// or through functions that they call: passwords, keys, tokens, certificates. Functions of
// the user's modules say so in a fact.
package chance

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

// Analyzer finds what is made by chance; its result is a *[Table].
var Analyzer = facts.Pass("opvetchance", "tell which functions make something random", maxRounds, summarise)

// maxRounds bounds how often functions are looked at again.
const maxRounds = 3

// Random is the fact on a function that makes something random each time it is called.
type Random struct{ Made bool }

// AFact marks Random as a fact.
func (*Random) AFact() {}

// IsZero reports whether nothing is known.
func (f *Random) IsZero() bool { return !f.Made }

// A Table has what is known of functions.
type Table = facts.Table[Random, *Random]

// summarise leaves out what is given a context: such a function does more than to make a
// value, and what is random in it may be something else's, such as a pause.
func summarise(t *Table, fn *ssa.Function) *Random {
	if slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return kubeapi.IsContext(p.Type()) }) {
		return nil
	}
	return &Random{blocks.Any(fn, func(call *ssa.Call) bool { return makes(t, call) })}
}

// makes reports whether a call makes something random.
func makes(t *Table, call *ssa.Call) bool {
	return kubeapi.MakesSecret(kubeapi.Callee(call.Common())) || slices.ContainsFunc(call.Call.Args, isRandomReader) || len(t.At(call)) > 0
}

// isRandomReader reports whether a value is the source that functions are handed to read
// random bytes from.
func isRandomReader(v ssa.Value) bool {
	return kubeapi.IsVariable(values.Relation{Steps: values.Converted}.End(v), "crypto/rand", "Reader")
}

// Chances answers for one package.
type Chances struct {
	Calls *calls.Graph
	Table *Table
}

// Comes reports whether a value, or a part of it, is random or of the moment, as far as that
// is seen from here.
func (c *Chances) Comes(v ssa.Value) bool {
	of := values.Relation{Calls: c.Calls, Steps: values.All, More: func(v ssa.Value) []ssa.Value { return parts.Of(c.Calls, v) }}
	return of.Any(v, func(v ssa.Value) bool {
		call, _ := calls.CallOf(v)
		return call != nil && (makes(c.Table, call) || kubeapi.TellsTime(kubeapi.Callee(call.Common())))
	})
}
