package informers

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Bounds of following one factory or informer.
const (
	maxDepth  = 20
	maxValues = 500
)

// form is what a value is in relation to what was made.
type form uint8

const (
	factory  form = iota
	accessor      // leads from a factory to an informer: f.Core(), f.Core().V1().Pods()
	informer
	part // a lister, store or registration of an informer
)

// thing is a value that is followed.
type thing struct {
	form form
	key  string
	from *ssa.Call
}

type follower struct {
	graph *calls.Graph
	made  *Made
	seen  map[ssa.Value]bool
	// returned are the functions whose results have been followed.
	returned map[*ssa.Function]bool
}

// start follows the result of the call that makes it.
func (f *follower) start(call *ssa.Call) {
	at := thing{form: informer, from: call}
	switch {
	case f.made.Verb == kubeapi.NewFactory:
		at.form = factory
	case f.made.Generic:
		at.form = accessor
	}
	f.results(call, at, 0, func(v ssa.Value) bool { return true })
}

// results follows the results of a call: the one, or those of a tuple that are
// no errors.
func (f *follower) results(call *ssa.Call, at thing, depth int, wanted func(ssa.Value) bool) {
	if _, ok := call.Type().(*types.Tuple); !ok {
		f.value(call, at, depth)
		return
	}
	for extract := range blocks.UsesOf[*ssa.Extract](call) {
		if kubeapi.IsError(extract.Type()) || !wanted(extract) {
			continue
		}
		what := at
		if at.form == informer && kubeapi.IsStore(extract.Type()) {
			what.form = part // cache.NewInformer returns the store first
		}
		f.value(extract, what, depth)
	}
}

// value follows one value.
func (f *follower) value(v ssa.Value, at thing, depth int) {
	if v == nil || f.seen[v] {
		return
	}
	f.seen[v] = true
	if depth > maxDepth || len(f.seen) > maxValues {
		if instr, ok := v.(ssa.Instruction); ok {
			f.escape(instr, at, Escape{})
		}
		return
	}
	for ref := range blocks.Uses(v) {
		f.use(v, at, ref, depth+1)
	}
}

func (f *follower) escape(instr ssa.Instruction, at thing, e Escape) {
	e.At, e.Key, e.Factory, e.Accessor = instr, at.key, at.form == factory, at.form == accessor
	f.made.Escapes = append(f.made.Escapes, e)
}

// use follows what one instruction does with v.
func (f *follower) use(v ssa.Value, at thing, ref ssa.Instruction, depth int) {
	// A switch of its own: what is followed changes on the way: a factory, its informers, their functions.
	switch ref := ref.(type) {
	case *ssa.DebugRef, *ssa.BinOp, *ssa.If:
	case *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.ChangeType, *ssa.Phi, *ssa.Extract, *ssa.TypeAssert:
		f.value(ref.(ssa.Value), at, depth)
	case *ssa.Store:
		if ref.Val == v {
			f.store(ref, at, depth)
		}
	case *ssa.MakeClosure:
		f.closure(v, at, ref, depth)
	case *ssa.Return:
		f.returns(v, at, ref, depth)
	case *ssa.UnOp:
		if ref.Op == token.MUL {
			f.value(ref, at, depth)
		}
	case ssa.CallInstruction:
		f.call(v, at, ref, depth)
	default:
		f.escape(ref, at, Escape{Kept: true})
	}
}

// store follows v into a variable.
func (f *follower) store(store *ssa.Store, at thing, depth int) {
	if cell, ok := calls.Captured(store.Addr).(*ssa.Alloc); ok {
		f.cell(cell, at, depth)
		return
	}
	f.escape(store, at, Escape{Kept: true})
}

// cell follows what a variable holds, also where it is captured.
func (f *follower) cell(addr ssa.Value, at thing, depth int) {
	if f.seen[addr] || depth > maxDepth {
		return
	}
	f.seen[addr] = true
	for ref := range blocks.Uses(addr) {
		switch ref := ref.(type) {
		case *ssa.UnOp:
			f.value(ref, at, depth+1)
		case *ssa.Store, *ssa.DebugRef:
		case *ssa.MakeClosure:
			for n, binding := range ref.Bindings {
				if binding == addr {
					f.cell(ref.Fn.(*ssa.Function).FreeVars[n], at, depth+1)
				}
			}
		default:
			f.escape(ref, at, Escape{Kept: true})
		}
	}
}

