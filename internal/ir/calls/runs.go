package calls

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Running tells how a function runs another one that it is handed.
type Running struct {
	// Always tells that it does so each time that it returns, and Again that it
	// may do so more than once.
	Always, Again bool
	// Returned tells that it returns what that returns.
	Returned bool
}

// maxHandedOn bounds the functions that hand a function on to each other.
const maxHandedOn = 3

// RunsArg tells how a call of a function of the package runs the function that is
// the index-th of its arguments, the receiver counted, before it returns; ok is
// false if it does anything else with it.
func (g *Graph) RunsArg(call *ssa.CallCommon, index int) (r Running, ok bool) {
	return g.runsArg(call, index, 0)
}

func (g *Graph) runsArg(call *ssa.CallCommon, index, depth int) (r Running, ok bool) {
	static := call.StaticCallee()
	if static == nil {
		return Running{}, false
	}
	fn, _ := Unwrap(static)
	if fn == nil || fn.Package() != g.Pkg || len(fn.Params) != len(call.Args) {
		return Running{}, false
	}
	return g.runsParam(fn, index, depth)
}

// RunsParam tells the same of a function of the package and its index-th parameter.
func (g *Graph) RunsParam(fn *ssa.Function, index int) (r Running, ok bool) {
	return g.runsParam(fn, index, 0)
}

func (g *Graph) runsParam(fn *ssa.Function, index, depth int) (r Running, ok bool) {
	if depth > maxHandedOn || fn.Parent() != nil || len(fn.Blocks) == 0 || !kubeapi.IsFuncType(fn.Params[index].Type()) {
		return Running{}, false
	}
	var runs []*ssa.Call
	for _, ref := range *fn.Params[index].Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef, *ssa.BinOp: // whether it is nil
			continue
		case *ssa.Call:
			at := slices.Index(ref.Call.Args, ssa.Value(fn.Params[index]))
			switch {
			case at < 0:
				runs = append(runs, ref)
				continue
			case ref.Call.Value == fn.Params[index] || ref.Call.IsInvoke():
				return Running{}, false
			case kubeapi.RunsInPlace(kubeapi.Callee(&ref.Call), at-len(ref.Call.Args)+ref.Call.Signature().Params().Len()):
				r.Again = true
			default:
				inner, ok := g.runsArg(&ref.Call, at, depth+1)
				if !ok {
					return Running{}, false
				}
				r.Again = r.Again || inner.Again
				if !inner.Always {
					continue
				}
			}
			r.Always = r.Always || blocks.Inevitable(ref.Block())
			continue
		}
		return Running{}, false
	}
	for _, run := range runs {
		r.Always = r.Always || blocks.Inevitable(run.Block())
		r.Again = r.Again || blocks.Repeats(run.Block())
	}
	r.Again = r.Again || len(runs) > 1
	r.Returned = len(runs) == 1 && !r.Again && r.Always && Returns(fn, runs[0])
	return r, true
}

// Returns reports whether a function returns the results of a call and nothing
// else.
func Returns(fn *ssa.Function, call *ssa.Call) bool {
	returns := false
	for ret := range blocks.Returns(fn) {
		if len(ret.Results) != call.Call.Signature().Results().Len() {
			return false
		}
		for i, v := range ret.Results {
			if v != ResultOf(call, i) {
				return false
			}
		}
		returns = true
	}
	return returns
}

// Returned returns what v is, a result of a call: what a literal returns that nobody
// else runs, or the argument that a function does nothing but return. It is nil if
// that cannot be told, or there are several places that return.
func (g *Graph) Returned(v ssa.Value) ssa.Value { return g.returned[v] }

// ReturnedAs returns the results of calls that are v, as [Graph.Returned] has it.
func (g *Graph) ReturnedAs(v ssa.Value) []ssa.Value { return g.returnedAs[v] }

