package handlers

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// onlyKey reports whether all that a loss keeps from happening is that the key of the
// deleted object itself is put on a queue.
func (m *machine) onlyKey(l *Loss) bool {
	if l.Sent != nil || l.Instr == nil {
		return false
	}
	if l.Filtered != nil {
		fn := l.Filtered.Fn
		return fn == nil && l.Filtered.OnlyKey || fn != nil && len(fn.Params) > 0 && m.queuesKey(fn, m.ofObject(fn.Params[len(fn.Params)-1]), 0)
	}
	except := map[ssa.Instruction]bool{l.Instr: true}
	for _, call := range l.Chain {
		if except[call] = true; !m.onlyQueues(call.Parent(), except) {
			return false
		}
	}
	call, isCall := l.Instr.(*ssa.Call)
	switch {
	case l.ofKey:
		// Another package's function, which does no more; it may be the handler itself.
		return l.Handler.Fn == nil || m.onlyQueues(l.Instr.Parent(), except)
	case l.Kind == RawKey && l.Where != "":
		// Another package's function, which is handed the queue.
		return isCall && asksForKey(l.FuncName) && handsOverQueue(call)
	case l.Kind == RawKey && isCall:
		return asksForKey(l.FuncName) && m.queuesKey(call.Parent(), keys{key: func(v ssa.Value) bool { return taken(v) == ssa.Value(call) }}, 0)
	case l.Kind == Refused && l.Where == "":
		assert, ok := l.Instr.(*ssa.TypeAssert)
		return ok && m.queuesKey(assert.Parent(), m.keysOf(func(v ssa.Value) bool {
			extract, ok := v.(*ssa.Extract)
			return ok && extract.Tuple == ssa.Value(assert) || v == ssa.Value(assert) || v == assert.X
		}), 0)
	}
	return false
}

// keys are the values in a function that are an object, if there is one, and its key.
type keys struct{ object, key func(ssa.Value) bool }

func (k keys) isObject(v ssa.Value) bool { return k.object != nil && k.object(kubeapi.Unboxed(v)) }

// keysOf are those of an object that a function asks for the key.
func (m *machine) keysOf(object func(ssa.Value) bool) keys {
	return keys{object, func(v ssa.Value) bool { return isKeyOf(taken(v), object) || m.namesObject(kubeapi.Unboxed(v), object) }}
}

// ofObject are those of the object that a parameter is.
func (m *machine) ofObject(param *ssa.Parameter) keys {
	return m.keysOf(func(v ssa.Value) bool { return asserted(v) == param })
}

// ofKey are those of which a parameter is the key.
func ofKey(param *ssa.Parameter) keys {
	return keys{key: func(v ssa.Value) bool { return kubeapi.Unboxed(v) == param }}
}

// asserted is what a value was asserted from, or the value itself.
func asserted(v ssa.Value) ssa.Value {
	if extract, ok := v.(*ssa.Extract); ok {
		v = extract.Tuple
	}
	if assert, ok := v.(*ssa.TypeAssert); ok {
		return assert.X
	}
	return v
}

// asksForKey reports whether a function that refuses tombstones answers with a key.
func asksForKey(name string) bool {
	return name == "cache.MetaNamespaceKeyFunc" || name == "cache.ObjectToName"
}

func handsOverQueue(call ssa.CallInstruction) bool {
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(operand ssa.Value) bool {
		return operand != nil && kubeapi.IsQueue(operand.Type())
	})
}

// queuesKey reports whether a function does nothing that lasts but to put the key of an
// object on queues, itself or by a function that it hands the object or the key to.
func (m *machine) queuesKey(fn *ssa.Function, of keys, depth int) bool {
	found := false
	for instr := range blocks.Instrs(fn) {
		call, isCall := instr.(ssa.CallInstruction)
		switch {
		case isCall && (adds(call) || kubeapi.IsWrappedEnqueue(call.Common())):
			_, args := kubeapi.Args(call.Common())
			if len(args) == 0 || !of.key(args[0]) && (adds(call) || !of.isObject(args[0])) {
				return false
			}
			found = true
		case !m.isWork(instr), isCall && (answersKey(call) || kubeapi.IsObjectKeyFromObject(kubeapi.Callee(call.Common()))):
		case isCall && depth < maxDepth && m.handsToQueue(call, of, depth):
			found = true
		default:
			return false
		}
	}
	return found
}

// handsToQueue reports whether a call hands an object to a function that puts its key on
// queues, or the key to one that does so with it.
func (m *machine) handsToQueue(call ssa.CallInstruction, of keys, depth int) bool {
	targets := m.graph.Callees(call)
	for i, operand := range kubeapi.Operands(call.Common()) {
		object := of.isObject(operand)
		if !object && !of.key(operand) {
			continue
		}
		if len(targets.Funcs) == 0 {
			return object && m.toldToQueue(kubeapi.Callee(call.Common()), i)
		}
		if !targets.Closed || len(targets.Funcs) != 1 || i >= len(targets.Funcs[0].Params) {
			return false
		}
		param := targets.Funcs[0].Params[i]
		if object {
			return m.queuesKey(targets.Funcs[0], m.ofObject(param), depth+1)
		}
		return m.queuesKey(targets.Funcs[0], ofKey(param), depth+1)
	}
	return false
}

