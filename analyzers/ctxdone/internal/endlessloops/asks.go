package endlessloops

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
)

// isCacheRead recognises a lister's Get and List: they take no context, return
// objects, and fail for nothing but NotFound.
func isCacheRead(common *ssa.CallCommon) bool {
	callee := kubeapi.Callee(common)
	if callee == nil || callee.Signature().Recv() == nil || callee.Name() != "Get" && callee.Name() != "List" {
		return false
	}
	sig := callee.Signature()
	if sig.Params().Len() != 1 || sig.Results().Len() != 2 || !kubeapi.IsError(sig.Results().At(1).Type()) {
		return false
	}
	param := sig.Params().At(0).Type()
	return (kubeapi.IsString(param) || kubeapi.IsNamed(param, "k8s.io/apimachinery/pkg/labels", "Selector")) && holdsObjects(sig.Results().At(0).Type(), 0)
}

// holdsObjects reports whether a type is an API object, or a list, slice or
// map of them.
func holdsObjects(t types.Type, depth int) bool {
	if depth > 4 {
		return false
	}
	if kubeapi.IsObject(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return holdsObjects(u.Elem(), depth+1)
	case *types.Slice:
		return holdsObjects(u.Elem(), depth+1)
	case *types.Map:
		return holdsObjects(u.Elem(), depth+1)
	}
	return kubeapi.HasMethod(t, "DeepCopyObject")
}

// pure are packages whose functions depend on nothing but their arguments.
var pure = map[string]bool{"strings": true, "strconv": true, "bytes": true, "fmt": true, "slices": true, "reflect": true, "maps": true}

// result judges the index-th result of a call.
func (w *lookups) result(call *ssa.Call, index, depth int) verdict {
	common := call.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		if builtin.Name() == "len" {
			return w.value(common.Args[0], depth)
		}
		return other
	}
	callee := kubeapi.Callee(common)
	if callee == nil || callee.Pkg() == nil {
		return other
	}
	results := callee.Signature().Results()
	recv, args := kubeapi.Args(common)
	switch {
	case isServerError(callee), isSynced(callee):
		return lookup
	case pure[callee.Pkg().Path()] && recv == nil:
		result := neutral
		for _, arg := range args {
			result = max(result, w.value(arg, depth))
		}
		return result
	case recv != nil && kubeapi.IsObject(recv.Type()) && strings.HasPrefix(callee.Name(), "Get"):
		return w.value(recv, depth)
	case index < results.Len() && holdsObjects(results.At(index).Type(), 0):
		return lookup
	case index < results.Len() && isData(results.At(index).Type()) && kubeapi.CanFail(call.Common().Signature()) && !w.check.listens(call):
		return lookup // what a command, a file, a server says
	}
	return w.check.asks(call)
}

// isData reports whether a type is text or a number, and no mere flag.
func isData(t types.Type) bool {
	if slice, ok := t.Underlying().(*types.Slice); ok {
		t = slice.Elem()
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&(types.IsString|types.IsNumeric) != 0
}

// isSynced recognises HasSynced of informers and their like.
func isSynced(fn *types.Func) bool {
	sig := fn.Signature()
	return fn.Name() == "HasSynced" && sig.Params().Len() == 0 && sig.Results().Len() == 1
}

// asks judges a function of the package: it looks something up if all that it
// reads are objects, and it neither waits nor looks at a flag.
func (c *loopCheck) asks(call *ssa.Call) verdict {
	targets := c.Graph.Callees(call)
	if !targets.Closed || len(targets.Funcs) != 1 {
		return other
	}
	return c.asksIn(targets.Funcs[0], 0)
}

func (c *loopCheck) asksIn(fn *ssa.Function, depth int) verdict {
	if depth > maxCalls {
		return other
	}
	result := neutral
	for instr := range blocks.Instrs(fn) {
		if wait, ok := loops.WaitOf(instr); ok && !wait.Timed {
			return other
		}
		switch instr := instr.(type) {
		case *ssa.UnOp:
			if isFlag(instr) {
				return other
			}
		case *ssa.Call:
			if loops.ErrOf(instr) != nil {
				return other
			}
			if result = max(result, c.asksBy(instr, depth)); result == other {
				return other
			}
		}
	}
	return result
}

// isFlag reports whether a boolean is read that is no part of an API object.
func isFlag(load *ssa.UnOp) bool {
	if !kubeapi.IsBool(load.Type()) || load.Op != token.MUL {
		return false
	}
	switch addr := load.X.(type) {
	case *ssa.FieldAddr:
		return !holdsObjects(addr.X.Type(), 0)
	case *ssa.Alloc:
		return false
	}
	return true
}

// asksBy judges one call of such a function.
func (c *loopCheck) asksBy(call *ssa.Call, depth int) verdict {
	common := call.Common()
	callee := kubeapi.Callee(common)
	if op, ok := kubeapi.ClientOp(common); ok && op.Verb.Reads() || isCacheRead(common) || callee != nil && isSynced(callee) {
		return lookup
	}
	if callee != nil && strings.HasPrefix(kubeapi.FullName(callee), "(*sync/atomic.") {
		return other
	}
	result := neutral
	for _, fn := range c.Graph.Callees(call).Funcs {
		result = max(result, c.asksIn(fn, depth+1))
	}
	return result
}
