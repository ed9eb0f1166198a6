package createorupdate

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/origins"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// tellReplaced reports a function that puts another object into the variable instead of changing
// the one that is written.
func (c *checker) tellReplaced(call *ssa.Call, it upsert, at token.Pos) {
	pos, end := syntax.Span(c.pass.Files, call)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: noopMutate,
		Message: wording.Fit(func(short func(string) string) string {
			return fmt.Sprintf("what is made for the %s is never stored: the function puts it into a variable, and %s writes the object that it was handed; set its fields", short(it.kind.Obj().Name()), it.by)
		}),
		Related: []analysis.RelatedInformation{{Pos: at, Message: "this one takes its place"}},
	})
}

// replaced is where the function of a call puts another object of the kind into the variable that
// it has the object from, and has not touched that before; it is not valid if it does not.
//
//	func() error { deployment = newDeployment(app); return nil }
func (c *checker) replaced(op kubeapi.Op, of *types.Named) token.Pos {
	literal, variable := paths.Literal(c.Calls, op.Mutate), variableOf(op.Object)
	if literal == nil || variable == nil || of == nil {
		return token.NoPos
	}
	// Another variable of the function may have the object still.
	if slices.ContainsFunc(literal.FreeVars, func(free *ssa.FreeVar) bool {
		other, ok := calls.Captured(free).(*ssa.Alloc)
		return ok && other != variable && slices.ContainsFunc(calls.StoredInto(other), func(v ssa.Value) bool { return c.isIn(variable, v) })
	}) {
		return token.NoPos
	}
	for store := range blocks.InstrsOf[*ssa.Store](literal) {
		if calls.Captured(store.Addr) == ssa.Value(variable) && c.isAnother(store.Val, of) && !c.isIn(variable, store.Val) &&
			!blocks.Any(literal, func(load *ssa.UnOp) bool {
				return calls.Captured(load.X) == ssa.Value(variable) && blocks.Follows(load, store)
			}) {
			return store.Pos()
		}
	}
	return token.NoPos
}

// variableOf is the variable that an object is read from, or nil.
func variableOf(object ssa.Value) *ssa.Alloc {
	for x := object; x != nil; x = kubeapi.Converted(x) {
		if load, ok := x.(*ssa.UnOp); ok && load.Op == token.MUL {
			variable, _ := load.X.(*ssa.Alloc)
			return variable
		}
	}
	return nil
}

// isIn reports whether a value is what a variable is set to outside of literals.
func (c *checker) isIn(variable *ssa.Alloc, v ssa.Value) bool {
	return blocks.AnyUse(variable, func(store *ssa.Store) bool {
		return store.Addr == ssa.Value(variable) && c.Calls.Origin(store.Val) == c.Calls.Origin(v)
	})
}

// isAnother reports whether a value is an object that was made anew, a copy, or a part of another one.
func (c *checker) isAnother(v ssa.Value, of *types.Named) bool {
	if call, _ := calls.CallOf(v); call != nil && kubeapi.IsDeepCopy(kubeapi.Callee(call.Common())) {
		return true
	}
	place := c.Resolve.Place(v)
	return c.origins.Of(v) == origins.Made || place.IsInside() && place.Kind.Obj() != of.Obj()
}

// ignored is where a function makes an object of its own that is handed the one which the function
// of a call is to change, and does nothing with that; it is not valid if there is none.
//
//	func build(deployment *appsv1.Deployment) error { deployment = &appsv1.Deployment{…}; … }
func (c *checker) ignored(op kubeapi.Op, of *types.Named) token.Pos {
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
		for i, operand := range kubeapi.Operands(call.Common()) {
			if params := targets.Funcs[0].Params; i < len(params) && calls.Unused(params[i]) && c.Resolve.Place(operand).Object == object {
				return made(targets.Funcs[0], of)
			}
		}
	}
	return token.NoPos
}

// made is where a function that hands back no object makes one of a kind.
func made(fn *ssa.Function, of *types.Named) token.Pos {
	is := func(t types.Type) bool { kind := kubeapi.KindOf(t); return kind != nil && kind.Obj() == of.Obj() }
	for result := range fn.Signature.Results().Variables() {
		if is(result.Type()) || kubeapi.IsObject(result.Type()) {
			return token.NoPos
		}
	}
	for literal := range blocks.InstrsOf[*ssa.Alloc](fn) {
		if literal.Comment == "complit" && is(literal.Type()) {
			return literal.Pos()
		}
	}
	return token.NoPos
}
