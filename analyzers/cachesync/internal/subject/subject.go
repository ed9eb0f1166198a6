// Package subject has what all questions of the rule are about: the waits of a package, what uses the caches, and
// what harm that does.
package subject

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachesync/internal/syncs"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/channels"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// The categories.
const (
	Ignored     = "ignored"
	Missing     = "missing"
	InReconcile = "in-reconcile"
	NotStarted  = "not-started"
	Endless     = "endless"
)

// Checker looks at one package.
type Checker struct {
	*syncs.Syncs
	Pass       *analysis.Pass
	Report     *rule.Reporter
	Graphs     *paths.Graphs
	Remembered map[ssa.Instruction][]syncs.Use
}

// RememberedUses is UsesAt, remembered.
func (c *Checker) RememberedUses(instr ssa.Instruction) []syncs.Use {
	uses, ok := c.Remembered[instr]
	if !ok {
		uses = c.UsesAt(instr)
		c.Remembered[instr] = uses
	}
	return uses
}

// Line is the line of an instruction.
func (c *Checker) Line(instr ssa.Instruction) int { return c.Pass.Fset.Position(instr.Pos()).Line }

// Finding reports what is found at an instruction, with the harm of its category.
func (c *Checker) Finding(at ssa.Instruction, category, message string, related ...analysis.RelatedInformation) {
	c.Harmful(at, category, 0, message, related...)
}

// Harmful is a finding of which the situation decides the harm.
func (c *Checker) Harmful(at ssa.Instruction, category string, harm rule.Harm, message string, related ...analysis.RelatedInformation) {
	pos, end := syntax.Span(c.Pass.Files, at)
	c.Report.Report(rule.Finding{Pos: pos, End: end, Category: category, Harm: harm, Message: message, Related: related})
}

// Until is how the code names what ends a wait.
func Until(w *syncs.Wait) string {
	if w.Until != nil {
		if name := channels.NameOf(w.Until); name != "" {
			return name
		}
	}
	return "the context"
}

// Use names what is done with caches, with its place: "c.podLister.List (line 12)".
func (c *Checker) Use(u syncs.Use) string {
	name := u.What
	if u.Kind != syncs.Starts && u.Via != nil {
		name = u.Via.Name()
	}
	return fmt.Sprintf("%s (line %d)", Short(name), c.Line(u.Instr))
}

// Short bounds a name from the code under analysis, so that messages stay
// short.
func Short(name string) string { return wording.Tail(name, 36) }

// Receives reports whether an instruction receives from a channel, or asks a
// context whether it has ended: what comes after knows of the end.
func Receives(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Select:
		return true
	case *ssa.UnOp:
		return instr.Op == token.ARROW
	case *ssa.Call:
		callee := kubeapi.Callee(instr.Common())
		return callee != nil && callee.Name() == "Err" && callee.Signature().Recv() != nil && kubeapi.IsContext(callee.Signature().Recv().Type())
	}
	return false
}

// Related is an instruction as a related place.
func Related(instr ssa.Instruction, message string) analysis.RelatedInformation {
	return analysis.RelatedInformation{Pos: instr.Pos(), Message: message}
}
