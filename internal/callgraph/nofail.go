package callgraph

import (
	"golang.org/x/tools/go/ssa"
)

// maxNoFail bounds how many functions an error that is never set comes through.
const maxNoFail = 4

// NeverFails reports whether the functions that a call may run are all seen, and
// return a nil error on every path.
func (g *Graph) NeverFails(call ssa.CallInstruction) bool { return g.neverFails(call, 0) }

// IsNilError reports whether an error is nil whatever happens: it is a constant, or
// that of calls that never fail.
func (g *Graph) IsNilError(v ssa.Value) bool { return g.isNilError(v, 0) }

func (g *Graph) neverFails(call ssa.CallInstruction, depth int) bool {
	targets := g.Callees(call)
	if !targets.Closed {
		// Of a function that is called by its name there is only one.
		if fn := call.Common().StaticCallee(); fn == nil || len(targets.Funcs) != 1 || targets.Funcs[0] != fn {
			return false
		}
	}
	if depth > maxNoFail || len(targets.Funcs) == 0 {
		return false
	}
	for _, fn := range targets.Funcs {
		for _, block := range fn.Blocks {
			ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
			if ok && len(ret.Results) > 0 && !g.isNilError(ret.Results[len(ret.Results)-1], depth+1) {
				return false
			}
		}
	}
	return true
}

func (g *Graph) isNilError(v ssa.Value, depth int) bool {
	if depth > maxNoFail {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return v.IsNil()
	case *ssa.Call:
		return g.neverFails(v, depth)
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		return ok && v.Index == call.Call.Signature().Results().Len()-1 && g.neverFails(call, depth)
	case *ssa.Phi:
		for _, edge := range v.Edges {
			if !g.isNilError(edge, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}
