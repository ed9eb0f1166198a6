// Package replaced finds another object that the function of CreateOrUpdate has made instead of changing
// the one that is written.
package replaced

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/passes/origins"
)

// In answers for a package.
type In struct {
	*objects.Summaries
	Origins *origins.Tracer
	Info    *types.Info
}

// Variable is where the function of a call puts another object of the kind into the variable that
// it has the object from, and has not touched that before; it is not valid if it does not.
//
//	func() error { deployment = newDeployment(app); return nil }
func (c In) Variable(call *ssa.Call, op kubeapi.Op, of *types.Named) token.Pos {
	literal, variable := paths.Literal(c.Calls, op.Mutate), variableOf(op.Object)
	if literal == nil || variable == nil || of == nil || c.isHeldElsewhere(variable) || c.isWritten(variable, call) {
		return token.NoPos
	}
	for _, free := range literal.FreeVars {
		if calls.Captured(free) != ssa.Value(variable) {
			continue
		}
		for store := range blocks.Stores(free) {
			if c.isAnother(store.Val, of) && !c.isIn(variable, store.Val) && !blocks.AnyUse(free, func(use ssa.Instruction) bool { return !blocks.StoresTo(use, free) && blocks.Follows(use, store) }) {
				return store.Pos()
			}
		}
	}
	return token.NoPos
}

// variableOf is the variable that an object is read from, or nil.
func variableOf(object ssa.Value) *ssa.Alloc {
	for x := object; x != nil; x = kubeapi.Converted(x) {
		if load, ok := x.(*ssa.UnOp); ok && load.Op == token.MUL {
			variable, _ := calls.Captured(load.X).(*ssa.Alloc)
			return variable
		}
	}
	return nil
}

// isHeldElsewhere reports whether the object that a variable has is stored in another place as well,
// by which the function may change it.
func (c In) isHeldElsewhere(variable *ssa.Alloc) bool {
	isStored := func(v ssa.Value) bool {
		return blocks.AnyUse(v, func(store *ssa.Store) bool { return store.Val == v && store.Addr != ssa.Value(variable) })
	}
	held := func(v ssa.Value) bool {
		return isStored(v) || blocks.AnyUse(v, func(boxed *ssa.MakeInterface) bool { return isStored(boxed) })
	}
	for store := range blocks.Stores(variable) {
		if held(store.Val) {
			return true
		}
	}
	return blocks.AnyUse(variable, func(load *ssa.UnOp) bool { return held(load) })
}

// isWritten reports whether what a variable has after a call is written by another one.
func (c In) isWritten(variable *ssa.Alloc, after *ssa.Call) bool {
	return blocks.Any(after.Parent(), func(call *ssa.Call) bool {
		op, ok := c.ClientOp(call.Common())
		return ok && call != after && !op.Verb.Reads() && op.Object != nil && variableOf(op.Object) == variable && blocks.Follows(after, call)
	})
}

// isIn reports whether a value is what a variable is set to outside of literals.
func (c In) isIn(variable *ssa.Alloc, v ssa.Value) bool {
	for store := range blocks.Stores(variable) {
		if c.Calls.Origin(store.Val) == c.Calls.Origin(v) {
			return true
		}
	}
	return false
}

// isAnother reports whether a value is an object that was made anew, a copy, or a part of another one.
func (c In) isAnother(v ssa.Value, of *types.Named) bool {
	if call, _ := calls.CallOf(v); call != nil && kubeapi.IsDeepCopy(kubeapi.Callee(call.Common())) {
		return true
	}
	place := c.Resolve.Place(v)
	return c.Origins.Of(v) == origins.Made || place.IsInside() && place.Kind.Obj() != of.Obj()
}

// Ignored is where a function that is handed the object which the function of a call is to change
// puts another one into its parameter at once; it is not valid if there is none.
//
//	func build(deployment *appsv1.Deployment) error { deployment = &appsv1.Deployment{…}; … }
func (c In) Ignored(op kubeapi.Op, of *types.Named) token.Pos {
	literal := paths.Literal(c.Calls, op.Mutate)
	if literal == nil || of == nil {
		return token.NoPos
	}
	object := c.Resolve.Place(op.Object).Object
	for call := range blocks.InstrsOf[*ssa.Call](literal) {
		targets := c.Calls.Callees(call)
		if !targets.Closed || len(targets.Funcs) != 1 {
			continue
		}
		for _, p := range targets.Funcs[0].Params {
			if arg := calls.ArgumentOf(call, p); arg != nil && calls.Unused(p) && c.Resolve.Place(arg).Object == object {
				return c.assigned(p)
			}
		}
	}
	return token.NoPos
}

// assigned is where a parameter that is used for nothing else is assigned, in a function that hands
// no object back.
func (c In) assigned(p *ssa.Parameter) token.Pos {
	fn := p.Parent()
	for result := range fn.Signature.Results().Variables() {
		if kubeapi.IsObject(result.Type()) {
			return token.NoPos
		}
	}
	at := token.NoPos
	if syntax := fn.Syntax(); syntax != nil {
		ast.Inspect(syntax, func(n ast.Node) bool {
			assign, ok := n.(*ast.AssignStmt)
			if ok && assign.Tok == token.ASSIGN && !at.IsValid() {
				for _, left := range assign.Lhs {
					if name, ok := left.(*ast.Ident); ok && c.Info.Uses[name] == p.Object() {
						at = assign.Pos()
					}
				}
			}
			return true
		})
	}
	return at
}
