// Package fate tells what becomes of an error: what it is asked, where it is known to be one of a kind,
// and whether it gets out of sight.
package fate

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Trail follows the error of one call through the variables that hold it, the
// errors that wrap it, and the questions that are asked about it.
type Trail struct {
	Errs    []ssa.Value
	Aliases map[ssa.Value]bool
	// notFound and kinds are the answers: true if the error says that something
	// is not there, or is of another kind that somebody has thought of.
	NotFound, Kinds map[ssa.Value]bool
	// ignored are errors that are nil if the error is of a kind that does not
	// matter.
	Ignored map[ssa.Value]bool
	// wrapped are errors around it, which are never nil if it is not.
	wrapped map[ssa.Value]bool
	// branches are the blocks that are entered because there is an error.
	branches []*ssa.BasicBlock
	// opaque tells that the error is judged in a way that is not understood.
	Opaque bool
}

// Follow follows errors through the variables and errors that they become.
func Follow(errs []ssa.Value) *Trail {
	t := &Trail{
		Errs: errs, Aliases: make(map[ssa.Value]bool), NotFound: make(map[ssa.Value]bool),
		Kinds: make(map[ssa.Value]bool), Ignored: make(map[ssa.Value]bool), wrapped: make(map[ssa.Value]bool),
	}
	for _, err := range errs {
		t.add(err)
	}
	return t
}

func (t *Trail) add(v ssa.Value) {
	if t.Aliases[v] || v.Referrers() == nil {
		return
	}
	t.Aliases[v] = true
	for _, ref := range *v.Referrers() {
		// A switch of its own: it keeps apart what an error is called and what it is asked.
		switch ref := ref.(type) {
		case *ssa.Phi, *ssa.ChangeInterface, *ssa.MakeInterface:
			t.add(ref.(ssa.Value))
		case *ssa.Store:
			t.calledWith(ref.Addr)
			if cell, ok := ref.Addr.(*ssa.Alloc); ok && ref.Val == v && kubeapi.IsError(cell.Type().Underlying().(*types.Pointer).Elem()) {
				for load := range blocks.UsesOf[*ssa.UnOp](cell) {
					t.add(load)
				}
			}
		case *ssa.TypeAssert:
			t.assert(ref)
		case *ssa.BinOp:
			t.compared(ref)
		case *ssa.Call:
			t.call(ref)
		}
	}
}

// calledWith follows the error into the calls that a variadic argument, stored at addr, is
// packed for.
func (t *Trail) calledWith(addr ssa.Value) {
	index, ok := addr.(*ssa.IndexAddr)
	if !ok || !IsVarargs(addr) {
		return
	}
	for slice := range blocks.UsesOf[*ssa.Slice](index.X) {
		for call := range blocks.UsesOf[*ssa.Call](slice) {
			t.call(call)
		}
	}
}

// assert is err.(T): with a comma and ok, the answer to a question.
func (t *Trail) assert(assert *ssa.TypeAssert) {
	if !assert.CommaOk {
		return
	}
	for _, answer := range values.Extracted(assert, 1) {
		t.Kinds[answer] = true
	}
}

func (t *Trail) compared(op *ssa.BinOp) {
	other := op.Y
	if t.Aliases[other] {
		other = op.X
	}
	if !calls.IsNil(other) {
		// err == io.EOF
		if op.Op == token.EQL {
			t.Kinds[op] = true
		} else {
			t.Opaque = true
		}
		return
	}
	for branch := range blocks.UsesOf[*ssa.If](op) {
		if succ := blocks.Side(branch, op.Op != token.EQL); len(succ.Preds) == 1 {
			t.branches = append(t.branches, succ)
		}
	}
}

func (t *Trail) call(call *ssa.Call) {
	common := call.Common()
	callee := kubeapi.Callee(common)
	if callee != nil && callee.Pkg() == nil && callee.Name() == "Error" {
		t.text(call)
		return
	}
	switch kubeapi.ErrorUseOf(callee) {
	case kubeapi.TellsNotFound:
		t.NotFound[call] = true
	case kubeapi.TellsErrorKind:
		t.Kinds[call] = true
	case kubeapi.IgnoresErrorKind:
		if !t.Ignored[call] {
			t.Ignored[call] = true
			t.add(call)
		}
	case kubeapi.WrapsError:
		t.wrapped[call] = true
		t.add(call)
	}
}

// text is err.Error(): harmless unless something is decided by it.
func (t *Trail) text(v ssa.Value) {
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.BinOp:
			if ref.Op == token.EQL || ref.Op == token.NEQ {
				t.Opaque = true
			}
		case *ssa.Call:
			if types.Identical(ref.Type(), types.Typ[types.Bool]) {
				t.Opaque = true
			}
		}
	}
}

