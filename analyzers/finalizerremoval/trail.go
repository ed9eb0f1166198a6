package finalizerremoval

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// trail follows the error of one call through the variables that hold it, the
// errors that wrap it, and the questions that are asked about it.
type trail struct {
	errs    []ssa.Value
	aliases map[ssa.Value]bool
	// notFound and kinds are the answers: true if the error says that something
	// is not there, or is of another kind that somebody has thought of.
	notFound, kinds map[ssa.Value]bool
	// ignored are errors that are nil if the error is of a kind that does not
	// matter.
	ignored map[ssa.Value]bool
	// wrapped are errors around it, which are never nil if it is not.
	wrapped map[ssa.Value]bool
	// branches are the blocks that are entered because there is an error.
	branches []*ssa.BasicBlock
	// opaque tells that the error is judged in a way that is not understood.
	opaque bool
}

func follow(errs []ssa.Value) *trail {
	t := &trail{
		errs: errs, aliases: make(map[ssa.Value]bool), notFound: make(map[ssa.Value]bool),
		kinds: make(map[ssa.Value]bool), ignored: make(map[ssa.Value]bool), wrapped: make(map[ssa.Value]bool),
	}
	for _, err := range errs {
		t.add(err)
	}
	return t
}

func (t *trail) add(v ssa.Value) {
	if t.aliases[v] || v.Referrers() == nil {
		return
	}
	t.aliases[v] = true
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Phi:
			t.add(ref)
		case *ssa.ChangeInterface:
			t.add(ref)
		case *ssa.MakeInterface:
			t.add(ref)
		case *ssa.Store:
			for _, call := range calledWith(ref.Addr) {
				t.call(call)
			}
			if cell, ok := ref.Addr.(*ssa.Alloc); ok && ref.Val == v && kubeapi.IsError(cell.Type().Underlying().(*types.Pointer).Elem()) {
				t.addLoads(cell)
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

// calledWith returns the calls that a variadic argument, stored at addr, is
// packed for.
func calledWith(addr ssa.Value) []*ssa.Call {
	index, ok := addr.(*ssa.IndexAddr)
	if !ok || !isVarargs(addr) || index.X.Referrers() == nil {
		return nil
	}
	var calls []*ssa.Call
	for _, ref := range *index.X.Referrers() {
		slice, ok := ref.(*ssa.Slice)
		if !ok || slice.Referrers() == nil {
			continue
		}
		for _, use := range *slice.Referrers() {
			if call, ok := use.(*ssa.Call); ok {
				calls = append(calls, call)
			}
		}
	}
	return calls
}

// addLoads follows what reads a variable.
func (t *trail) addLoads(cell *ssa.Alloc) {
	for _, ref := range *cell.Referrers() {
		if load, ok := ref.(*ssa.UnOp); ok && load.Op == token.MUL {
			t.add(load)
		}
	}
}

// assert is err.(T): with a comma and ok, the answer to a question.
func (t *trail) assert(assert *ssa.TypeAssert) {
	if !assert.CommaOk || assert.Referrers() == nil {
		return
	}
	for _, ref := range *assert.Referrers() {
		if extract, ok := ref.(*ssa.Extract); ok && extract.Index == 1 {
			t.kinds[extract] = true
		}
	}
}

func (t *trail) compared(op *ssa.BinOp) {
	other := op.Y
	if t.aliases[other] {
		other = op.X
	}
	c, isConst := other.(*ssa.Const)
	if !isConst || !c.IsNil() {
		// err == io.EOF
		if op.Op == token.EQL {
			t.kinds[op] = true
		} else {
			t.opaque = true
		}
		return
	}
	for _, ref := range *op.Referrers() {
		if branch, ok := ref.(*ssa.If); ok {
			succ := branch.Block().Succs[0]
			if op.Op == token.EQL {
				succ = branch.Block().Succs[1]
			}
			if len(succ.Preds) == 1 {
				t.branches = append(t.branches, succ)
			}
		}
	}
}

func (t *trail) call(call *ssa.Call) {
	common := call.Common()
	callee := kubeapi.Callee(common)
	if callee != nil && callee.Pkg() == nil && callee.Name() == "Error" {
		t.text(call)
		return
	}
	switch kubeapi.ErrorUseOf(callee) {
	case kubeapi.TellsNotFound:
		t.notFound[call] = true
	case kubeapi.TellsErrorKind:
		t.kinds[call] = true
	case kubeapi.IgnoresErrorKind:
		if !t.ignored[call] {
			t.ignored[call] = true
			t.add(call)
		}
	case kubeapi.WrapsError:
		t.wrapped[call] = true
		t.add(call)
	}
}

// text is err.Error(): harmless unless something is decided by it.
func (t *trail) text(v ssa.Value) {
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.BinOp:
			if ref.Op == token.EQL || ref.Op == token.NEQ {
				t.opaque = true
			}
		case *ssa.Call:
			if types.Identical(ref.Type(), types.Typ[types.Bool]) {
				t.opaque = true
			}
		}
	}
}

