package cached

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

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
			}
			if e.via != nil && o.here(e.via.pos) {
				v.InnerPos = e.via.pos
			}
			found = append(found, v)
		}
	}
	return found
}

// Expression is what an instruction writes to, as the source has it.
func (o *Objects) Expression(instr ssa.Instruction) string { return o.expression(instr) }

// here reports whether a position lies in the package: not all drivers can tell
// those of others.
func (o *Objects) here(pos token.Pos) bool {
	return slices.ContainsFunc(o.pass.Files, func(file *ast.File) bool { return file.FileStart <= pos && pos <= file.FileEnd })
}