// toldToQueue reports whether a function of another package does nothing with an object but to put
// its key on queues.
func (m *machine) toldToQueue(fn *types.Func, param int) bool {
	takes := new(Takes)
	if fn == nil || fn.Pkg() == m.pass.Pkg || !m.pass.ImportObjectFact(fn, takes) {
		return false
	}
	told := takes.of(param)
	return told != nil && told.OnlyKey
}

// isKeyOf reports whether a value is what a key function answers for an object.
func isKeyOf(v ssa.Value, is func(ssa.Value) bool) bool {
	call, ok := v.(*ssa.Call)
	return ok && isKeyFunc(call.Common().Signature()) && is(kubeapi.Unboxed(call.Common().Args[len(call.Common().Args)-1]))
}

// namesObject reports whether a value is a struct or a text that is put together of the name and the namespace of an
// object, or of constants in its stead, and of nothing else.
func (m *machine) namesObject(v ssa.Value, is func(ssa.Value) bool) bool {
	named := false
	for part := range (values.Relation{Steps: values.Computed, More: m.keyParts}).Ends(v) {
		isName, ok := keyPart(part, is)
		if !ok {
			return false
		}
		named = named || isName
	}
	return named
}

// keyParts returns what a struct that is a key is put together of; nil if that is not all seen.
func (m *machine) keyParts(key ssa.Value) []ssa.Value {
	if load, ok := key.(*ssa.UnOp); !ok || !kubeapi.IsObjectKey(load.Type()) {
		return nil
	}
	return partsOf((&literals.Reader{Calls: m.graph}).Read(key))
}

func partsOf(key *literals.Struct) []ssa.Value {
	if key.Open {
		return nil
	}
	var parts []ssa.Value
	for _, values := range key.Values {
		parts = append(parts, values...)
	}
	for _, nested := range key.Nested {
		inside := partsOf(nested)
		if inside == nil {
			return nil
		}
		parts = append(parts, inside...)
	}
	return parts
}

// keyPart reports whether a value is the name of an object, and whether it is that, its namespace or a constant at all.
func keyPart(v ssa.Value, is func(ssa.Value) bool) (isName, ok bool) {
	if call, isCall := v.(*ssa.Call); isCall {
		callee := kubeapi.Callee(call.Common())
		if kubeapi.IsObjectKeyFromObject(callee) {
			return true, is(kubeapi.Unboxed(call.Call.Args[0]))
		}
		recv, _ := kubeapi.Args(call.Common())
		isName = kubeapi.IsMetaGetter(callee) && callee.Name() == "GetName"
		return isName, recv != nil && (isName || kubeapi.IsMetaGetter(callee) && callee.Name() == "GetNamespace") && is(recv)
	}
	if load, isLoad := v.(*ssa.UnOp); isLoad {
		addr, isField := load.X.(*ssa.FieldAddr)
		if !isField {
			return false, false
		}
		meta, embedded := addr.X.(*ssa.FieldAddr) // and not that of a template
		isName = kubeapi.IsMetaField(addr, "Name")
		return isName, embedded && (isName || kubeapi.IsMetaField(addr, "Namespace")) && is(meta.X)
	}
	_, constant := v.(*ssa.Const)
	return false, constant
}

// taken is the call that a key was taken from.
func taken(key ssa.Value) ssa.Value {
	key = kubeapi.Unboxed(key)
	if extract, ok := key.(*ssa.Extract); ok {
		return extract.Tuple
	}
	return key
}

// onlyQueues reports whether all that a function does that lasts is to put something on
// queues, the exceptions aside.
func (m *machine) onlyQueues(fn *ssa.Function, except map[ssa.Instruction]bool) bool {
	return !blocks.Any(fn, func(instr ssa.Instruction) bool {
		call, ok := instr.(ssa.CallInstruction)
		return !except[instr] && m.isWork(instr) && !(ok && (adds(call) || answersKey(call)))
	})
}

// adds reports whether a call puts something on a workqueue.
func adds(call ssa.CallInstruction) bool {
	callee := kubeapi.Callee(call.Common())
	if callee == nil || callee.Signature().Recv() == nil || !kubeapi.IsQueue(callee.Signature().Recv().Type()) {
		return false
	}
	switch callee.Name() {
	case "Add", "AddRateLimited", "AddAfter":
		return true
	}
	return false
}

// answersKey reports whether a call has the form of a key function.
func answersKey(call ssa.CallInstruction) bool {
	sig := call.Common().Signature()
	return isKeyFunc(sig) && types.Identical(sig.Results().At(0).Type(), types.Typ[types.String])
}

// isKeyFunc reports whether a function makes something of an object, or fails.
func isKeyFunc(sig *types.Signature) bool {
	return sig.Params().Len() == 1 && types.IsInterface(sig.Params().At(0).Type()) && sig.Results().Len() == 2 && kubeapi.CanFail(sig)
}