// closure follows v into a literal that captures it, or records the method
// value that is taken of it.
func (f *follower) closure(v ssa.Value, at thing, closure *ssa.MakeClosure, depth int) {
	fn := closure.Fn.(*ssa.Function)
	if fn.Synthetic == "" {
		for n, binding := range closure.Bindings {
			if binding == v {
				f.value(fn.FreeVars[n], at, depth)
			}
		}
		return
	}
	method, _ := fn.Object().(*types.Func)
	if method == nil {
		f.escape(closure, at, Escape{})
		return
	}
	switch method.Name() {
	case "HasSynced":
		f.made.Uses = append(f.made.Uses, Use{
			Op:  Op{InformerOp: kubeapi.InformerOp{Verb: kubeapi.HasSynced, Func: method, Informer: v}},
			Key: at.key, From: at.from, At: closure,
		})
		if !f.handedTo(closure, func(ssa.CallInstruction) bool { return true }) {
			f.escape(closure, at, Escape{Kept: true})
		}
	default:
		f.methodValue(closure, at)
	}
}

// methodValue records the method value Run or Start that is handed to a group
// of goroutines; any other is out of sight.
func (f *follower) methodValue(closure *ssa.MakeClosure, at thing) {
	started := f.handedTo(closure, func(call ssa.CallInstruction) bool {
		op, ok := kubeapi.InformerOpOf(call)
		if ok && (op.Verb == kubeapi.RunInformer || op.Verb == kubeapi.StartFactory) {
			f.record(Op{op, call}, at)
		}
		return ok
	})
	if !started {
		f.escape(closure, at, Escape{})
	}
}

