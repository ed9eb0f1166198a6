// Package results tells what the Results that functions answer Reconcile with ask for:
// whether they requeue, after how long, and which errors come with them.
package results

import (
	"go/token"
	"go/types"
	"slices"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/objects"
)

// What a Result holds.
const (
	Empty    paths.Label = iota // comes back only after an event
	Requeues                    // comes back
	Unsure
	Meant // somebody computes or configures when, which may be never
)

// Results knows the Results of a package's functions.
type Results struct {
	*objects.Summaries
	contexts *contexts.Sources
	shapes   map[*ssa.Function]Shape
}

// Of returns what is known of the Results of a package's functions.
func Of(sums *objects.Summaries, ctxs *contexts.Sources) *Results {
	return &Results{sums, ctxs, make(map[*ssa.Function]Shape)}
}

// Shape is what is known of all results of a function.
type Shape struct {
	// Requeues tells that the function always returns a Result that requeues,
	// Meant that it does or is meant to.
	Requeues, Meant bool
	// after is the parameter that is the only RequeueAfter, or -1, and afters
	// are all that is stored there.
	after  int
	afters []ssa.Value
	// Err is the parameter that the function returns beside such a Result, or
	// -1.
	Err int
}

// Carrier follows Results through a function.
func (c *Results) Carrier() *paths.Carrier {
	return &paths.Carrier{
		Label: c.Label,
		Other: func(v ssa.Value) paths.Label {
			if kubeapi.ReconcileResult(v.Type()) == nil {
				return Empty
			}
			switch v := v.(type) {
			case *ssa.Parameter, *ssa.FreeVar, *ssa.Global, *ssa.Extract, *ssa.Call:
				return Unsure
			case *ssa.UnOp:
				if _, variable := paths.Cell(v.X).(*ssa.Alloc); !variable && v.Op == token.MUL {
					return Unsure // a field, an element
				}
			}
			return Empty
		},
	}
}

// Label tells what an instruction makes of a Result.
func (c *Results) Label(instr ssa.Instruction, of func(ssa.Value) paths.Label) (ssa.Value, paths.Label, bool) {
	switch instr := instr.(type) {
	case *ssa.Store:
		addr, ok := instr.Addr.(*ssa.FieldAddr)
		if !ok {
			return nil, 0, false
		}
		cell := paths.Cell(addr.X)
		field := kubeapi.RequeueField(addr)
		if cell == nil || field == "" {
			return nil, 0, false
		}
		switch asked := c.asks(instr.Val); {
		case asked == paths.True:
			return cell, Requeues, true
		case asked == paths.False || of(cell) == Requeues:
		case field == "RequeueAfter" && isMeant(instr.Val):
			return cell, Meant, true
		case field == "RequeueAfter" || of(cell) == Empty:
			return cell, Unsure, true
		}
	case *ssa.Extract:
		if call, index := calls.CallOf(instr); call != nil && index == 0 && kubeapi.ReconcileResult(instr.Type()) != nil {
			if label := c.returns(call); label != Unsure {
				return instr, label, true
			}
		}
	case *ssa.Call:
		if kubeapi.ReconcileResult(instr.Type()) != nil {
			if label := c.returns(instr); label != Unsure {
				return instr, label, true
			}
		}
		// A helper that is given the address may set anything.
		for _, arg := range instr.Common().Args {
			if alloc, ok := arg.(*ssa.Alloc); ok && kubeapi.ReconcileResult(alloc.Type().Underlying().(*types.Pointer).Elem()) != nil {
				return alloc, Unsure, true
			}
		}
	}
	return nil, 0, false
}

// asks tells whether a value of Requeue or RequeueAfter asks for a requeue.
func (c *Results) asks(v ssa.Value) paths.Truth {
	if kubeapi.IsBool(v.Type()) {
		if known, ok := kubeapi.ConstBool(v); ok {
			return paths.TruthOf(known)
		}
		return paths.Unknown
	}
	if d, ok := c.contexts.Duration(v); ok {
		return paths.TruthOf(d > 0)
	}
	if phi, ok := v.(*ssa.Phi); ok && !slices.ContainsFunc(phi.Edges, func(edge ssa.Value) bool {
		d, ok := c.contexts.Duration(edge)
		return !ok || d <= 0
	}) {
		return paths.True // one second or ten
	}
	return paths.Unknown
}

// isMeant reports whether somebody computes or configures a duration: a
// variable, a field, a parameter, a function's result. It may be 0.
func isMeant(v ssa.Value) bool {
	switch v := (values.Relation{Steps: values.Converted}).End(v).(type) {
	case *ssa.UnOp:
		return calls.Loaded(v) != nil
	case *ssa.Parameter, *ssa.Call:
		return true
	case *ssa.BinOp:
		// 5 * interval, time.Duration(n) * time.Second
		_, x := v.X.(*ssa.Const)
		_, y := v.Y.(*ssa.Const)
		return v.Op == token.MUL && (x || isMeant(v.X)) && (y || isMeant(v.Y))
	}
	return false
}