// bindResults finds the calls that have a literal's results, or their own arguments,
// for their own.
func (g *Graph) bindResults() {
	for _, fn := range g.All() {
		callers := g.callers[fn]
		if fn.Parent() == nil {
			g.bindArguments(fn, callers)
			continue
		}
		if len(callers) != 1 {
			continue
		}
		call, _ := callers[0].(*ssa.Call)
		ret := onlyReturn(fn)
		if call == nil || ret == nil {
			continue
		}
		if param, ok := call.Common().Value.(*ssa.Parameter); ok {
			var how Running
			if call, how = g.handing(param, fn); !how.Returned {
				continue
			}
		} else if !g.isOnly(call.Common().Value, fn) {
			continue
		}
		for i, v := range ret.Results {
			g.bindResult(call, i, v)
		}
	}
}

// handing returns the one call that hands a literal in for a parameter, and how the
// function runs it; nil if there is none, or it does anything else with it.
func (g *Graph) handing(param *ssa.Parameter, literal *ssa.Function) (only *ssa.Call, how Running) {
	index := slices.Index(param.Parent().Params, param)
	for _, site := range g.callers[param.Parent()] {
		if index >= len(site.Common().Args) || !slices.Contains(g.FuncsOf(site.Common().Args[index]).Funcs, literal) {
			continue
		}
		call, ok := site.(*ssa.Call)
		if !ok || only != nil || !g.isOnly(call.Call.Args[index], literal) {
			return nil, Running{}
		}
		if how, ok = g.RunsArg(call.Common(), index); !ok {
			return nil, Running{}
		}
		only = call
	}
	return only, how
}

// Given returns what a parameter of a literal is where the literal is made: the
// argument of the one call that hands the literal to a function of the package, which
// runs it with that; nil if it is not known.
//
//	each(pods, func(pod *corev1.Pod) { … })     func each[T any](x T, f func(T)) { f(x) }
func (g *Graph) Given(p *ssa.Parameter) ssa.Value {
	literal := p.Parent()
	callers := g.callers[literal]
	if literal.Parent() == nil || len(callers) != 1 {
		return nil
	}
	run := callers[0].Common()
	param, ok := run.Value.(*ssa.Parameter)
	if !ok || len(run.Args) != len(literal.Params) || param.Parent() == literal {
		return nil
	}
	i := wrapperOperand(param.Parent(), run.Args[slices.Index(literal.Params, p)])
	call, _ := g.handing(param, literal)
	if i < 0 || call == nil || i >= len(call.Call.Args) {
		return nil
	}
	return call.Call.Args[i]
}

// bindArguments binds the results of calls of a function that returns its parameters
// to what the calls hand in.
func (g *Graph) bindArguments(fn *ssa.Function, callers []ssa.CallInstruction) {
	ret := onlyReturn(fn)
	if ret == nil {
		return
	}
	for i, v := range ret.Results {
		param, ok := v.(*ssa.Parameter)
		if !ok {
			continue
		}
		for _, site := range callers {
			call, ok := site.(*ssa.Call)
			if index := slices.Index(fn.Params, param); ok && !call.Call.IsInvoke() && call.Call.StaticCallee() != nil && index < len(call.Call.Args) {
				g.bindResult(call, i, call.Call.Args[index])
			}
		}
	}
}

func (g *Graph) bindResult(call *ssa.Call, index int, v ssa.Value) {
	if result := ResultOf(call, index); result != nil {
		g.returned[result] = v
		g.returnedAs[v] = append(g.returnedAs[v], result)
	}
}

// isOnly reports whether v is that function and nothing else.
func (g *Graph) isOnly(v ssa.Value, fn *ssa.Function) bool {
	targets := g.FuncsOf(v)
	return targets.Closed && len(targets.Funcs) == 1 && targets.Funcs[0] == fn
}

// onlyReturn returns the instruction at which a function returns, nil if there are
// several.
func onlyReturn(fn *ssa.Function) *ssa.Return {
	var only *ssa.Return
	for ret := range blocks.Returns(fn) {
		if only != nil {
			return nil
		}
		only = ret
	}
	return only
}

// ResultOf returns the value of a call's index-th result, or nil if it is not
// used.
func ResultOf(instr ssa.CallInstruction, index int) ssa.Value {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return nil
	}
	if call.Common().Signature().Results().Len() == 1 {
		return call
	}
	for ref := range blocks.Uses(call) {
		if extract, ok := ref.(*ssa.Extract); ok && extract.Index == index {
			return extract
		}
	}
	return nil
}
