package lists

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// readsCache reports whether a client is taken for a manager's, which reads from the cache. One
// that a function answers beside an error was made there, most likely for another cluster, and of
// two clients in one struct either may be such a one.
func (c In) readsCache(client ssa.Value) bool {
	return kubeapi.MayReadCache(client) && !values.Relation{Calls: c.Sums.Calls, Steps: values.Package}.Any(client, func(v ssa.Value) bool {
		return isAnsweredWithError(v) || isOneOfTwo(v)
	})
}

func isAnsweredWithError(v ssa.Value) bool {
	extract, ok := v.(*ssa.Extract)
	if !ok {
		return false
	}
	_, call := extract.Tuple.(*ssa.Call)
	return call && kubeapi.AnyIs(extract.Tuple.Type().(*types.Tuple), kubeapi.IsError)
}

// isOneOfTwo reports whether a client was loaded from a field beside which there is another
// client. An embedded one is what its struct is about.
func isOneOfTwo(v ssa.Value) bool {
	field := calls.LoadedField(v)
	if field == nil || field.Embedded() {
		return false
	}
	return slices.ContainsFunc(calls.FieldsBeside(v), func(other *types.Var) bool { return types.Identical(other.Type(), field.Type()) })
}