// Pace returns the RequeueAfter that an instruction sets, if it sets that: 0 if
// it is not known which.
func (c *Results) Pace(instr ssa.Instruction) (after time.Duration, ok bool) {
	switch instr := instr.(type) {
	case *ssa.Store:
		v, ok := AfterAt(instr)
		if ok {
			after, _ = c.contexts.Duration(v)
		}
		return after, ok
	case *ssa.Extract, *ssa.Call:
		if call, _ := calls.CallOf(instr.(ssa.Value)); call != nil {
			return c.paceOf(call)
		}
	}
	return 0, false
}

// AfterAt returns what an instruction stores as a RequeueAfter.
func AfterAt(instr ssa.Instruction) (after ssa.Value, ok bool) {
	store, ok := instr.(*ssa.Store)
	if !ok {
		return nil, false
	}
	addr, ok := store.Addr.(*ssa.FieldAddr)
	if !ok || kubeapi.RequeueField(addr) != "RequeueAfter" {
		return nil, false
	}
	return store.Val, true
}

func (c *Results) paceOf(call *ssa.Call) (after time.Duration, ok bool) {
	s := c.ShapeOf(call)
	if arg := s.argument(call); arg != nil {
		after, _ = c.contexts.Duration(arg)
		return after, true
	}
	for i, v := range s.afters {
		d, _ := c.contexts.Duration(v)
		if i > 0 && d != after {
			return 0, true
		}
		after = d
	}
	return after, len(s.afters) > 0
}

// argument is the duration that a call hands in to be the RequeueAfter, or nil.
func (s Shape) argument(call *ssa.Call) ssa.Value {
	if s.after < 0 || s.after >= len(call.Call.Args) || call.Call.IsInvoke() {
		return nil
	}
	return call.Call.Args[s.after]
}

// returns tells what the Result that a call returns is.
func (c *Results) returns(call *ssa.Call) paths.Label {
	s := c.ShapeOf(call)
	switch {
	case s.Requeues:
		return Requeues
	case s.Meant:
		if arg := s.argument(call); arg != nil && c.asks(arg) == paths.True {
			return Requeues
		}
		return Meant
	}
	return Unsure
}

// maxShapes bounds how deep helpers are followed.
const maxShapes = 3

// ShapeOf tells what the function that a call runs always returns.
func (c *Results) ShapeOf(call *ssa.Call) Shape {
	none := Shape{Err: -1, after: -1}
	targets := c.Calls.Callees(call)
	if !targets.Closed || len(targets.Funcs) != 1 {
		return none
	}
	fn := targets.Funcs[0]
	results := fn.Signature.Results()
	if len(fn.Blocks) == 0 || results.Len() == 0 || results.Len() > 2 || kubeapi.ReconcileResult(results.At(0).Type()) == nil {
		return none
	}
	if known, ok := c.shapes[fn]; ok {
		return known
	}
	c.shapes[fn] = none // until it is known; of a recursion nothing is
	c.shapes[fn] = c.computeShape(fn)
	return c.shapes[fn]
}

func (c *Results) computeShape(fn *ssa.Function) Shape {
	g := c.Unit(fn).Graph
	carrier := c.Carrier()
	returns, surely, all := 0, true, true
	err := -2
	g.Search(nil, 0, nil, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		held := carrier.Step(n, known, paths.Held(stage))
		ret, ok := n.Instr.(*ssa.Return)
		if !ok || !g.IsExit(n) {
			return int(held), paths.Continue
		}
		returns++
		label := carrier.Of(held, ret.Results[0])
		surely = surely && label == Requeues
		all = all && (label == Requeues || label == Meant)
		if len(ret.Results) == 2 {
			index := slices.IndexFunc(fn.Params, func(p *ssa.Parameter) bool { return p == Wrapped(ret.Results[1]) })
			if err != -2 && err != index {
				index = -1
			}
			err = index
		}
		return int(held), paths.Prune
	})
	found := returns > 0 && !carrier.Lost()
	s := Shape{Requeues: found && surely, Meant: found && all, Err: max(err, -1), after: -1}
	for _, n := range g.Nodes {
		if after, ok := AfterAt(n.Instr); ok {
			s.afters = append(s.afters, after)
		}
	}
	if len(s.afters) == 1 {
		s.after = slices.IndexFunc(fn.Params, func(p *ssa.Parameter) bool { return p == s.afters[0] })
	}
	return s
}

// Wrapped is the error that v is, or that is wrapped in it.
func Wrapped(v ssa.Value) ssa.Value {
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

// Failure tells whether the error that a return hands out is nil. What a
// helper returns beside its Result may be the error that it was given.
func (c *Results) Failure(v ssa.Value, known paths.Known) paths.Truth {
	if t := known.Of(v); t != paths.Unknown {
		return t
	}
	if call, index := calls.CallOf(v); call != nil && index == 1 {
		if s := c.ShapeOf(call); s.Err >= 0 && s.Err < len(call.Call.Args) && !call.Call.IsInvoke() {
			return known.Of(call.Call.Args[s.Err])
		}
	}
	return paths.Unknown
}
