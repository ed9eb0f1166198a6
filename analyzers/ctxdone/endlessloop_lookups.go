package ctxdone

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/loops"
)

// lookups tells whether a loop ends only when something that it looks up in
// each round (an object, a list, whether a call succeeds) is as it wants.
type lookups struct {
	check *loopCheck
	loop  *loops.Loop
	seen  map[ssa.Value]bool
}

// verdict tells what a value depends on.
type verdict uint8

const (
	neutral verdict = iota // constants, what does not change in the loop
	lookup                 // what the loop looks up
	other                  // anything else: flags, counters, clocks, channels
)

// all reports whether all ways out depend on nothing but what is looked up.
func (w *lookups) all(exits []loops.Exit) bool {
	for _, exit := range exits {
		w.seen = make(map[ssa.Value]bool)
		if exit.Cond == nil || w.cond(exit.Cond, exit.When, 0) != lookup {
			return false
		}
		if w.around(exit.From, w.loop.Head) == other {
			return false
		}
	}
	return true
}

// around judges the conditions under which a block of the loop runs, up to the
// block until. Whether a call failed is not among them.
func (w *lookups) around(block, until *ssa.BasicBlock) verdict {
	result := neutral
	for at := block; at != until && at.Idom() != nil && w.loop.Blocks[at.Idom()]; at = at.Idom() {
		from := at.Idom()
		branch, ok := last(from).(*ssa.If)
		if !ok || len(at.Preds) != 1 || isErrorCheck(branch.Cond) {
			continue
		}
		// Whether something was found does not matter here, only what is asked.
		result = max(result, w.value(branch.Cond, 0))
	}
	return result
}

// isErrorCheck reports whether a condition compares an error, or asks which
// answer of the API server it is.
func isErrorCheck(cond ssa.Value) bool {
	if call, ok := cond.(*ssa.Call); ok {
		return isServerError(kubeapi.Callee(call.Common()))
	}
	compare, ok := cond.(*ssa.BinOp)
	return ok && (kubeapi.IsError(compare.X.Type()) || kubeapi.IsError(compare.Y.Type()))
}

// cond judges a condition that has the value when.
func (w *lookups) cond(v ssa.Value, when bool, depth int) verdict {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.NOT {
			return w.cond(v.X, !when, depth)
		}
	case *ssa.BinOp:
		if isErrorCheck(v) && comparesNil(v) && (v.Op == token.EQL || v.Op == token.NEQ) {
			err := v.X
			if c, ok := err.(*ssa.Const); ok && c.IsNil() {
				err = v.Y
			}
			return w.err(err, (v.Op == token.EQL) == when, depth)
		}
		if comparesNil(v) && (v.Op == token.EQL) == when {
			return other // nothing was found, perhaps since the context has ended
		}
	case *ssa.Call:
		if isServerError(kubeapi.Callee(v.Common())) && !when {
			// Taken for all other errors, too.
			return w.err(v.Common().Args[0], false, depth)
		}
	}
	return w.value(v, depth)
}

// comparesNil reports whether a comparison is one with nil.
func comparesNil(compare *ssa.BinOp) bool {
	for _, v := range []ssa.Value{compare.X, compare.Y} {
		if c, ok := v.(*ssa.Const); ok && c.IsNil() {
			return true
		}
	}
	return false
}

// err judges a way out that is taken when an error is nil, or is not.
func (w *lookups) err(v ssa.Value, isNil bool, depth int) verdict {
	if depth > maxLookup {
		return other
	}
	switch v := v.(type) {
	case *ssa.Const:
		return neutral
	case *ssa.Phi:
		if w.seen[v] {
			return neutral
		}
		w.seen[v] = true
		result := neutral
		for _, edge := range v.Edges {
			result = max(result, w.err(edge, isNil, depth+1))
		}
		return result
	case *ssa.UnOp:
		if cell, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			return w.stored(cell, func(stored ssa.Value) verdict { return w.err(stored, isNil, depth+1) })
		}
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return w.outcome(call, isNil)
		}
	case *ssa.Call:
		return w.outcome(v, isNil)
	}
	return other
}

