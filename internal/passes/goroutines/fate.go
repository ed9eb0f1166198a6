package goroutines

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// fate is what becomes of a call's error.
type fate uint8

const (
	handled  fate = iota // somebody may do something about it
	dropped              // it is printed, or not even that
	returned             // its function returns it, and does nothing else about it
)

// fateOf tells what the function that makes a call does about its error.
func (a *analysisState) fateOf(call ssa.CallInstruction) fate {
	made, ok := call.(*ssa.Call)
	if !ok {
		return dropped // deferred, or a goroutine's
	}
	if calls.Returns(made.Parent(), made) {
		return returned
	}
	last := made.Call.Signature().Results().Len() - 1
	errs := []ssa.Value{made}
	if last > 0 {
		errs = values.Extracted(made, last)
	}
	found := dropped
	for _, err := range errs {
		switch f := a.fateOfError(made.Parent(), err); f {
		case handled:
			return handled
		case returned:
			found = returned
		}
	}
	return found
}

func (a *analysisState) fateOfError(fn *ssa.Function, err ssa.Value) fate {
	found := dropped
	names := values.Relation{Calls: a.graph, Steps: values.Local, Onward: worded}
	for name, use := range names.Uses(err) {
		if use == nil || !blocks.Within(use.Parent(), fn) {
			return handled
		}
		if ret, ok := use.(*ssa.Return); ok && ret.Parent() == fn {
			found = returned
			continue
		}
		if !a.isQuiet(use, 0) {
			return handled
		}
		if call, ok := use.(*ssa.Call); ok && kubeapi.ErrorUseOf(kubeapi.Callee(call.Common())) == kubeapi.IgnoresErrorKind && len(*call.Referrers()) == 0 {
			return handled // it is meant not to matter
		}
		if a.answered(name, use) {
			return handled
		}
	}
	return found
}

// worded returns what an error, or its text, goes by after an instruction: errors around it,
// arguments that it is packed with.
func worded(v ssa.Value, use ssa.Instruction) []ssa.Value {
	switch use := use.(type) {
	case *ssa.Store:
		index, ok := use.Addr.(*ssa.IndexAddr)
		if !ok || use.Val != v {
			return nil
		}
		var packed []ssa.Value
		for slice := range blocks.UsesOf[*ssa.Slice](index.X) {
			packed = append(packed, slice)
		}
		return packed
	case *ssa.Call:
		callee := kubeapi.Callee(use.Common())
		if callee == nil {
			return nil
		}
		switch kubeapi.ErrorUseOf(callee) {
		case kubeapi.WrapsError:
			return []ssa.Value{use}
		case kubeapi.IgnoresErrorKind:
			if len(*use.Referrers()) > 0 {
				return []ssa.Value{use}
			}
		}
		if callee.Pkg() == nil && callee.Name() == "Error" || kubeapi.IsFunc(callee, "fmt", "Sprintf") {
			return []ssa.Value{use}
		}
	}
	return nil
}

// answered reports whether a question about an error decides on anything but what is said
// about it.
func (a *analysisState) answered(err ssa.Value, question ssa.Instruction) bool {
	var yes int
	switch q := question.(type) {
	case *ssa.BinOp:
		if q.Op != token.EQL && q.Op != token.NEQ || !kubeapi.IsError(err.Type()) {
			return false
		}
		if q.Op == token.EQL && calls.IsNil(q.Y) {
			yes = 1
		}
	case *ssa.Call:
		switch kubeapi.ErrorUseOf(kubeapi.Callee(q.Common())) {
		case kubeapi.TellsErrorKind, kubeapi.TellsNotFound:
		default:
			return false
		}
	default:
		return false
	}
	for branch := range blocks.UsesOf[*ssa.If](question.(ssa.Value)) {
		failed := branch.Block().Succs[yes]
		if len(failed.Preds) != 1 {
			continue
		}
		for _, block := range branch.Parent().Blocks {
			if !failed.Dominates(block) {
				continue
			}
			for _, instr := range block.Instrs {
				if !a.isQuiet(instr, 0) {
					return true
				}
			}
		}
	}
	return false
}

// isQuiet reports whether an instruction changes nothing that anybody else would notice, but
// for logs, events and metrics.
func (a *analysisState) isQuiet(instr ssa.Instruction, depth int) bool {
	switch instr := instr.(type) {
	case *ssa.Send, *ssa.MapUpdate, *ssa.Go, *ssa.Panic, *ssa.Select:
		return false
	case *ssa.Store:
		addr := instr.Addr
		if element, ok := addr.(*ssa.IndexAddr); ok {
			addr = element.X
		}
		_, local := blocks.Base(addr).(*ssa.Alloc)
		return local
	case ssa.CallInstruction:
		common := instr.Common()
		if builtin, ok := common.Value.(*ssa.Builtin); ok {
			return builtin.Name() != "append" && builtin.Name() != "close" && builtin.Name() != "delete"
		}
		if targets := a.graph.Callees(instr).Funcs; len(targets) > 0 {
			return depth < 2 && !slices.ContainsFunc(targets, func(target *ssa.Function) bool {
				return blocks.Any(target, func(instr ssa.Instruction) bool { return !a.isQuiet(instr, depth+1) })
			})
		}
		callee := kubeapi.Callee(common)
		if callee == nil {
			return false
		}
		return kubeapi.IsHarmless(callee) && !kubeapi.IsQueueAdd(callee) || kubeapi.ErrorUseOf(callee) != kubeapi.UnknownErrorUse
	}
	return true
}