// watch is what a search has to assume: that the call failed.
func (t *trail) watch() map[ssa.Value]paths.Truth {
	watched := make(map[ssa.Value]paths.Truth)
	for _, set := range []map[ssa.Value]bool{t.notFound, t.kinds, t.ignored, t.wrapped} {
		for v := range set {
			watched[v] = paths.Unknown
		}
	}
	for _, err := range t.errs {
		watched[err] = paths.True
	}
	return watched
}

// classified reports whether a path has established that the error is of a
// kind that somebody has thought of.
func (t *trail) classified(known paths.Known) bool {
	for v := range t.kinds {
		if known.Of(v) == paths.True {
			return true
		}
	}
	return t.isNotFound(known)
}

// isNotFound reports whether a path has established that the error only says
// that something is not there.
func (t *trail) isNotFound(known paths.Known) bool {
	for v := range t.notFound {
		if known.Of(v) == paths.True {
			return true
		}
	}
	for v := range t.ignored {
		if known.Of(v) == paths.False {
			return true
		}
	}
	return false
}

// contradicts reports whether a path has had two answers to the question
// whether the error is NotFound, or has found an error around it to be nil.
func (t *trail) contradicts(known paths.Known) bool {
	for v := range t.wrapped {
		if known.Of(v) == paths.False {
			return true
		}
	}
	yes, no := false, false
	for v := range t.notFound {
		yes = yes || known.Of(v) == paths.True
		no = no || known.Of(v) == paths.False
	}
	return yes && no
}

// inBranch reports whether a node is reached only because there is an error.
func (t *trail) inBranch(n *paths.Node) bool {
	for _, branch := range t.branches {
		if branch.Parent() == n.Instr.Parent() && branch.Dominates(n.Instr.Block()) {
			return true
		}
	}
	return false
}

// escapes reports whether a node hands the error to something that may decide
// what happens, or remembers that there was one.
func (t *trail) escapes(n *paths.Node) bool {
	switch instr := n.Instr.(type) {
	case ssa.CallInstruction:
		if n.Joins != nil {
			return false
		}
		if _, isDefer := instr.(*ssa.Defer); isDefer && !n.Deferred {
			return false
		}
		return t.escapesInto(instr) || t.inBranch(n) && isBuiltin(instr, "append")
	case *ssa.Store:
		if isVarargs(instr.Addr) {
			return false
		}
		_, local := instr.Addr.(*ssa.Alloc)
		if t.aliases[instr.Val] {
			return !local
		}
		return !local && t.inBranch(n) && !inObject(instr.Addr)
	case *ssa.Return:
		// A literal that runs in place hands it to what called it.
		if n.Frame.Parent == nil {
			return false
		}
		for _, v := range instr.Results {
			if t.aliases[v] {
				return true
			}
		}
	case *ssa.MapUpdate, *ssa.Send:
		return t.inBranch(n)
	case *ssa.BinOp:
		// A count of failures.
		return instr.Op == token.ADD && t.inBranch(n) && isInteger(instr.Type()) && !isRangeLoop(instr.Block())
	}
	return false
}

func (t *trail) escapesInto(call ssa.CallInstruction) bool {
	common := call.Common()
	given := false
	for _, v := range kubeapi.Spread(kubeapi.Operands(common)) {
		given = given || t.aliases[v]
	}
	if !given {
		return false
	}
	callee := kubeapi.Callee(common)
	if callee != nil && callee.Pkg() == nil {
		return false // err.Error()
	}
	return kubeapi.ErrorUseOf(callee) == kubeapi.UnknownErrorUse
}

func isBuiltin(call ssa.CallInstruction, name string) bool {
	builtin, ok := call.Common().Value.(*ssa.Builtin)
	return ok && builtin.Name() == name
}

func isVarargs(addr ssa.Value) bool {
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

// isRangeLoop reports whether a block counts the rounds of a range loop.
func isRangeLoop(block *ssa.BasicBlock) bool { return strings.HasPrefix(block.Comment, "range") }

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}
