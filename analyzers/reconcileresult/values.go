package reconcileresult

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/callgraph"
	"github.com/opvet/opvet/internal/flow"
	"github.com/opvet/opvet/internal/kubeapi"
)

// resultType is reconcile.Result.
type resultType struct{ *types.Struct }

func asResult(t types.Type) *resultType {
	if s := kubeapi.ReconcileResult(t); s != nil {
		return &resultType{s}
	}
	return nil
}

// What a Result holds.
const (
	empty    flow.Label = iota // comes back only after an event
	requeues                   // comes back
	unsure
)

// shape is what is known of all results of a function.
type shape struct {
	// requeues tells that the function always returns a Result that requeues.
	requeues bool
	// err is the parameter that the function returns beside such a Result, or
	// -1.
	err int
}

// carrier follows Results through a function.
func (c *checker) carrier() *flow.Carrier {
	return &flow.Carrier{
		Label: c.label,
		Other: func(v ssa.Value) flow.Label {
			if asResult(v.Type()) == nil {
				return empty
			}
			switch v := v.(type) {
			case *ssa.Parameter, *ssa.FreeVar, *ssa.Global, *ssa.Extract, *ssa.Call:
				return unsure
			case *ssa.UnOp:
				if _, variable := flow.Cell(v.X).(*ssa.Alloc); !variable && v.Op == token.MUL {
					return unsure // a field, an element
				}
			}
			return empty
		},
	}
}

// label tells what an instruction makes of a Result.
func (c *checker) label(instr ssa.Instruction, of func(ssa.Value) flow.Label) (ssa.Value, flow.Label, bool) {
	switch instr := instr.(type) {
	case *ssa.Store:
		addr, ok := instr.Addr.(*ssa.FieldAddr)
		if !ok {
			return nil, 0, false
		}
		cell := flow.Cell(addr.X)
		field := requeueField(addr)
		if cell == nil || field == "" {
			return nil, 0, false
		}
		switch {
		case asks(instr.Val) == flow.True:
			return cell, requeues, true
		case asks(instr.Val) == flow.Unknown && field == "RequeueAfter" && of(cell) != requeues:
			return cell, unsure, true
		case asks(instr.Val) == flow.Unknown && of(cell) == empty:
			return cell, unsure, true
		}
	case *ssa.Extract:
		call, ok := instr.Tuple.(*ssa.Call)
		if !ok || instr.Index != 0 || asResult(instr.Type()) == nil {
			return nil, 0, false
		}
		if s := c.shapeOf(call); s.requeues {
			return instr, requeues, true
		}
	case *ssa.Call:
		if asResult(instr.Type()) != nil && c.shapeOf(instr).requeues {
			return instr, requeues, true
		}
		// A helper that is given the address may set anything.
		for _, arg := range instr.Common().Args {
			if alloc, ok := arg.(*ssa.Alloc); ok && asResult(alloc.Type().Underlying().(*types.Pointer).Elem()) != nil {
				return alloc, unsure, true
			}
		}
	}
	return nil, 0, false
}

// requeueField returns the name of a Result's field that asks for a requeue, if
// addr is one.
func requeueField(addr *ssa.FieldAddr) string {
	ptr, ok := addr.X.Type().Underlying().(*types.Pointer)
	if !ok || asResult(ptr.Elem()) == nil {
		return ""
	}
	switch field := callgraph.FieldOf(addr.X.Type(), addr.Field); field.Name() {
	case "Requeue", "RequeueAfter":
		return field.Name()
	}
	return ""
}

