// Package units finds timeouts whose number is in another unit than nanoseconds, so that they
// have passed before anything is done.
package units

import (
	"go/token"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// maxSteps bounds the conversions and variables between a number and the timeout.
const maxSteps = 8

// Mistaken reports whether a timeout is a number in another unit. unit is the method that has
// told the number, such as Seconds; it is empty for a constant.
func Mistaken(graph *calls.Graph, info *deadlines.Deadlines, t deadlines.Timeout) (unit string, ok bool) {
	if t.Limit == nil {
		return "", false
	}
	// One nanosecond is written by who wants a context that has ended.
	if t.Known {
		return "", t.After > time.Nanosecond && t.After < time.Microsecond
	}
	v := t.Limit
	for range maxSteps {
		if call, isCall := v.(*ssa.Call); isCall {
			unit := kubeapi.CountOf(call.Common())
			return unit, unit != ""
		}
		from := kubeapi.Converted(v)
		if convert, isConvert := v.(*ssa.Convert); isConvert {
			from = convert.X
		}
		if load, isLoad := v.(*ssa.UnOp); isLoad && load.Op == token.MUL {
			from = held(graph, info, load)
		}
		if from == nil {
			return "", false
		}
		v = from
	}
	return "", false
}

// held returns the only value that a variable or field has, or nil.
func held(graph *calls.Graph, info *deadlines.Deadlines, load *ssa.UnOp) ssa.Value {
	values := info.Variable(load)
	if field := calls.FieldAt(load.X); field != nil && !field.Exported() {
		values = graph.Stored(field)
	}
	if len(values) != 1 {
		return nil
	}
	return values[0]
}
