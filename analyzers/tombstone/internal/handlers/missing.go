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

// readers are the functions by which the workers of the package read the object of a key.
type readers struct {
	workers int
	fns     []*ssa.Function
}

// ignoreMissing reports whether the workers of the package do nothing for the key of an object
// that is gone. One that reads an object of another kind by that key, such as the node that a
// configuration belongs to, does what it does; unless it reads that of the key as well, as where
// it has looked for the namespace first. Without workers, nobody knows what a key is good for.
func (m *machine) ignoreMissing(r *readers, l *Loss) bool {
	if r.workers == 0 {
		return true
	}
	kind := kubeapi.KindOf(l.Asserted)
	known := false
	for _, fn := range r.fns {
		read := readOf(fn, kind)
		is := kindRead(read)
		known = known || kind == nil || is == nil || is == kind
		if !m.ignoresMissing(fn, read) {
			return false
		}
	}
	return known
}

// readOf returns the call by which a function reads the object of a kind by a key, or the first of
// those that read any.
func readOf(fn *ssa.Function, kind *types.Named) *ssa.Call {
	var first *ssa.Call
	for read := range readsByKey(fn) {
		if kind != nil && kindRead(read) == kind {
			return read
		}
		if first == nil {
			first = read
		}
	}
	return first
}

func kindRead(read *ssa.Call) *types.Named { return kubeapi.KindOfResult(read.Call.Signature()) }

// readers looks for them. A worker that reads nothing is none of whom it is known what it does.
func (m *machine) readers(entries *entrypoints.Result) *readers {
	r := new(readers)
	seen := make(map[*ssa.Function]bool)
	var visit func(fn *ssa.Function, depth int)
	visit = func(fn *ssa.Function, depth int) {
		if fn == nil || seen[fn] || depth > maxWay {
			return
		}
		seen[fn] = true
		if readOf(fn, nil) != nil {
			r.fns = append(r.fns, fn)
			return
		}
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			for _, target := range m.graph.Callees(call).Funcs {
				visit(target, depth+1)
			}
		}
	}
	for _, entry := range entries.Entries {
		if entry.Kind == kubeapi.Sync || entry.Kind == kubeapi.Worker {
			r.workers++
			visit(entry.Fn, 0)
		}
	}
	return r
}

// readsByKey yields the calls by which a function reads objects that its parameters tell, and that
// tell by an error or a flag whether the object is there.
func readsByKey(fn *ssa.Function) iter.Seq[*ssa.Call] {
	return func(yield func(*ssa.Call) bool) {
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			if byKey(call) && len(absences(call)) > 0 && !yield(call) {
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