// Watch is what a search has to assume: that the call failed.
func (t *Trail) Watch() map[ssa.Value]paths.Truth {
	watched := make(map[ssa.Value]paths.Truth)
	for _, set := range []map[ssa.Value]bool{t.NotFound, t.Kinds, t.Ignored, t.wrapped} {
		for v := range set {
			watched[v] = paths.Unknown
		}
	}
	for _, err := range t.Errs {
		watched[err] = paths.True
	}
	return watched
}

// Classified reports whether a path has established that the error is of a
// kind that somebody has thought of.
func (t *Trail) Classified(known paths.Known) bool {
	for v := range t.Kinds {
		if known.Of(v) == paths.True {
			return true
		}
	}
	return t.IsNotFound(known)
}

// IsNotFound reports whether a path has established that the error only says
// that something is not there.
func (t *Trail) IsNotFound(known paths.Known) bool {
	for v := range t.NotFound {
		if known.Of(v) == paths.True {
			return true
		}
	}
	for v := range t.Ignored {
		if known.Of(v) == paths.False {
			return true
		}
	}
	return false
}

// Contradicts reports whether a path has had two answers to the question
// whether the error is NotFound, or has found an error around it to be nil.
func (t *Trail) Contradicts(known paths.Known) bool {
	for v := range t.wrapped {
		if known.Of(v) == paths.False {
			return true
		}
	}
	yes, no := false, false
	for v := range t.NotFound {
		yes = yes || known.Of(v) == paths.True
		no = no || known.Of(v) == paths.False
	}
	return yes && no
}

// InBranch reports whether a node is reached only because there is an error.
func (t *Trail) InBranch(n *paths.Node) bool {
	return slices.ContainsFunc(t.branches, func(branch *ssa.BasicBlock) bool {
		return branch.Parent() == n.Instr.Parent() && branch.Dominates(n.Instr.Block())
	})
}

// Escapes reports whether a node hands the error to something that may decide
// what happens, or remembers that there was one.
func (t *Trail) Escapes(n *paths.Node) bool {
	switch instr := n.Instr.(type) {
	case ssa.CallInstruction:
		if n.Joins != nil {
			return false
		}
		if _, isDefer := instr.(*ssa.Defer); isDefer && !n.Deferred {
			return false
		}
		return t.escapesInto(instr) || t.InBranch(n) && calls.IsBuiltin(instr, "append")
	case *ssa.Store:
		if IsVarargs(instr.Addr) {
			return false
		}
		_, local := instr.Addr.(*ssa.Alloc)
		if t.Aliases[instr.Val] {
			return !local
		}
		return !local && t.InBranch(n) && !inObject(instr.Addr)
	case *ssa.Return:
		// A literal that runs in place hands it to what called it.
		if n.Frame.Parent == nil {
			return false
		}
		return t.has(instr.Results)
	case *ssa.MapUpdate, *ssa.Send:
		return t.InBranch(n)
	case *ssa.BinOp:
		// A count of failures.
		return instr.Op == token.ADD && t.InBranch(n) && kubeapi.IsInteger(instr.Type()) && !IsRangeLoop(instr.Block())
	}
	return false
}

func (t *Trail) escapesInto(call ssa.CallInstruction) bool {
	callee := kubeapi.Callee(call.Common())
	isText := callee != nil && callee.Pkg() == nil // err.Error()
	return t.GivenTo(call) && !isText && kubeapi.ErrorUseOf(callee) == kubeapi.UnknownErrorUse
}

// GivenTo reports whether a call is handed the error.
func (t *Trail) GivenTo(call ssa.CallInstruction) bool {
	return t.has(kubeapi.Spread(kubeapi.Operands(call.Common())))
}

func (t *Trail) has(values []ssa.Value) bool {
	return slices.ContainsFunc(values, func(v ssa.Value) bool { return t.Aliases[v] })
}

// IsVarargs reports whether an address is an element of variadic arguments or of a
// literal that is put together.
func IsVarargs(addr ssa.Value) bool {
	index, ok := addr.(*ssa.IndexAddr)
	if !ok {
		return false
	}
	alloc, ok := index.X.(*ssa.Alloc)
	return ok && (alloc.Comment == "varargs" || alloc.Comment == "slicelit")
}

// inObject reports whether an address lies in an API object, such as a
// condition of its status.
func inObject(addr ssa.Value) bool {
	for {
		switch x := addr.(type) {
		case *ssa.FieldAddr:
			if kubeapi.KindOf(x.X.Type()) != nil || kubeapi.IsObjectMeta(x.X.Type()) {
				return true
			}
			addr = x.X
		case *ssa.IndexAddr:
			addr = x.X
		default:
			_, fresh := addr.(*ssa.Alloc) // a literal that is put together
			return fresh
		}
	}
}

// IsRangeLoop reports whether a block counts the rounds of a range loop.
func IsRangeLoop(block *ssa.BasicBlock) bool { return strings.HasPrefix(block.Comment, "range") }

// Gone reports whether a path has established that the error is NotFound, or
// will make nothing of it.
func (t *Trail) Gone(known paths.Known) bool { return t.IsNotFound(known) || len(t.NotFound) == 0 }
