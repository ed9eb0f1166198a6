package refusals

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// arguments are what a function is called with on the way from the webhook, as far as its
// questions are answered by that: constants, such as a flag or a mode, and objects, which are not nil.
type arguments map[*ssa.Parameter]ssa.Value

// ofEntry are those of the webhook itself: the old and the new object are there.
func ofEntry(fn *ssa.Function) arguments {
	given := make(arguments)
	for _, p := range fn.Params {
		if kubeapi.IsObject(p.Type()) {
			given[p] = p
		}
	}
	return given
}

// handedBy are those of a function that a call runs, in a function that has been given some itself.
func (given arguments) handedBy(call *ssa.Call, target *ssa.Function) arguments {
	handed := make(arguments)
	operands := kubeapi.Operands(call.Common())
	for i, p := range target.Params {
		if i >= len(operands) {
			break
		}
		v := kubeapi.Unboxed(operands[i])
		if known := given[paramOf(v)]; known != nil {
			handed[p] = known
		} else if c, ok := v.(*ssa.Const); ok {
			handed[p] = c
		}
	}
	return handed
}

// paramOf is the parameter that a value is, also behind what it is taken for; nil for none.
func paramOf(v ssa.Value) *ssa.Parameter {
	if extract, ok := v.(*ssa.Extract); ok && extract.Index == 0 {
		v = extract.Tuple
	}
	if assert, ok := v.(*ssa.TypeAssert); ok {
		v = assert.X
	}
	p, _ := v.(*ssa.Parameter)
	return p
}

// answer adds to what is known of a function's questions those that its arguments answer.
func (given arguments) answer(answers map[ssa.Value]paths.Truth) {
	for p, v := range given {
		c, isConst := v.(*ssa.Const)
		if isConst && c.Value != nil && c.Value.Kind() == constant.Bool {
			answers[p] = paths.TruthOf(constant.BoolVal(c.Value))
		}
		for op := range blocks.UsesOf[*ssa.BinOp](p) {
			other, ok := op.Y, op.X == ssa.Value(p)
			if !ok {
				other = op.X
			}
			if op.Op != token.EQL && op.Op != token.NEQ {
				continue
			}
			if equal, known := sameAs(v, other); known {
				answers[op] = paths.TruthOf(equal == (op.Op == token.EQL)).WhenComputed()
			}
		}
	}
}

// sameAs reports whether what a parameter is given is what it is compared with, if that is known.
func sameAs(v, with ssa.Value) (equal, known bool) {
	c, isConst := v.(*ssa.Const)
	other, ok := with.(*ssa.Const)
	switch {
	case !ok:
		return false, false
	case !isConst:
		return false, calls.IsNil(other) // an object
	case c.Value == nil || other.Value == nil:
		return c.Value == other.Value, calls.IsNil(c) == (c.Value == nil) && calls.IsNil(other) == (other.Value == nil)
	}
	return constant.Compare(c.Value, token.EQL, other.Value), c.Value.Kind() == other.Value.Kind()
}
