package informerlifecycle

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/lives"
	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/subject"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/informers"
	"github.com/opvet/opvet/internal/report/rule"
)

// checkHandlers reports the event handlers that are added again and again to an
// informer which is there already.
func (u *unit) checkHandlers() {
	own := u.madeWith()
	for _, op := range u.Info.Ops {
		if op.Verb != kubeapi.AddHandler || own[op.Instr] || u.removable(op) || u.IsForTests(op.Instr.Parent()) || u.mayBeMadeWith(op.Informer, 0) {
			continue
		}
		again := u.Repeated(op.Instr)
		if again == nil || again.Own(u.Graph, op.Instr, informerAt(op)) {
			continue
		}
		pos, end := syntax.Span(u.Pass.Files, op.Instr)
		u.Report.Report(rule.Finding{
			Pos: pos, End: end, Category: subject.HandlerPerEvent,
			Message: fmt.Sprintf("every event is handled once more after %s, which adds another handler to %s; add it once at set-up",
				again.Words(), subject.NameOf(op.InformerOp)),
			Related: again.Related(),
		})
	}
}

// informerAt is the informer, or what a function of another package is handed in its place.
func informerAt(op informers.Op) ssa.Value {
	if op.Informer != nil && op.Informer.Parent() == op.Instr.Parent() {
		return op.Informer
	}
	for _, v := range kubeapi.Operands(op.Instr.Common()) {
		if kubeapi.IsInformerFactory(v.Type()) || kubeapi.HasMethod(v.Type(), "AddEventHandler") {
			return v
		}
	}
	return op.Informer
}

// madeWith are the handlers that are added to an informer which is made by the
// same repeated piece of code: there is one handler for each informer.
func (u *unit) madeWith() map[ssa.Instruction]bool {
	own := make(map[ssa.Instruction]bool)
	for _, made := range u.Info.Made {
		again := u.Repeated(made.Instr) != nil
		for _, use := range made.Uses {
			if use.Verb == kubeapi.AddHandler && (again || use.From != nil) {
				own[use.At] = true
			}
		}
	}
	return own
}

// mayBeMadeWith reports whether an informer is handed in, and some caller may have
// made it for this one call.
func (u *unit) mayBeMadeWith(informer ssa.Value, depth int) bool {
	root := rootOf(informer)
	param, ok := root.(*ssa.Parameter)
	if !ok {
		_, made := root.(*ssa.Call)
		return depth > 0 && made
	}
	fn := param.Parent()
	if depth > lives.MaxCallers || calls.IsReceiver(param) {
		return depth > lives.MaxCallers
	}
	return slices.ContainsFunc(u.Graph.Callers(fn), func(call ssa.CallInstruction) bool {
		arg := calls.ArgumentOf(call, param)
		return arg == nil || u.mayBeMadeWith(arg, depth+1)
	})
}

// rootOf follows the accessors of a factory back to it: factory.Core().V1().Pods().
func rootOf(v ssa.Value) ssa.Value {
	for {
		v = kubeapi.Unconverted(v)
		call, _ := calls.CallOf(v)
		if call == nil || call.Call.Signature().Recv() == nil && !call.Call.IsInvoke() {
			return v
		}
		v = kubeapi.Operands(&call.Call)[0]
	}
}

// removable reports whether the registration of a handler is kept, so that
// somebody can remove it, or the informer has a method that removes all.
func (u *unit) removable(op informers.Op) bool {
	if kubeapi.RemovesHandlers(op.Informer.Type()) {
		return true
	}
	call, ok := op.Instr.(*ssa.Call)
	return ok && slices.ContainsFunc(*call.Referrers(), func(ref ssa.Instruction) bool {
		extract, ok := ref.(*ssa.Extract)
		_, returned := ref.(*ssa.Return) // return informer.AddEventHandler(…)
		return ok && !kubeapi.IsError(extract.Type()) && !calls.Unused(extract) || returned
	})
}
