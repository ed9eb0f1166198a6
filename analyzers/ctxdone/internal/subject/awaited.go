package subject

import (
	"fmt"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/report/rule"
)

// Awaited says who waits in vain for what goes on forever at an instruction, "Stop (line 12)", and
// where; who is empty if nobody is seen to.
func (u *Unit) Awaited(at ssa.Instruction) (who string, where []analysis.RelatedInformation) {
	w := u.Starts.Awaited(at)
	switch {
	case w == nil:
		return "", nil
	case w.At == nil:
		return "whoever waits for " + w.Group.Name(), []analysis.RelatedInformation{{Pos: w.Group.Pos(), Message: "waited for by the caller"}}
	}
	return fmt.Sprintf("%s (%s)", FuncName(w.At.Parent()), u.LineFrom(w.At.Pos(), at.Parent().Pos())),
		[]analysis.RelatedInformation{{Pos: w.At.Pos(), Message: "waits forever"}}
}

// KeepWaiting makes a finding one that somebody waits in vain, be it once.
func KeepWaiting(f *rule.Finding, where []analysis.RelatedInformation) {
	f.Harm, f.Once, f.Related = rule.Stuck, true, append(where, f.Related...)
}
