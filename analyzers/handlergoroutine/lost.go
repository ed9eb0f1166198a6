package handlergoroutine

import (
	"fmt"
	"go/token"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/goroutines"
	"github.com/opvet/opvet/internal/report/wording"
)

// loses reports whether a write of the goroutine is lost if it fails: whoever has started it
// says that all is well, and does not come back by itself.
func loses(leak *goroutines.Leak) bool {
	if leak.Lost == nil {
		return false
	}
	for _, at := range leak.Chain {
		if calls.AfterFailure(at) || comesBack(at) {
			return false
		}
	}
	return true
}

// comesBack reports whether the function that makes a call asks, on all ways from there, to be
// run again: by a failure, or by a Result.
func comesBack(at ssa.CallInstruction) bool {
	returns := false
	for ret := range blocks.Returns(at.Parent()) {
		if ret.Block() != at.Block() && !blocks.Reaches(at.Block(), ret.Block()) {
			continue
		}
		returns = true
		if !requeues(ret) && !fails(ret) {
			return false
		}
	}
	return returns
}

// fails reports whether a return has an error for sure.
func fails(ret *ssa.Return) bool {
	if !kubeapi.CanFail(ret.Parent().Signature) || len(ret.Results) == 0 {
		return false
	}
	err := ret.Results[len(ret.Results)-1]
	if made, ok := err.(*ssa.Call); ok && kubeapi.MakesError(kubeapi.Callee(made.Common())) {
		return true
	}
	return !calls.IsNil(err) && calls.AfterFailure(ret)
}

// requeues reports whether a return has a Result that says when to come back.
func requeues(ret *ssa.Return) bool {
	for _, v := range ret.Results {
		load, ok := v.(*ssa.UnOp)
		if !ok || load.Op != token.MUL || kubeapi.ReconcileResult(v.Type()) == nil {
			continue
		}
		for field := range blocks.UsesOf[*ssa.FieldAddr](load.X) {
			if kubeapi.RequeueField(field) != "" && blocks.IsStoredTo(field) {
				return true
			}
		}
	}
	return false
}

// lostMessage says what is lost if the write fails.
func lostMessage(fset *token.FileSet, entry *entrypoints.Entry, leak *goroutines.Leak) string {
	remedy := "do it inline and return the error"
	if entry.Kind.PerEvent() {
		remedy = "enqueue the key, work in the reconciler"
	}
	started := "starts a goroutine"
	if leak.Elsewhere != nil && leak.Lost.Pos.IsValid() {
		started += " (" + leak.Elsewhere.Where + ")"
	}
	return worded(entry, leak, func(who string) string {
		return fmt.Sprintf("%s %s nobody waits for: if %s on %s fails nobody tries again; %s",
			who, started, leak.Lost.Call, place(fset, leak, leak.Lost.Pos, leak.Lost.Where), remedy)
	})
}

// pollMessage says what keeps a goroutine from ending.
func pollMessage(fset *token.FileSet, entry *entrypoints.Entry, leak *goroutines.Leak) string {
	return worded(entry, leak, func(who string) string {
		return fmt.Sprintf("%s starts a goroutine that polls until the Get on %s succeeds: forever, once the object is deleted; end it on NotFound",
			who, place(fset, leak, leak.Poll.Pos, leak.Poll.Where))
	})
}

// place names where something is done: a line, if it is in the file of the finding.
func place(fset *token.FileSet, leak *goroutines.Leak, pos token.Pos, where string) string {
	if !pos.IsValid() {
		return where
	}
	return syntax.At(fset, pos, leak.Start().Pos())
}

// worded makes a message about the function that starts a goroutine, with the entry point if
// there is room for it.
func worded(entry *entrypoints.Entry, leak *goroutines.Leak, message func(who string) string) string {
	if full := message(subject(entry, leak)); utf8.RuneCountInString(full) <= wording.Max {
		return full
	}
	return wording.Fit(func(name func(string) string) string { return message(name(starter(entry, leak))) })
}
