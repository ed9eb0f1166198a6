package informerlifecycle

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/lives"
	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/subject"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// checkShutdown reports the factories that a function starts and then, when it
// is told to end, does not wait for. Where the package waits for any factory, it
// knows what it does.
func (u *unit) checkShutdown() {
	for _, op := range u.Info.Ops {
		if op.Verb == kubeapi.ShutdownFactory {
			return
		}
	}
	reported := make(map[*ssa.Function]bool)
	for _, op := range u.Info.Ops {
		if reported[op.Instr.Parent()] || op.Verb != kubeapi.StartFactory || op.Cache || !kubeapi.HasMethod(op.Factory.Type(), "Shutdown") || u.Reported[op.Instr] {
			continue
		}
		lasts, _ := u.LifeOf(op.Until, 0)
		if lasts == lives.Endless || !u.StaysAfter(op.Instr) {
			continue
		}
		reported[op.Instr.Parent()] = true
		pos, end := syntax.Span(u.Pass.Files, op.Instr)
		u.Report.Report(rule.Finding{
			Pos: pos, End: end, Category: subject.NoShutdown,
			Message: fmt.Sprintf("handlers may run after %s has returned: nothing waits for the informers it started; call Shutdown of the factory at the end",
				subject.FuncName(op.Instr.Parent())),
		})
	}
}
