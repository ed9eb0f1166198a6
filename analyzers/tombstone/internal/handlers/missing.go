package handlers

import (
	"go/types"
	"iter"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// maxWay bounds the calls between a worker and the function that reads the object.
const maxWay = 4

// readers tell which objects the workers of the package read by a key.
type readers []worker

// worker is a function that processes the items of a queue.
type worker struct {
	of   []*types.Named // the controllers that it belongs to
	here []*Reads       // what functions of the package read
	told []*Reads       // and those of others
}

// ignoreMissing reports whether the workers of the package, those of the queue's own controller if it is
// known, do nothing for the key of an object that is gone. One that reads an object of another kind by that
// key, such as the node that a configuration belongs to, does what it does; unless it reads that of the key
// as well, as where it has looked for the namespace first. Without workers, nobody knows what a key is good for.
func (r readers) ignoreMissing(l *Loss, holders []*types.Named) bool {
	if len(r) == 0 {
		return true
	}
	kind := kindName(kubeapi.KindOf(l.Asserted))
	known := false
	for _, reads := range r.of(holders).all() {
		read := reads.of(kind)
		known = known || kind == "" || read.Kind == "" || read.Kind == kind
		if !read.Ignored {
			return false
		}
	}
	return known
}

// of returns the workers of the controllers that hold a queue, or all if none of them is known.
func (r readers) of(holders []*types.Named) readers {
	own := slices.DeleteFunc(slices.Clone(r), func(w worker) bool {
		return !slices.ContainsFunc(w.of, func(t *types.Named) bool { return slices.Contains(holders, t) })
	})
	if len(own) == 0 {
		return r
	}
	return own
}

// holders are the types of the package that have the queues as fields which a handler puts keys on; nil if there are
// other queues.
func (m *machine) holders(l *Loss) []*types.Named {
	handler := l.Handler.Fn
	if l.Filtered != nil {
		handler = l.Filtered.Fn
	}
	var found []*types.Named
	all := true
	seen := make(map[*ssa.Function]bool)
	var look func(fn *ssa.Function)
	look = func(fn *ssa.Function) {
		if fn == nil || seen[fn] || len(seen) > maxLooked {
			return
		}
		seen[fn] = true
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			if adds(call) || kubeapi.IsWrappedEnqueue(call.Common()) {
				recv, _ := kubeapi.Args(call.Common())
				from, _ := calls.LoadedFrom(recv)
				holder := m.controllerOf(from)
				all = all && holder != nil
				found = append(found, holder)
				continue
			}
			for _, target := range m.graph.Callees(call).Funcs {
				look(target)
			}
		}
	}
	look(handler)
	if !all {
		return nil
	}
	return found
}

// controllerOf is the type of the package that a type is, or points to; nil for others. Instances of a generic one are one.
func (m *machine) controllerOf(t types.Type) *types.Named {
	if t == nil {
		return nil
	}
	named := kubeapi.Named(kubeapi.Deref(t)) // a captured variable has the pointer
	if named == nil || named.Obj().Pkg() != m.pass.Pkg {
		return nil
	}
	return named
}

// controllersOf returns the types of the package that a function is a method of, or has captured a variable of.
func (m *machine) controllersOf(fn *ssa.Function) []*types.Named {
	if fn == nil {
		return nil
	}
	var found []*types.Named
	note := func(t types.Type) {
		if named := m.controllerOf(t); named != nil {
			found = append(found, named)
		}
	}
	if recv := fn.Signature.Recv(); recv != nil {
		note(recv.Type())
	}
	for _, captured := range fn.FreeVars {
		note(captured.Type())
	}
	return found
}

// all are what this package reads, or what others do if it reads nothing itself.
func (r readers) all() []*Reads {
	var here, told []*Reads
	for _, w := range r {
		here, told = append(here, w.here...), append(told, w.told...)
	}
	if len(here) > 0 {
		return here
	}
	return told
}

// of returns what a function reads of a kind, or the first that it reads.
func (r *Reads) of(kind string) Read {
	if i := slices.IndexFunc(r.Objects, func(read Read) bool { return read.Kind == kind }); i >= 0 && kind != "" {
		return r.Objects[i]
	}
	return r.Objects[0]
}

