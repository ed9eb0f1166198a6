package informerlifecycle

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// checkShutdown reports the factories that a function starts and then, when it
// is told to end, does not wait for. Where the package waits for any factory, it
// knows what it does.
func (u *unit) checkShutdown() {
	for _, op := range u.info.Ops {
		if op.Verb == kubeapi.ShutdownFactory {
			return
		}
	}
	reported := make(map[*ssa.Function]bool)
	for _, op := range u.info.Ops {
		if reported[op.Instr.Parent()] || op.Verb != kubeapi.StartFactory || op.Cache || !kubeapi.HasMethod(op.Factory.Type(), "Shutdown") || u.reported[op.Instr] {
			continue
		}
		lives, _ := u.lifeOf(op.Until, 0)
		if lives == endless || !u.staysAfter(op.Instr) {
			continue
		}
		reported[op.Instr.Parent()] = true
		pos, end := syntax.Span(u.pass.Files, op.Instr)
		u.report.Report(rule.Finding{
			Pos: pos, End: end, Category: noShutdown,
			Message: fmt.Sprintf("handlers may run after %s has returned: nothing waits for the informers it started; call Shutdown of the factory at the end",
				funcName(op.Instr.Parent())),
		})
	}
}