// asks tells whether a value of Requeue or RequeueAfter asks for a requeue. A
// duration from a variable that was set up for it does: a constant, a field, a
// package's variable.
func asks(v ssa.Value) flow.Truth {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			return flow.False
		}
		switch v.Value.Kind() {
		case constant.Bool:
			return flow.TruthOf(constant.BoolVal(v.Value))
		case constant.Int:
			return flow.TruthOf(constant.Sign(v.Value) > 0)
		}
	case *ssa.UnOp:
		if v.Op == token.MUL && !isBool(v.Type()) {
			switch v.X.(type) {
			case *ssa.Global, *ssa.FieldAddr:
				return flow.True
			}
		}
	case *ssa.Parameter, *ssa.Call:
		if !isBool(v.Type()) {
			return flow.True // whoever gives or computes a duration means one
		}
	case *ssa.BinOp:
		// 5 * interval, time.Duration(n) * time.Second
		if x, y := asks(v.X), asks(v.Y); v.Op == token.MUL && (x == flow.True || y == flow.True) && x != flow.False && y != flow.False {
			return flow.True
		}
	case *ssa.Convert:
		return asks(v.X)
	}
	return flow.Unknown
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool
}

// maxShapes bounds how deep helpers are followed.
const maxShapes = 3

// shapeOf tells what the function that a call runs always returns.
func (c *checker) shapeOf(call *ssa.Call) shape {
	none := shape{err: -1}
	targets := c.Calls.Callees(call)
	if !targets.Closed || len(targets.Funcs) != 1 {
		return none
	}
	fn := targets.Funcs[0]
	results := fn.Signature.Results()
	if len(fn.Blocks) == 0 || results.Len() == 0 || results.Len() > 2 || asResult(results.At(0).Type()) == nil {
		return none
	}
	if known, ok := c.shapes[fn]; ok {
		return known
	}
	c.shapes[fn] = none // until it is known; of a recursion nothing is
	c.shapes[fn] = c.computeShape(fn)
	return c.shapes[fn]
}

func (c *checker) computeShape(fn *ssa.Function) shape {
	g := c.Unit(fn).Graph
	carrier := c.carrier()
	returns, all := 0, true
	err := -2
	g.Search(nil, 0, nil, func(n *flow.Node, stage int, known flow.Known) (int, flow.Step) {
		held := carrier.Step(n, known, flow.Held(stage))
		ret, ok := n.Instr.(*ssa.Return)
		if !ok || !g.IsExit(n) {
			return int(held), flow.Continue
		}
		returns++
		all = all && carrier.Of(held, ret.Results[0]) == requeues
		if len(ret.Results) == 2 {
			index := slices.IndexFunc(fn.Params, func(p *ssa.Parameter) bool { return p == wrapped(ret.Results[1]) })
			if err != -2 && err != index {
				index = -1
			}
			err = index
		}
		return int(held), flow.Prune
	})
	return shape{requeues: returns > 0 && all && !carrier.Lost(), err: max(err, -1)}
}

// wrapped is the error that v is, or that is wrapped in it.
func wrapped(v ssa.Value) ssa.Value {
	for range maxShapes {
		call, ok := v.(*ssa.Call)
		if !ok {
			break
		}
		inner := kubeapi.WrappedError(kubeapi.Callee(call.Common()), call.Common())
		if inner == nil {
			break
		}
		v = inner
	}
	return v
}

// failure tells whether the error that a return hands out is nil. What a
// helper returns beside its Result may be the error that it was given.
func (c *checker) failure(v ssa.Value, known flow.Known) flow.Truth {
	if t := known.Of(v); t != flow.Unknown {
		return t
	}
	extract, ok := v.(*ssa.Extract)
	if !ok {
		return flow.Unknown
	}
	call, ok := extract.Tuple.(*ssa.Call)
	if !ok || extract.Index != 1 {
		return flow.Unknown
	}
	if s := c.shapeOf(call); s.err >= 0 && s.err < len(call.Call.Args) && !call.Call.IsInvoke() {
		return known.Of(call.Call.Args[s.err])
	}
	return flow.Unknown
}

func sortCalls(calls []*ssa.Call) {
	slices.SortFunc(calls, func(a, b *ssa.Call) int { return cmp.Compare(a.Pos(), b.Pos()) })
}