func kindName(kind *types.Named) string {
	if kind == nil {
		return ""
	}
	return kubeapi.KindID(kind)
}

// readers looks for them. A worker that reads nothing is none of whom it is known what it does.
func (m *machine) readers(entries *entrypoints.Result) readers {
	var r readers
	for _, entry := range entries.Entries {
		if entry.Kind == kubeapi.Sync || entry.Kind == kubeapi.Worker {
			w := worker{of: m.controllersOf(entry.Fn)}
			m.readBy(entry.Fn, &w, make(map[*ssa.Function]bool), 0)
			r = append(r, w)
		}
	}
	return r
}

// readBy adds what is read by the first functions on the ways from one.
func (m *machine) readBy(fn *ssa.Function, w *worker, seen map[*ssa.Function]bool, depth int) {
	if fn == nil || seen[fn] || depth > maxWay {
		return
	}
	seen[fn] = true
	if reads := m.reads(fn); len(reads.Objects) > 0 {
		w.here = append(w.here, reads)
		return
	}
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		targets := m.graph.Callees(call)
		for _, target := range targets.Funcs {
			m.readBy(target, w, seen, depth+1)
		}
		elsewhere := []*types.Func{kubeapi.Callee(call.Common())}
		for _, external := range targets.External {
			elsewhere = append(elsewhere, external.Func)
		}
		for _, callee := range elsewhere {
			told := new(Reads)
			if callee != nil && callee.Pkg() != m.pass.Pkg && m.pass.ImportObjectFact(callee, told) {
				w.told = append(w.told, told)
			}
		}
	}
}

// reads tells which objects a function itself reads by a key that it is given.
func (m *machine) reads(fn *ssa.Function) *Reads {
	known, ok := m.reading[fn]
	if !ok {
		known = new(Reads)
		for read := range readsByKey(fn) {
			known.Objects = append(known.Objects, Read{kindName(kindRead(read)), m.ignoresMissing(fn, read)})
		}
		m.reading[fn] = known
	}
	return known
}

// kindRead is the kind that a call returns, or reads into what it is given.
func kindRead(read *ssa.Call) *types.Named {
	if op, ok := kubeapi.ClientOp(read.Common()); ok && op.Object != nil {
		return kubeapi.KindOfValue(op.Object)
	}
	return kubeapi.KindOfResult(read.Call.Signature())
}

// exportReads tells other packages what a function reads by a key, if that is done in one place. One
// that hands back an object leaves it to others what they do if there is none.
func (m *machine) exportReads(fn *ssa.Function, obj *types.Func) {
	if !kubeapi.CanFail(fn.Signature) || kubeapi.KindOfResult(fn.Signature) != nil || !slices.ContainsFunc(calls.Params(fn), isKey) {
		return
	}
	var w worker
	m.readBy(fn, &w, make(map[*ssa.Function]bool), 0)
	if found := (readers{w}).all(); len(found) == 1 {
		m.pass.ExportObjectFact(obj, found[0])
	}
}

// readsByKey yields the calls by which a function reads objects that its parameters tell, and that
// tell by an error or a flag whether the object is there.
func readsByKey(fn *ssa.Function) iter.Seq[*ssa.Call] {
	return func(yield func(*ssa.Call) bool) {
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			if len(absences(call)) > 0 && byKey(call) && !yield(call) {
				return
			}
		}
	}
}

// byKey reports whether a call gets a key, or a part of one, that comes from what its function was
// given.
func byKey(call *ssa.Call) bool {
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(operand ssa.Value) bool {
		return operand != nil && (kubeapi.IsString(operand.Type()) || kubeapi.IsObjectKey(operand.Type())) && ofParameter(operand)
	})
}

// isKey reports whether a parameter is the key of an object, or a part of one.
func isKey(p *ssa.Parameter) bool { return kubeapi.IsString(p.Type()) || kubeapi.IsObjectKey(p.Type()) }

