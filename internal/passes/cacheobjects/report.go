package cacheobjects

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Violation is a write to an object of a cache.
type Violation struct {
	Origin Origin
	Instr  ssa.Instruction
	// How is what the write does: one of kubeapi's Write… constants.
	How string
	// Target is the value that is written to or handed to a helper; nil for what
	// a function is called back with.
	Target ssa.Value
	// Helper is the function that the instruction calls and that writes, perhaps
	// through others; empty if the instruction itself writes.
	Helper string
	// Inner is the write itself, if a helper writes.
	Inner *Write
	// InnerPos is where that is, if in this package.
	InnerPos token.Pos
	// Impact is what the write does to others.
	Impact Impact
	// Sent tells how the object is sent to the API server after the change, here or in the
	// helper.
	Sent Sending
	// Capacity tells that it is an append, which overwrites shared memory only
	// if the slice's array is longer than the slice.
	Capacity bool
}

// Writes lists the writes to objects of a cache that the package makes, itself
// or through helpers, in source order within a function.
func (o *Objects) Writes() []Violation {
	var found []Violation
	for _, fn := range o.order {
		u := o.units[fn]
		var events []*event
		for _, e := range u.allEvents() {
			if e.from.src.kind != kubeapi.NoCacheSource {
				events = append(events, e)
			}
		}
		u.confirm(events)
		for _, e := range events {
			if !e.confirmed {
				continue
			}
			v := Violation{
				Origin: e.from.public(), Instr: e.instr, How: e.how, Target: e.target, Helper: e.fn, Inner: e.via, Capacity: e.doubtful,
				Impact: e.impact(e.instr), Sent: u.sentBy(e),
			}
			// Not all drivers can tell the positions of other packages.
			if e.via != nil && syntax.FileOf(o.pass.Files, e.via.pos) != nil {
				v.InnerPos = e.via.pos
			}
			found = append(found, v)
		}
	}
	return found
}

// TakesOwn reports whether the package also hands objects of its own, new ones or
// copies, to the function that makes a write: then it is there to change what it
// is handed, and each who hands it another one makes a mistake of their own.
func (o *Objects) TakesOwn(w *Write) bool {
	for fn, sum := range o.local {
		for i, param := range sum.Params {
			if slices.ContainsFunc(param.Writes, func(of Write) bool { return of.direct && of.pos == w.pos }) && o.isHandedOwn(fn, i, 0) {
				return true
			}
		}
	}
	return false
}

// maxHanded bounds the calls through which a parameter is handed on.
const maxHanded = 4

func (o *Objects) isHandedOwn(fn *ssa.Function, param, depth int) bool {
	if depth > maxHanded {
		return false
	}
	for _, call := range o.Calls.Callers(fn) {
		ops := kubeapi.Operands(call.Common())
		u := o.units[paths.Outermost(call.Parent())]
		if u == nil || param >= len(ops) {
			continue
		}
		origins := u.get(ops[param])
		if len(origins) == 0 || slices.ContainsFunc(origins, func(from origin) bool {
			return from.src.fn != nil && from.src.fn != fn && o.isHandedOwn(from.src.fn, from.src.param, depth+1)
		}) {
			return true
		}
	}
	return false
}