// outcome judges a way out that is taken when a call succeeds, or fails.
func (w *lookups) outcome(call *ssa.Call, succeeds bool) verdict {
	if isCacheRead(call.Common()) {
		return lookup
	}
	if !succeeds || w.check.listens(call) {
		return other
	}
	return lookup
}

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
	basic, isBasic := param.Underlying().(*types.Basic)
	if !(isBasic && basic.Kind() == types.String) && !kubeapi.IsNamed(param, "k8s.io/apimachinery/pkg/labels", "Selector") {
		return false
	}
	return holdsObjects(sig.Results().At(0).Type(), 0)
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

// maxLookup bounds how far a value is followed.
const maxLookup = 24

// value judges what a value depends on.
func (w *lookups) value(v ssa.Value, depth int) verdict {
	if w.seen[v] {
		return neutral
	}
	if depth > maxLookup {
		return other
	}
	w.seen[v] = true
	depth++
	switch v := v.(type) {
	case *ssa.Const, *ssa.Function, *ssa.Builtin:
		return neutral
	case *ssa.Parameter:
		return w.parameter(v)
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			return w.load(v.X, depth)
		case token.ARROW:
			return other
		}
		return w.value(v.X, depth)
	case *ssa.BinOp:
		return max(w.value(v.X, depth), w.value(v.Y, depth))
	case *ssa.Phi:
		return w.phi(v, depth)
	case *ssa.Extract:
		switch tuple := v.Tuple.(type) {
		case *ssa.Call:
			return w.result(tuple, v.Index, depth)
		case *ssa.Next:
			return w.value(tuple.Iter, depth)
		case *ssa.Lookup:
			return w.value(tuple, depth)
		case *ssa.TypeAssert:
			return w.value(tuple.X, depth)
		}
		return other
	case *ssa.Call:
		return w.result(v, 0, depth)
	case *ssa.Range:
		return w.value(v.X, depth)
	case *ssa.Lookup:
		return max(w.value(v.X, depth), w.value(v.Index, depth))
	case *ssa.Index:
		return w.value(v.X, depth)
	case *ssa.IndexAddr:
		return w.value(v.X, depth)
	case *ssa.Field:
		return w.value(v.X, depth)
	case *ssa.FieldAddr:
		return w.value(v.X, depth)
	case *ssa.Slice:
		return w.value(v.X, depth)
	case *ssa.Convert:
		return w.value(v.X, depth)
	case *ssa.ChangeType:
		return w.value(v.X, depth)
	case *ssa.ChangeInterface:
		return w.value(v.X, depth)
	case *ssa.MakeInterface:
		return w.value(v.X, depth)
	case *ssa.TypeAssert:
		return w.value(v.X, depth)
	case *ssa.Alloc:
		return w.variable(v, depth)
	case *ssa.MakeMap:
		return w.collected(v)
	}
	return other
}

// collected judges a map that each round makes anew: what it holds depends on
// when something is put into it.
func (w *lookups) collected(made *ssa.MakeMap) verdict {
	if !w.loop.Blocks[made.Block()] {
		return other
	}
	result := neutral
	for _, ref := range *made.Referrers() {
		update, ok := ref.(*ssa.MapUpdate)
		if !ok {
			continue
		}
		for at := update.Block(); at != made.Block() && at != nil && w.loop.Blocks[at]; at = at.Idom() {
			branch, ok := last(at.Idom()).(*ssa.If)
			if ok && isErrorCheck(branch.Cond) {
				result = max(result, w.cond(branch.Cond, at.Idom().Succs[0] != at, 1))
			}
		}
	}
	return result
}

// parameter judges a parameter of the loop's function. What cannot change
// while the loop runs is neutral.
func (w *lookups) parameter(p *ssa.Parameter) verdict {
	if kubeapi.IsObject(p.Type()) {
		if w.filled(p) {
			return lookup
		}
		return neutral
	}
	if _, isBasic := p.Type().Underlying().(*types.Basic); isBasic {
		return neutral
	}
	return other
}