// ofParameter reports whether a value is a parameter that is a key, or is made of one: a part
// of the key, perhaps.
func ofParameter(v ssa.Value) bool {
	parts := values.Relation{Steps: values.Same | values.Held | values.Computed, More: func(v ssa.Value) []ssa.Value {
		if call, _ := calls.CallOf(v); call != nil {
			return call.Common().Args
		}
		return keyBehind(v)
	}}
	return parts.Any(v, func(v ssa.Value) bool {
		p, ok := v.(*ssa.Parameter)
		return ok && isKey(p)
	})
}

// keyBehind is the key that a part is read of, or what one is put together of.
func keyBehind(part ssa.Value) []ssa.Value {
	switch part := part.(type) {
	case *ssa.Field:
		if kubeapi.IsObjectKey(part.X.Type()) {
			return []ssa.Value{part.X}
		}
	case *ssa.UnOp:
		if cell, ok := blocks.Base(part.X).(*ssa.Alloc); ok && kubeapi.IsObjectKey(kubeapi.Deref(cell.Type())) {
			stored := calls.StoredInto(cell)
			for field := range blocks.UsesOf[*ssa.FieldAddr](cell) {
				stored = append(stored, calls.StoredInto(field)...)
			}
			return stored
		}
	}
	return nil
}

// absences are the values by which the caller of a read tells that there is no object,
// with what they are then.
func absences(call *ssa.Call) map[ssa.Value]paths.Truth {
	found := make(map[ssa.Value]paths.Truth)
	callee := kubeapi.Callee(call.Common())
	asked := func(err ssa.Value) {
		for test := range blocks.UsesOf[*ssa.Call](err) {
			switch kubeapi.ErrorUseOf(kubeapi.Callee(test.Common())) {
			case kubeapi.TellsNotFound:
				found[test], found[err] = paths.True.WhenComputed(), paths.True.WhenComputed()
			case kubeapi.IgnoresErrorKind:
				if strings.Contains(kubeapi.Callee(test.Common()).Name(), "NotFound") {
					found[err] = paths.True.WhenComputed()
				}
			}
		}
	}
	if op, ok := kubeapi.ClientOp(call.Common()); ok && op.Verb.Reads() && kubeapi.IsError(call.Type()) {
		asked(call)
	}
	for extract := range blocks.UsesOf[*ssa.Extract](call) {
		switch {
		case kubeapi.IsError(extract.Type()):
			asked(extract)
		case callee != nil && callee.Name() == "GetByKey" && extract.Index == 1:
			found[extract] = paths.False.WhenComputed()
		}
	}
	return found
}

// ignoresMissing reports whether a function does nothing that lasts if the object is
// gone that it reads.
func (m *machine) ignoresMissing(fn *ssa.Function, read *ssa.Call) bool {
	reads := map[ssa.Instruction]bool{read: true}
	// lister.Pods(namespace).Get(name)
	for recv := read; recv != nil && recv.Common().IsInvoke(); {
		if recv, _ = recv.Common().Value.(*ssa.Call); recv != nil {
			reads[recv] = true
		}
	}
	g := paths.NewGraph(fn, m.graph, nil)
	if g.Entry == nil {
		return false
	}
	_, works := g.Search(nil, 0, absences(read), func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if n.Instr != nil && n.Joins == nil && !reads[n.Instr] && m.isWork(n.Instr) && !isClock(n.Instr) && !looksAtError(n.Instr) {
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	return !works
}

// looksAtError reports whether an instruction calls a function that only tells what an error is, or hands it back.
func looksAtError(instr ssa.Instruction) bool {
	call, ok := instr.(*ssa.Call)
	return ok && kubeapi.ErrorUseOf(kubeapi.Callee(call.Common())) != kubeapi.UnknownErrorUse
}

// isClock reports whether an instruction calls a function value that takes nothing and
// answers one thing, as a clock that tests set does.
func isClock(instr ssa.Instruction) bool {
	call, ok := instr.(*ssa.Call)
	if !ok || call.Common().IsInvoke() || call.Common().StaticCallee() != nil {
		return false
	}
	sig := call.Common().Signature()
	return sig.Params().Len() == 0 && sig.Results().Len() == 1 && !kubeapi.IsError(sig.Results().At(0).Type())
}
