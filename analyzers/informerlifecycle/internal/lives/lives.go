// Package lives tells how long something goes on that a context or a stop channel ends: as long as the process, its
// owner, or forever.
package lives

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// Unit is one package under analysis, and how long what runs in it lives.
type Unit struct{ *subject.Unit }

// life is how long what is started with a stop channel or context runs.
type life uint8

const (
	// unclear: somebody may end it, by a way that cannot be followed.
	unclear life = iota
	// bounded: it ends with the call, a request, a timeout, or when the
	// function says so.
	bounded
	// owned: it ends with a parameter's or field's owner, and not with the
	// call that starts it.
	Owned
	// endless: nothing ends it.
	Endless
)

// MaxCallers bounds how far a parameter is followed back to the callers.
const MaxCallers = 4

// LifeOf says how long a stop channel or context lives, and if nothing ends
// it, what it is: "wait.NeverStop".
func (u *Unit) LifeOf(until ssa.Value, depth int) (lives life, what string) {
	lives = Endless
	for _, o := range u.Contexts.Origins(until) {
		one, name := u.originLife(o, depth)
		if one < lives {
			lives = one
		}
		if name != "" {
			what = name
		}
	}
	return lives, what
}

func (u *Unit) originLife(o contexts.Origin, depth int) (life, string) {
	for _, step := range o.Steps {
		switch step.Kind {
		case contexts.Timeout:
			return bounded, ""
		case contexts.Cancel:
			if step.ByCancel() && (step.Cancel == nil || calls.Unused(step.Cancel)) {
				continue // the cancel function is dropped
			}
			if step.Cancel != nil && calledHere(step.Cancel) {
				return bounded, ""
			}
			return unclear, ""
		}
	}
	switch o.Kind {
	case contexts.Detached:
		return Endless, o.Written()
	case contexts.Request:
		return bounded, ""
	case contexts.Global:
		return Owned, ""
	case contexts.Field:
		return u.fieldLife(o, depth)
	case contexts.Param:
		if param, ok := o.Root.(*ssa.Parameter); ok {
			return u.paramLife(param, depth)
		}
	case contexts.Unknown:
		switch root := o.Root.(type) {
		case *ssa.Const:
			if root.IsNil() {
				return Endless, "nil"
			}
		case *ssa.MakeChan:
			return u.channelLife(root)
		}
	}
	return unclear, ""
}

// fieldLife is that of a context or channel which a field holds: one that this
// function has just put there can be ended by others, and one that the package
// only ever puts something endless into, by nobody.
func (u *Unit) fieldLife(o contexts.Origin, depth int) (life, string) {
	load, ok := o.Root.(ssa.Instruction)
	if !ok || o.Field == nil {
		return unclear, ""
	}
	if blocks.Any(load.Parent(), func(store *ssa.Store) bool { return calls.FieldAt(store.Addr) == o.Field }) {
		return unclear, ""
	}
	origins, all := u.Contexts.FieldOrigins(o.Field)
	if !all || depth >= MaxCallers {
		return Owned, ""
	}
	what := ""
	for _, stored := range origins {
		if stored.Kind == contexts.Field || stored.Kind == contexts.Param || len(stored.Steps) > 0 {
			return Owned, ""
		}
		lives, name := u.originLife(stored, depth+1)
		if lives != Endless || name == "nil" {
			return Owned, "" // it may be set later
		}
		what = name
	}
	return Endless, what
}

// paramLife is that of what the callers in the package hand in: the shortest.
func (u *Unit) paramLife(param *ssa.Parameter, depth int) (life, string) {
	fn := param.Parent()
	obj, ok := fn.Object().(*types.Func)
	if ok && kubeapi.IsRPCMethod(obj) || slices.ContainsFunc(u.Entries.Of(fn), func(entry *entrypoints.Entry) bool {
		return entry.Kind == kubeapi.HTTPHandler || entry.Kind == kubeapi.Admission
	}) {
		return bounded, ""
	}
	if depth >= MaxCallers {
		return Owned, ""
	}
	what := ""
	callers := u.Graph.Callers(fn)
	allEndless := len(callers) > 0 && (fn.Object() == nil || !fn.Object().Exported())
	for _, call := range callers {
		arg := calls.ArgumentOf(call, param)
		if arg == nil {
			return unclear, ""
		}
		one, name := u.LifeOf(arg, depth+1)
		if one < Owned {
			return one, ""
		}
		allEndless = allEndless && one == Endless
		what = name
	}
	if allEndless {
		return Endless, what
	}
	return Owned, ""
}

// channelLife is that of a channel made here.
func (u *Unit) channelLife(made *ssa.MakeChan) (life, string) {
	of := values.Relation{Calls: u.Graph, Steps: values.Converted | values.Merged | values.Held | values.Given, Onward: u.kept}
	lost := false
	for ch, use := range of.Uses(made) {
		switch use := use.(type) {
		case *ssa.BinOp, *ssa.UnOp:
		case *ssa.Select:
			// Who receives from it does not close it, but a value that is sent ends
			// one who waits.
			if sends(use, ch) {
				return bounded, ""
			}
		case *ssa.Send:
			return bounded, ""
		case ssa.CallInstruction:
			if calls.IsBuiltin(use, "close") {
				return bounded, ""
			}
			_, isBuiltin := use.Common().Value.(*ssa.Builtin)
			lost = lost || !isBuiltin && !u.waitsFor(use, ch)
		default:
			lost = true
		}
	}
	if lost {
		return unclear, ""
	}
	return Endless, "a channel that nobody closes"
}

// waitsFor reports whether a call only waits for a channel to be closed, or is of
// functions of the package.
func (u *Unit) waitsFor(call ssa.CallInstruction, ch ssa.Value) bool {
	if len(u.Graph.Callees(call).Funcs) > 0 {
		return true
	}
	if op, ok := kubeapi.InformerOpOf(call); ok && op.Until == ch {
		return true
	}
	w, ok := kubeapi.WaitCall(call.Common())
	return ok && w.Until == ch
}

// kept returns what the package reads from a field that a channel is stored into, if
// nobody outside of the package has that.
func (u *Unit) kept(ch ssa.Value, use ssa.Instruction) []ssa.Value {
	store, ok := use.(*ssa.Store)
	if !ok || store.Val != ch {
		return nil
	}
	field := calls.FieldAt(store.Addr)
	if field == nil || field.Exported() || field.Pkg() != u.Pass.Pkg {
		return nil
	}
	var reads []ssa.Value
	for _, fn := range u.Graph.Funcs {
		for read := range blocks.InstrsOf[ssa.Value](fn) {
			if calls.FieldAt(read) != field {
				continue
			}
			if _, isAddr := read.(*ssa.FieldAddr); !isAddr {
				reads = append(reads, read)
				continue
			}
			for _, use := range *read.Referrers() {
				switch use := use.(type) {
				case *ssa.UnOp:
					reads = append(reads, use)
				case *ssa.Store:
				default:
					return nil
				}
			}
		}
	}
	return reads
}

func sends(sel *ssa.Select, ch ssa.Value) bool {
	return slices.ContainsFunc(sel.States, func(state *ssa.SelectState) bool {
		return state.Chan == ch && state.Dir == types.SendOnly || state.Send == ch
	})
}

// calledHere reports whether a cancel function is called or deferred by the
// function that has it, or a literal in it.
func calledHere(cancel ssa.Value) bool {
	for v, use := range (values.Relation{Steps: values.Converted | values.Held}).Uses(cancel) {
		if call, ok := use.(ssa.CallInstruction); ok && call.Common().Value == v {
			return true
		}
	}
	return false
}
