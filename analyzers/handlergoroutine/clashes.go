package handlergoroutine

import (
	"fmt"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/goroutines"
	"github.com/opvet/opvet/internal/passes/objects"
)

// clash is a place at which a function changes an object of a kind, while a goroutine that it
// has started and does not wait for writes that.
type clash struct {
	at   ssa.Instruction
	kind string
}

// clashOf finds a change of what a goroutine writes by those who started it, or nil.
func clashOf(summaries *objects.Summaries, leak *goroutines.Leak) *clash {
	if leak.Spawn == nil || leak.Synchronised() {
		return nil
	}
	for _, body := range leak.Spawn.Bodies {
		if c := changedMeanwhile(summaries, leak, body); c != nil {
			return c
		}
	}
	return nil
}

// comesAfter reports whether an instruction of the same function may run once another one has,
// for the same value of those that made makes round by round.
func comesAfter(first, then ssa.Instruction, made ssa.Instruction) bool {
	if made == nil {
		return blocks.Follows(first, then)
	}
	return blocks.FollowsInRound(first, then, made)
}

// changedMeanwhile looks for an object that the body of a goroutine writes to the API server,
// and those change who have started it.
func changedMeanwhile(summaries *objects.Summaries, leak *goroutines.Leak, body *ssa.Function) *clash {
	for instr := range blocks.Instrs(body) {
		for _, written := range summaries.Events(instr) {
			if written.Kind != objects.Written || written.ViaCopy || written.Type == nil || isElement(written.Place.Object) {
				continue
			}
			if c := changedAfter(summaries, leak, written); c != nil {
				return c
			}
		}
	}
	return nil
}

func changedAfter(summaries *objects.Summaries, leak *goroutines.Leak, written objects.Event) *clash {
	object := written.Place.Object
	for i := len(leak.Chain) - 1; i >= 0; i-- {
		at := leak.Chain[i]
		if param, ok := object.Root.(*ssa.Parameter); ok && param.Parent() != at.Parent() && object.Path == "" {
			arg := calls.ArgumentOf(at, param)
			if arg == nil {
				return nil
			}
			object = summaries.Resolve.Place(arg).Object
		}
		made, _ := object.Root.(ssa.Instruction)
		if isElement(object) || made != nil && made.Parent() != at.Parent() {
			return nil
		}
		for instr := range blocks.Instrs(at.Parent()) {
			if instr == at || !comesAfter(at, instr, made) {
				continue
			}
			for _, e := range summaries.Events(instr) {
				changes := e.Kind == objects.Mutated || e.Kind == objects.Written && e.Write.InMemory && !e.ViaCopy
				if changes && e.Place.Object == object {
					return &clash{at: instr, kind: written.Type.Obj().Name()}
				}
			}
		}
	}
	return nil
}

// isElement reports whether an object is one of a list, each of which goes by the same name.
func isElement(o paths.Object) bool { return o.Index != nil || strings.Contains(o.Path, "[]") }

// message says what happens.
func (c *clash) message(fset *token.FileSet, entry *entrypoints.Entry, leak *goroutines.Leak) string {
	return worded(entry, leak, func(who string) string {
		return fmt.Sprintf("%s changes the %s on line %d while a goroutine it started writes it: a crash, or half of it is stored; write it inline",
			who, c.kind, fset.Position(blocks.Position(c.at)).Line)
	})
}

// missedMessage says that the result of a goroutine is not there where it is read.
func missedMessage(fset *token.FileSet, entry *entrypoints.Entry, leak *goroutines.Leak) string {
	return worded(entry, leak, func(who string) string {
		return fmt.Sprintf("%s reads %s on %s while the goroutine that sets it still runs: its result is missed, and they race; wait for it",
			who, leak.Missed.Variable, place(fset, leak, leak.Missed.Pos, leak.Missed.Where))
	})
}
