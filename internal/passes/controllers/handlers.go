package controllers

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/kubeapi"
)

// handler tells what requests come of events.
func (f *finder) handler(v ssa.Value) Handler { return f.handlerAt(v, 0) }

func (f *finder) handlerAt(v ssa.Value, depth int) Handler {
	if depth > maxDepth {
		return Handler{Class: UnknownHandler}
	}
	v = calls.Behind(v)
	h := Handler{Class: UnknownHandler, At: f.place(v.Pos())}
	if owner, ok := kubeapi.OwnerHandlerOf(v); ok {
		h.Class, h.Owner, h.OnlyController = Owner, f.kindOf(owner.Owner).Kind, owner.OnlyController
		return h
	}
	if kubeapi.IsSelfHandler(v.Type()) {
		h.Class = Self
		return h
	}
	if fn, ok := kubeapi.MapFuncOf(v); ok {
		h.Class = Mapped
		if fn != nil {
			h.Func, h.At = f.funcName(fn), f.place(fn.Pos())
		}
		return h
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		if alloc, isAlloc := v.(*ssa.Alloc); isAlloc && kubeapi.IsEventHandler(alloc.Type()) {
			h.Class = Custom
		} else if kubeapi.IsEventHandler(v.Type()) && !types.IsInterface(v.Type()) {
			h.Class, h.Idle = Custom, kubeapi.IsHandlerFuncs(v.Type()) && literals.IsZero(v)
		}
		return h
	}
	if inner := kubeapi.WrappedHandler(call.Common()); inner != nil {
		return f.handlerAt(inner, depth+1)
	}
	if values, closed := f.results(call, 0); closed && len(values) > 0 {
		first := f.handlerAt(values[0], depth+1)
		for _, other := range values[1:] {
			if g := f.handlerAt(other, depth+1); g.Class != first.Class || g.Owner != first.Owner {
				return h
			}
		}
		return first
	}
	if !types.IsInterface(v.Type()) {
		h.Class = Custom
	}
	return h
}

// funcName is the full name of the one function that v is; empty for literals.
func (f *finder) funcName(v ssa.Value) string {
	targets := f.calls.FuncsOf(v)
	if len(targets.Funcs) == 1 {
		if obj, ok := targets.Funcs[0].Object().(*types.Func); ok {
			return kubeapi.FullName(obj)
		}
	} else if len(targets.Funcs) == 0 && len(targets.External) == 1 {
		return kubeapi.FullName(targets.External[0].Func)
	}
	return ""
}

// source reads a source of events: the kind, and what of the watch the source
// itself is given. A source that is no kind's is a raw one.
func (f *finder) source(w *Watch, v ssa.Value) []object {
	v = calls.Behind(v)
	switch x := v.(type) {
	case *ssa.Alloc:
		if kubeapi.IsSourceKind(x.Type()) {
			if s := f.read.Read(x); len(s.Values["Type"]) == 1 {
				return f.objectsOf(s.Values["Type"][0])
			}
			return []object{{}}
		}
	case *ssa.Call:
		if use, at, _ := kubeapi.CacheUseOf(x.Common()); use == kubeapi.WatchOther {
			operands := kubeapi.Operands(x.Common())
			if at+1 < len(operands) && kubeapi.IsEventHandler(operands[at+1].Type()) {
				w.Handler = f.handler(operands[at+1])
				w.Filter = w.Filter.And(f.predicatesOf(operands[len(operands)-1], x.Common()))
			}
			return f.objectsOf(operands[at])
		}
		if values, closed := f.results(x, 0); closed && len(values) == 1 {
			return f.source(w, values[0])
		}
		// source.Channel(ch, handler), source.Informer, a function of the user's.
		for _, arg := range slices.Backward(kubeapi.Operands(x.Common())) {
			if kubeapi.IsEventHandler(arg.Type()) {
				w.Handler = f.handler(arg)
			}
		}
	}
	w.Role = Raw
	if w.Handler.Class == "" {
		w.Handler.Class = UnknownHandler
	}
	return []object{{}}
}

func (f *finder) directController(made *ssa.Call) {
	c := f.newLocal(Direct, made)
	c.Workers = Number{Value: 1, Default: true}
	args := made.Call.Args
	c.Name, c.NameUnknown = constName(args[0])
	f.options(c, args[len(args)-1])
	for extract := range blocks.UsesOf[*ssa.Extract](made) {
		if extract.Index != 0 {
			continue
		}
		watches := f.usesOf(extract, func(t types.Type) bool { return kubeapi.HasMethod(t, "Watch") })
		c.Open = c.Open || watches.open
		slices.SortStableFunc(watches.calls, func(a, b use) int { return int(a.call.Pos() - b.call.Pos()) })
		for _, u := range watches.calls {
			if fn := kubeapi.Callee(u.call.Common()); fn != nil && fn.Name() == "Watch" && u.operand == 0 {
				f.directWatch(c, u.call)
			}
		}
	}
	f.split(c)
}

// directWatch reads Watch(source), and of older releases
// Watch(source, handler, predicates...).
func (f *finder) directWatch(c *Local, call ssa.CallInstruction) {
	_, args := kubeapi.Args(call.Common())
	if len(args) == 0 {
		return
	}
	w := Watch{Role: Watches, At: f.place(call.Pos())}
	objects := f.source(&w, args[0])
	if len(args) > 1 {
		w.Handler = f.handler(args[1])
	}
	if len(args) > 2 {
		w.Filter = w.Filter.And(f.predicatesOf(args[2], call.Common()))
	}
	switch {
	case w.Role == Raw:
	case w.Handler.Class == Self && !c.For.IsKnown():
		w.Role = For
	case w.Handler.Class == Owner && w.Handler.OnlyController:
		w.Role = Owns
	}
	for _, o := range objects {
		f.addWatch(c, w, o, call)
	}
}
