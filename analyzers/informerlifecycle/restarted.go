package informerlifecycle

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/lives"
	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/repetitions"
	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/informers"
	"github.com/opvet/opvet/internal/report/rule"
)

// checkRestarted reports the informers and factories that are made and run
// again and again, and outlive the call or round that does it.
func (u *unit) checkRestarted() {
	for _, made := range u.Info.Made {
		if u.IsFake(made) || keptFactory(made) {
			continue
		}
		for _, run := range made.Runs() {
			if u.Reported[run.Instr] || u.Claimed[run.Instr] || u.IsForTests(run.Instr.Parent()) {
				continue
			}
			lasts, _ := u.LifeOf(run.Until, 0)
			if lasts < lives.Owned {
				continue
			}
			if again := u.madeAgain(made, run); again != nil {
				u.Reported[run.Instr] = true
				if !u.Built[made.Instr] {
					u.reportRestarted(run, again)
				}
			} else if u.leavesDoorOpen(run) {
				u.Reported[run.Instr] = true
				u.reportOpenDoor(run)
			}
		}
	}
}

// keptFactory reports whether what is made is put where others find it: they
// may stop it, and it may be there for more than one call.
func keptFactory(made *informers.Made) bool {
	return slices.ContainsFunc(made.Escapes, func(escape informers.Escape) bool { return escape.Kept && escape.Factory })
}

// madeAgain finds why a factory or informer is made and started again and again:
// the instruction that makes it, or has it made, in the function that starts
// it.
func (u *unit) madeAgain(made *informers.Made, run informers.Use) *repetitions.Repetition {
	first, ok := made.Instr.(*ssa.Call)
	if !ok {
		return nil
	}
	from := run.From
	if from == nil {
		// Handed to the function that starts it.
		from = first
	}
	again := u.Repeated(from)
	if again == nil {
		return nil
	}
	if once, _ := u.Spawns.Once(run.Instr); once || again.InLoopOf(run.Instr) && !u.ComesBack(run.Instr) {
		return nil // the loop makes another one until it has one to run
	}
	return again
}

// leavesDoorOpen reports whether a start is guarded by remembered state, that
// what is started was made under the same guard, and that the function can
// return after the start without having noted it: the next call starts another
// one.
func (u *unit) leavesDoorOpen(run informers.Use) bool {
	if run.From == nil || run.From.Parent() != run.Instr.Parent() {
		return false
	}
	once, claims := u.Spawns.Once(run.Instr)
	made, _ := u.Spawns.Once(run.From)
	return once && made && len(claims) > 0 && u.returnsWithout(run.Instr, claims)
}

// returnsWithout reports whether the function can return, after an instruction,
// without any of the claims having run, before or after it.
func (u *unit) returnsWithout(at ssa.Instruction, claims []ssa.Instruction) bool {
	for _, claim := range claims {
		if _, deferred := claim.(*ssa.Defer); deferred || blocks.Precedes(claim, at) {
			return false
		}
	}
	returns := false
	u.After(at, func(block *ssa.BasicBlock, from int) bool {
		for _, instr := range block.Instrs[from:] {
			if slices.Contains(claims, instr) {
				return false
			}
			if _, ok := instr.(*ssa.Return); ok {
				returns = true
			}
		}
		return !returns
	})
	return returns
}

func (u *unit) reportRestarted(run informers.Use, again *repetitions.Repetition) {
	pos, end := syntax.Span(u.Pass.Files, run.Instr)
	verb := "starts"
	if run.Verb == kubeapi.RunInformer {
		verb = "runs"
	}
	u.Report.Report(rule.Finding{
		Pos: pos, End: end, Category: subject.Restarted,
		Message: fmt.Sprintf("%s leaks a watch and a cache: it %s another %s and never stops it; start one and keep it",
			again.Words(), verb, noun(run.Op)),
		Related: again.Related(),
	})
}

func (u *unit) reportOpenDoor(run informers.Use) {
	pos, end := syntax.Span(u.Pass.Files, run.Instr)
	u.Report.Report(rule.Finding{
		Pos: pos, End: end, Category: subject.Restarted,
		Message: fmt.Sprintf("the next call of %s starts another %s and this one leaks: a return does not note that it runs; stop it there, or keep it",
			subject.FuncName(run.Instr.Parent()), noun(run.Op)),
	})
}

// noun is what is started: "informer", "factory".
func noun(op informers.Op) string {
	switch {
	case op.Verb == kubeapi.StartFactory && op.Cache:
		return "cache"
	case op.Verb == kubeapi.StartFactory:
		return "factory of informers"
	case op.Informer != nil && kubeapi.Named(op.Informer.Type()) != nil && kubeapi.Named(op.Informer.Type()).Obj().Name() == "Reflector":
		return "reflector"
	}
	return "informer"
}