// handedTo reports whether a function value is used for nothing but being an
// argument, also one of several, of calls that are asked.
func (f *follower) handedTo(v ssa.Value, ask func(ssa.CallInstruction) bool) bool {
	for ref := range blocks.Uses(v) {
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.ChangeType:
			if !f.handedTo(ref, ask) {
				return false
			}
		case *ssa.Store:
			if !f.packed(ref, ask) {
				return false
			}
		case ssa.CallInstruction:
			if !ask(ref) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// packed is handedTo for an argument of a variadic call.
func (f *follower) packed(store *ssa.Store, ask func(ssa.CallInstruction) bool) bool {
	index, ok := store.Addr.(*ssa.IndexAddr)
	if !ok {
		return false
	}
	array, ok := index.X.(*ssa.Alloc)
	if !ok {
		return false
	}
	for slice := range blocks.UsesOf[*ssa.Slice](array) {
		for use := range blocks.Uses(slice) {
			switch use := use.(type) {
			case *ssa.DebugRef:
			case ssa.CallInstruction:
				if _, isBuiltin := use.Common().Value.(*ssa.Builtin); isBuiltin || !ask(use) {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}

func (f *follower) record(op Op, at thing) {
	f.made.Uses = append(f.made.Uses, Use{Op: op, Key: at.key, From: at.from, At: op.Instr})
}

// returns follows v to the callers of the function that returns it.
func (f *follower) returns(v ssa.Value, at thing, ret *ssa.Return, depth int) {
	fn := ret.Parent()
	obj, _ := fn.Object().(*types.Func)
	calls := f.graph.Callers(fn)
	if len(calls) == 0 || fn.Parent() == nil && obj != nil && obj.Exported() {
		f.escape(ret, at, Escape{Returned: true})
	}
	index := slices.Index(ret.Results, v)
	for _, site := range calls {
		call, ok := site.(*ssa.Call)
		if !ok {
			continue
		}
		what := at
		what.from = call
		f.results(call, what, depth, func(result ssa.Value) bool {
			extract, ok := result.(*ssa.Extract)
			return !ok || extract.Index == index
		})
	}
}

// call follows what a call does with v, its receiver or an argument.
func (f *follower) call(v ssa.Value, at thing, call ssa.CallInstruction, depth int) {
	common := call.Common()
	recv, args := kubeapi.Args(common)
	targets := f.graph.Callees(call)
	if len(targets.Funcs) > 0 {
		f.enter(v, at, call, targets, depth)
		return
	}
	_, inner, ok := opOf(f.graph, call)
	if ok {
		recv, args = kubeapi.Args(inner)
	} else {
		inner = common
	}
	if recv == v && !slices.Contains(args, v) {
		f.method(at, call, inner, depth)
		return
	}
	if builtin, ok := common.Value.(*ssa.Builtin); ok && builtin.Name() != "append" {
		return
	}
	f.escape(call, at, Escape{})
}

// enter follows v into the functions of the package that a call may run.
func (f *follower) enter(v ssa.Value, at thing, call ssa.CallInstruction, targets calls.Targets, depth int) {
	common := call.Common()
	if !targets.Closed && !common.IsInvoke() {
		f.escape(call, at, Escape{})
	}
	for _, target := range targets.Funcs {
		operands := common.Args
		if common.IsInvoke() || len(target.Params) == len(operands)+1 {
			recv, _ := kubeapi.Args(common)
			operands = append([]ssa.Value{recv}, operands...)
		}
		if len(operands) != len(target.Params) {
			f.escape(call, at, Escape{})
			continue
		}
		for n, operand := range operands {
			if operand == v {
				what := at
				what.from = nil
				f.value(target.Params[n], what, depth)
			}
		}
	}
}

// method follows the call of a method on what was made, common, which may stand
// behind the call that is seen.
func (f *follower) method(at thing, call ssa.CallInstruction, common *ssa.CallCommon, depth int) {
	callee := kubeapi.Callee(common)
	_, args := kubeapi.Args(common)
	op, known := kubeapi.InformerOpIn(common)
	value, _ := call.(*ssa.Call)
	next := at
	switch {
	case known && op.Verb == kubeapi.RequestInformer:
		next.key = keyOf(at.key, callee, args)
		switch {
		case op.Lister:
			next.key, next.form = at.key, part
		case op.Generic:
			next.form = accessor
		case callee.Name() == "Informer":
			next.key, next.form = at.key, informer
		default:
			next.form = informer
		}
		f.made.Uses = append(f.made.Uses, Use{Op: Op{op, call}, Key: next.key, From: at.from, At: call})
	case known:
		f.record(Op{op, call}, at)
		if op.Verb != kubeapi.AddHandler {
			return
		}
		next.form = part
	case at.form == factory || at.form == accessor:
		next.form, next.key = accessor, keyOf(at.key, callee, args)
	case at.form == informer:
		next.form = part // its store, its indexer
	default:
		f.made.Uses = append(f.made.Uses, Use{Op: Op{Instr: call}, Key: at.key, From: at.from, At: call})
		if callee == nil || !leads(callee) {
			return
		}
	}
	if value != nil {
		f.results(value, next, depth, func(ssa.Value) bool { return true })
	}
}

// leads reports whether a method of a lister leads to another lister, of a
// namespace: an interface comes out, and no error.
func leads(callee *types.Func) bool {
	results := callee.Signature().Results()
	return results.Len() == 1 && types.IsInterface(results.At(0).Type()) && !kubeapi.IsObject(results.At(0).Type())
}

// keyOf extends the key by a step: the method's name, and the resource that
// ForResource is given.
func keyOf(key string, callee *types.Func, args []ssa.Value) string {
	if callee == nil {
		return key
	}
	if key != "" {
		key += "."
	}
	key += callee.Name()
	for _, arg := range args {
		key += "(" + argKey(arg) + ")"
	}
	return key
}

// argKey tells arguments apart: constants by what they are, all else by where
// it comes from.
func argKey(arg ssa.Value) string {
	if load, ok := arg.(*ssa.UnOp); ok {
		arg = load.X
	}
	if c, ok := arg.(*ssa.Const); ok {
		return c.String()
	}
	return arg.Name()
}
