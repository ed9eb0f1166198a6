// Package lives tells how long something goes on that a context or a stop channel ends: as long as the process, its
// owner, or forever.
package lives

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
)

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
			if step.Cancel == nil || step.Cancel.Referrers() == nil || len(*step.Cancel.Referrers()) == 0 {
				continue // the cancel function is dropped
			}
			if calledHere(step.Cancel) {
				return bounded, ""
			}
			return unclear, ""
		}
	}
	switch o.Kind {
	case contexts.Detached:
		return Endless, rootName(o.Root)
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
	for instr := range blocks.Instrs(load.Parent()) {
		store, ok := instr.(*ssa.Store)
		if !ok {
			continue
		}
		if addr, ok := store.Addr.(*ssa.FieldAddr); ok && calls.FieldOf(addr.X.Type(), addr.Field) == o.Field {
			return unclear, ""
		}
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
	for _, entry := range u.Entries.Of(fn) {
		if entry.Kind == kubeapi.HTTPHandler || entry.Kind == kubeapi.Admission {
			return bounded, ""
		}
	}
	if obj, ok := fn.Object().(*types.Func); ok && kubeapi.IsRPCMethod(obj) {
		return bounded, ""
	}
	lives, what := Owned, ""
	if depth >= MaxCallers {
		return lives, what
	}
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
	return lives, ""
}

// channelLife is that of a channel made here.
func (u *Unit) channelLife(made *ssa.MakeChan) (life, string) {
	fate := &channelFate{u: u, seen: make(map[ssa.Value]bool)}
	fate.value(made, 0)
	switch {
	case fate.closed:
		return bounded, ""
	case fate.lost:
		return unclear, ""
	}
	return Endless, "a channel that nobody closes"
}

// channelFate follows a channel to see whether anybody may close it.
type channelFate struct {
	u            *Unit
	seen         map[ssa.Value]bool
	closed, lost bool
}

func (f *channelFate) value(v ssa.Value, depth int) {
	if f.seen[v] || v.Referrers() == nil {
		return
	}
	f.seen[v] = true
	if depth > 12 || len(f.seen) > 200 {
		f.lost = true
		return
	}
	for _, ref := range *v.Referrers() {
		f.use(v, ref, depth)
	}
}

func (f *channelFate) use(v ssa.Value, ref ssa.Instruction, depth int) {
	// A switch of its own: it goes forward, which ir/values does not.
	switch ref := ref.(type) {
	case *ssa.DebugRef, *ssa.BinOp, *ssa.Select:
		// Who sends to it or receives from it does not close it, but a value
		// that is sent ends one who waits.
		if sel, ok := ref.(*ssa.Select); ok && sends(sel, v) {
			f.closed = true
		}
	case *ssa.UnOp:
	case *ssa.Send:
		f.closed = true
	case *ssa.ChangeType:
		f.value(ref, depth+1)
	case *ssa.Phi:
		f.value(ref, depth+1)
	case *ssa.Store:
		if ref.Val == v {
			f.store(ref.Addr, depth)
		}
	case *ssa.MakeClosure:
		literal, ok := ref.Fn.(*ssa.Function)
		for n, binding := range ref.Bindings {
			if ok && binding == v && n < len(literal.FreeVars) {
				f.value(literal.FreeVars[n], depth+1)
			}
		}
	case ssa.CallInstruction:
		f.call(v, ref, depth)
	default:
		f.lost = true
	}
}

func sends(sel *ssa.Select, ch ssa.Value) bool {
	for _, state := range sel.States {
		if state.Chan == ch && state.Dir == types.SendOnly || state.Send == ch {
			return true
		}
	}
	return false
}

// store follows the channel into a local variable, or into a field that nobody
// outside of the package has.
func (f *channelFate) store(addr ssa.Value, depth int) {
	for range MaxCallers {
		captured, ok := addr.(*ssa.FreeVar)
		if !ok {
			break
		}
		addr = f.u.Graph.Binding(captured)
	}
	switch addr := addr.(type) {
	case *ssa.Alloc:
		f.cell(addr, depth+1)
	case *ssa.FieldAddr:
		f.field(calls.FieldOf(addr.X.Type(), addr.Field), depth+1)
	default:
		f.lost = true
	}
}

// field follows the channel to where the package reads a field.
func (f *channelFate) field(field *types.Var, depth int) {
	if field == nil || field.Exported() || field.Pkg() != f.u.Pass.Pkg {
		f.lost = true
		return
	}
	for _, fn := range f.u.Graph.Funcs {
		for instr := range blocks.Instrs(fn) {
			switch instr := instr.(type) {
			case *ssa.FieldAddr:
				if calls.FieldOf(instr.X.Type(), instr.Field) == field {
					f.cell(instr, depth)
				}
			case *ssa.Field:
				if calls.FieldOf(instr.X.Type(), instr.Field) == field {
					f.value(instr, depth)
				}
			}
		}
	}
}

func (f *channelFate) cell(addr ssa.Value, depth int) {
	if f.seen[addr] || addr.Referrers() == nil {
		return
	}
	f.seen[addr] = true
	for _, ref := range *addr.Referrers() {
		switch ref := ref.(type) {
		case *ssa.UnOp:
			f.value(ref, depth+1)
		case *ssa.Store, *ssa.DebugRef:
		case *ssa.MakeClosure:
			literal, ok := ref.Fn.(*ssa.Function)
			for n, binding := range ref.Bindings {
				if ok && binding == addr && n < len(literal.FreeVars) {
					f.cell(literal.FreeVars[n], depth+1)
				}
			}
		default:
			f.lost = true
		}
	}
}

func (f *channelFate) call(v ssa.Value, call ssa.CallInstruction, depth int) {
	if builtin, ok := call.Common().Value.(*ssa.Builtin); ok {
		f.closed = f.closed || builtin.Name() == "close"
		return
	}
	targets := f.u.Graph.Callees(call)
	for _, target := range targets.Funcs {
		operands := kubeapi.Operands(call.Common())
		if len(operands) != len(target.Params) {
			f.lost = true
			continue
		}
		for n, operand := range operands {
			if operand == v {
				f.value(target.Params[n], depth+1)
			}
		}
	}
	if len(targets.Funcs) > 0 {
		return
	}
	if op, ok := kubeapi.InformerOpOf(call); ok && op.Until == v {
		return
	}
	if w, ok := kubeapi.WaitCall(call.Common()); ok && w.Until == v {
		return
	}
	f.lost = true
}

// calledHere reports whether a cancel function is called or deferred by the
// function that has it, or a literal in it.
func calledHere(cancel ssa.Value) bool { return called(cancel, make(map[ssa.Value]bool), 0) }

func called(v ssa.Value, seen map[ssa.Value]bool, depth int) bool {
	if v.Referrers() == nil || seen[v] || depth > 8 {
		return false
	}
	seen[v] = true
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case ssa.CallInstruction:
			if ref.Common().Value == v {
				return true
			}
		case *ssa.ChangeType:
			if called(ref, seen, depth+1) {
				return true
			}
		case *ssa.Store:
			if cell, ok := ref.Addr.(*ssa.Alloc); ok && ref.Val == v && called(cell, seen, depth+1) {
				return true
			}
		case *ssa.UnOp:
			if ref.Op == token.MUL && called(ref, seen, depth+1) {
				return true
			}
		case *ssa.MakeClosure:
			literal, ok := ref.Fn.(*ssa.Function)
			for n, binding := range ref.Bindings {
				if ok && binding == v && n < len(literal.FreeVars) && called(literal.FreeVars[n], seen, depth+1) {
					return true
				}
			}
		}
	}
	return false
}

// rootName writes what never ends as the code does: "context.Background()".
func rootName(root ssa.Value) string {
	switch root := root.(type) {
	case *ssa.Call:
		if callee := kubeapi.Callee(root.Common()); callee != nil && callee.Pkg() != nil {
			return callee.Pkg().Name() + "." + callee.Name() + "()"
		}
	case *ssa.UnOp:
		if kubeapi.IsNeverStop(root) {
			return "wait.NeverStop"
		}
	}
	return "something that never ends"
}
