package handlers

import (
	"go/types"
	"iter"
	"slices"

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
type readers struct {
	workers int
	here    []*Reads // by functions of the package
	told    []*Reads // and of others
}

// ignoreMissing reports whether the workers of the package do nothing for the key of an object
// that is gone. One that reads an object of another kind by that key, such as the node that a
// configuration belongs to, does what it does; unless it reads that of the key as well, as where
// it has looked for the namespace first. Without workers, nobody knows what a key is good for.
func (r *readers) ignoreMissing(l *Loss) bool {
	if r.workers == 0 {
		return true
	}
	kind := kindName(kubeapi.KindOf(l.Asserted))
	known := false
	for _, reads := range r.all() {
		read := reads.of(kind)
		known = known || kind == "" || read.Kind == "" || read.Kind == kind
		if !read.Ignored {
			return false
		}
	}
	return known
}

// all are what this package reads, or what others do if it reads nothing itself.
func (r *readers) all() []*Reads {
	if len(r.here) > 0 {
		return r.here
	}
	return r.told
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
func (m *machine) readers(entries *entrypoints.Result) *readers {
	r := new(readers)
	seen := make(map[*ssa.Function]bool)
	for _, entry := range entries.Entries {
		if entry.Kind == kubeapi.Sync || entry.Kind == kubeapi.Worker {
			r.workers++
			m.readBy(entry.Fn, r, seen, 0)
		}
	}
	return r
}

// readBy adds what is read by the first functions on the ways from one.
func (m *machine) readBy(fn *ssa.Function, r *readers, seen map[*ssa.Function]bool, depth int) {
	if fn == nil || seen[fn] || depth > maxWay {
		return
	}
	seen[fn] = true
	if reads := m.reads(fn); len(reads.Objects) > 0 {
		r.here = append(r.here, reads)
		return
	}
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		targets := m.graph.Callees(call)
		for _, target := range targets.Funcs {
			m.readBy(target, r, seen, depth+1)
		}
		elsewhere := []*types.Func{kubeapi.Callee(call.Common())}
		for _, external := range targets.External {
			elsewhere = append(elsewhere, external.Func)
		}
		for _, callee := range elsewhere {
			told := new(Reads)
			if callee != nil && callee.Pkg() != m.pass.Pkg && m.pass.ImportObjectFact(callee, told) {
				r.told = append(r.told, told)
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
			known.Objects = append(known.Objects, Read{kindName(kubeapi.KindOfResult(read.Call.Signature())), m.ignoresMissing(fn, read)})
		}
		m.reading[fn] = known
	}
	return known
}

// exportReads tells other packages what a function reads by a key, if that is done in one place. One
// that hands back an object leaves it to others what they do if there is none.
func (m *machine) exportReads(fn *ssa.Function, obj *types.Func) {
	if !kubeapi.CanFail(fn.Signature) || kubeapi.KindOfResult(fn.Signature) != nil || !slices.ContainsFunc(calls.Params(fn), func(p *ssa.Parameter) bool { return kubeapi.IsString(p.Type()) }) {
		return
	}
	r := new(readers)
	m.readBy(fn, r, make(map[*ssa.Function]bool), 0)
	if found := r.all(); len(found) == 1 {
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

// byKey reports whether a call gets a string that comes from what its function was
// given.
func byKey(call *ssa.Call) bool {
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(operand ssa.Value) bool {
		return operand != nil && kubeapi.IsString(operand.Type()) && ofParameter(operand)
	})
}

// ofParameter reports whether a value is a string parameter, or is made of one: a part
// of the key, perhaps.
func ofParameter(v ssa.Value) bool {
	parts := values.Relation{Steps: values.Same | values.Held | values.Computed, More: func(v ssa.Value) []ssa.Value {
		if call, _ := calls.CallOf(v); call != nil {
			return call.Common().Args
		}
		return nil
	}}
	return parts.Any(v, func(v ssa.Value) bool {
		p, ok := v.(*ssa.Parameter)
		return ok && kubeapi.IsString(p.Type())
	})
}

// absences are the values by which the caller of a read tells that there is no object,
// with what they are then.
func absences(call *ssa.Call) map[ssa.Value]paths.Truth {
	found := make(map[ssa.Value]paths.Truth)
	callee := kubeapi.Callee(call.Common())
	for extract := range blocks.UsesOf[*ssa.Extract](call) {
		switch {
		case kubeapi.IsError(extract.Type()):
			for test := range blocks.UsesOf[*ssa.Call](extract) {
				if kubeapi.ErrorUseOf(kubeapi.Callee(test.Common())) == kubeapi.TellsNotFound {
					found[test], found[extract] = paths.True.WhenComputed(), paths.True.WhenComputed()
				}
			}
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
		if n.Instr != nil && n.Joins == nil && !reads[n.Instr] && m.isWork(n.Instr) && !isClock(n.Instr) {
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	return !works
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
