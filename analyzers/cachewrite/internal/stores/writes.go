package stores

import (
	"cmp"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
)

// handing is a store that an instruction hands to a function or field which is
// known to write to it.
type handing struct {
	store  ssa.Value
	into   string
	writes []Inner
}

// writesToParameters summarises the functions of the package: which of them
// write to stores that they are handed, and which return live ones. A function
// that calls another one is looked at again until nothing new comes out.
func (i *Writes) writesToParameters() {
	for range maxRounds {
		changed := false
		for _, fn := range i.Graph.Funcs {
			for instr := range blocks.Instrs(fn) {
				changed = i.note(instr) || changed
			}
		}
		if !changed {
			break
		}
	}
	for _, fn := range i.Graph.Funcs {
		obj, ok := fn.Object().(*types.Func)
		if !ok || isWrapper(obj) {
			continue
		}
		for n := range fn.Signature.Results().Len() {
			if !kubeapi.IsStore(fn.Signature.Results().At(n).Type()) {
				continue
			}
			var values []ssa.Value
			for ret := range blocks.Returns(fn) {
				values = append(values, ret.Results[n])
			}
			if o := i.all(values, 0); o.kind == live {
				fact := i.funcs.Note(fn)
				fact.Live = append(fact.Live, LiveResult{n, o.what})
			}
		}
	}
}

const (
	maxRounds = 5
	maxWrites = 4
)

// note notes the writes of an instruction to stores that come from parameters
// and fields, and reports whether that is new.
func (i *Writes) note(instr ssa.Instruction) bool {
	changed := false
	add := func(store ssa.Value, w Inner) {
		switch o := i.origin(store, 0); o.kind {
		case parameter:
			fn := o.param.Parent()
			n := slices.Index(fn.Params, o.param)
			fact := i.funcs.Note(fn)
			if entry := (ParamWrite{n, w}); len(fact.Writes) < maxWrites && !slices.Contains(fact.Writes, entry) {
				fact.Writes = append(fact.Writes, entry)
				changed = true
			}
		case field:
			if list := i.own[o.field]; len(list) < maxWrites && !slices.Contains(list, w) {
				i.own[o.field] = append(list, w)
				changed = true
			}
		}
	}
	if call, w, ok := i.direct(instr); ok {
		add(call.Store, w)
	}
	for _, h := range i.handings(instr) {
		for _, w := range h.writes {
			add(h.store, w)
		}
	}
	return changed
}

// direct is the write that an instruction makes itself. A type that is a store
// and passes calls on to another one is not looked into: it does what it is
// told to.
func (i *Writes) direct(instr ssa.Instruction) (kubeapi.StoreCall, Inner, bool) {
	call, ok := instr.(ssa.CallInstruction)
	if !ok || i.inWrapper(instr.Parent(), 0) {
		return kubeapi.StoreCall{}, Inner{}, false
	}
	found, ok := kubeapi.StoreCallOf(call.Common())
	if !ok {
		return found, Inner{}, false
	}
	return found, Inner{
		Change: found.Change, What: i.called(call), Func: syntax.FuncName(instr.Parent()), Place: syntax.Place(i.pass.Fset, call.Pos()),
	}, true
}

// handings are the stores that an instruction hands to functions and fields
// which write to them.
func (i *Writes) handings(instr ssa.Instruction) []handing {
	switch instr := instr.(type) {
	case *ssa.Store:
		f, ok := calls.HolderOf(instr.Addr).(*types.Var)
		if !ok || !f.IsField() || !kubeapi.IsStore(instr.Val.Type()) {
			return nil
		}
		writes := i.own[f]
		if fact := i.fields.Of(f); fact != nil {
			writes = fact.Writes
		}
		if len(writes) > 0 {
			return []handing{{instr.Val, "the field " + f.Name(), writes}}
		}
	case ssa.CallInstruction:
		if i.inWrapper(instr.Parent(), 0) {
			return nil
		}
		return i.handedToCall(instr.Common(), instr)
	}
	return nil
}

func (i *Writes) handedToCall(common *ssa.CallCommon, call ssa.CallInstruction) []handing {
	name := ""
	if fn := kubeapi.Callee(common); fn != nil {
		name = fn.Name()
	}
	for _, target := range i.Graph.Callees(call).Funcs {
		if i.funcs.Of(target) != nil {
			name = target.Name()
		}
	}
	ops := kubeapi.Operands(common)
	byStore := make(map[int][]Inner)
	for _, fact := range i.funcs.At(call) {
		for _, w := range fact.Writes {
			if w.Param < len(ops) {
				byStore[w.Param] = append(byStore[w.Param], w.Inner)
			}
		}
	}
	var found []handing
	for n, op := range ops {
		if len(byStore[n]) > 0 {
			found = append(found, handing{op, name, byStore[n]})
		}
	}
	return found
}

// find collects the writes to live stores.
func (i *Writes) find() {
	for _, fn := range i.Graph.Funcs {
		if kubeapi.TakesTesting(fn) {
			continue
		}
		for instr := range blocks.Instrs(fn) {
			i.findAt(instr)
		}
	}
	slices.SortStableFunc(i.Writes, func(a, b Write) int { return cmp.Compare(a.Instr.Pos(), b.Instr.Pos()) })
}

func (i *Writes) findAt(instr ssa.Instruction) {
	add := func(store ssa.Value, w Write) {
		if o := i.origin(store, 0); o.kind == live {
			w.Instr, w.Store, w.StorePos = instr, o.what, o.pos
			i.Writes = append(i.Writes, w)
		}
	}
	if call, w, ok := i.direct(instr); ok {
		add(call.Store, Write{Change: call.Change, What: w.What, Object: i.argument(instr.(ssa.CallInstruction), 0)})
		return
	}
	for _, h := range i.handings(instr) {
		w := h.writes[0]
		add(h.store, Write{Change: w.Change, What: w.What, Into: h.into, Inner: &w})
	}
}

// inWrapper reports whether a function is, or stands in, a method by which a
// type is a store, or is only called by such: it passes calls on.
func (i *Writes) inWrapper(fn *ssa.Function, depth int) bool {
	for ; fn != nil; fn = fn.Parent() {
		obj, ok := fn.Object().(*types.Func)
		if !ok {
			continue
		}
		if isWrapper(obj) {
			return true
		}
		callers := i.Graph.Callers(fn)
		return !obj.Exported() && depth < maxDepth && len(callers) > 0 && !slices.ContainsFunc(callers, func(call ssa.CallInstruction) bool {
			return call.Parent() == fn || !i.inWrapper(call.Parent(), depth+1)
		})
	}
	return false
}

func isWrapper(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && kubeapi.StoreMethod(fn) != kubeapi.NoStoreChange && kubeapi.IsStore(recv.Type())
}