// load judges what is stored at an address.
func (w *lookups) load(addr ssa.Value, depth int) verdict {
	if cell, ok := addr.(*ssa.Alloc); ok {
		return w.variable(cell, depth)
	}
	if _, ok := addr.(*ssa.Global); ok {
		return other
	}
	return w.value(addr, depth)
}

// variable judges a local variable: an object that a client fills, or what is
// stored into it.
func (w *lookups) variable(cell *ssa.Alloc, depth int) verdict {
	if w.filled(cell) {
		return lookup
	}
	return w.stored(cell, func(stored ssa.Value) verdict { return w.value(stored, depth) })
}

// stored judges the values stored into a variable that belongs to the loop's
// function alone.
func (w *lookups) stored(cell *ssa.Alloc, judge func(ssa.Value) verdict) verdict {
	result := neutral
	for _, ref := range *cell.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr != cell {
				return other
			}
			result = max(result, judge(ref.Val))
		case *ssa.UnOp, *ssa.DebugRef, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice:
		default:
			return other
		}
	}
	return result
}

// filled reports whether a client reads into an object in the loop.
func (w *lookups) filled(object ssa.Value) bool {
	if !holdsObjects(object.Type(), 0) || object.Referrers() == nil {
		return false
	}
	uses := *object.Referrers()
	for _, ref := range uses {
		if iface, ok := ref.(*ssa.MakeInterface); ok && iface.Referrers() != nil {
			uses = append(uses, *iface.Referrers()...)
		}
	}
	for _, use := range uses {
		call, ok := use.(*ssa.Call)
		if !ok || !w.loop.Blocks[call.Block()] {
			continue
		}
		if op, ok := kubeapi.ClientOp(call.Common()); ok && op.Verb.Reads() {
			return true
		}
	}
	return false
}

// phi judges a merge: the values that come in and, where these are constants,
// the conditions that choose. A counter of the loop bounds it.
func (w *lookups) phi(phi *ssa.Phi, depth int) verdict {
	block := phi.Block()
	result := neutral
	for i, edge := range phi.Edges {
		pred := block.Preds[i]
		if block == w.loop.Head && !w.loop.Blocks[pred] {
			continue // what it was before the loop
		}
		if step, ok := edge.(*ssa.BinOp); ok && (step.X == phi || step.Y == phi) {
			if block == w.loop.Head {
				return other // counts the rounds
			}
			continue // the index of a loop inside
		}
		if _, ok := edge.(*ssa.Const); ok {
			result = max(result, w.chosen(pred, block))
			continue
		}
		result = max(result, w.value(edge, depth))
	}
	return result
}

// chosen judges the conditions by which a merge is entered from one of its
// predecessors.
func (w *lookups) chosen(pred, merge *ssa.BasicBlock) verdict {
	result := neutral
	for at := pred; at != nil && w.loop.Blocks[at]; at = at.Idom() {
		if branch, ok := last(at).(*ssa.If); ok && len(at.Succs) == 2 {
			if isErrorCheck(branch.Cond) {
				return other // which of both is not told
			}
			result = max(result, w.value(branch.Cond, 1))
		}
		if at == merge.Idom() || at == w.loop.Head {
			break
		}
	}
	return result
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
	case index < results.Len() && isData(results.At(index).Type()) && returnsError(call) && !w.check.listens(call):
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
	targets := c.graph.Callees(call)
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
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
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
				result = max(result, c.asksBy(instr, depth))
				if result == other {
					return other
				}
			}
		}
	}
	return result
}

// isFlag reports whether a boolean is read that is no part of an API object.
func isFlag(load *ssa.UnOp) bool {
	basic, ok := load.Type().Underlying().(*types.Basic)
	if !ok || basic.Kind() != types.Bool || load.Op != token.MUL {
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
	if callee != nil && strings.HasPrefix(callee.FullName(), "(*sync/atomic.") {
		return other
	}
	result := neutral
	for _, fn := range c.graph.Callees(call).Funcs {
		result = max(result, c.asksIn(fn, depth+1))
	}
	return result
}
