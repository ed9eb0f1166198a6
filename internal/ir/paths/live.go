package paths

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Where paths meet, what only one of them knows keeps them apart, and so a
// function that tests a hundred errors, one after another, would have more
// states than can be visited. So paths forget there what they know of values
// that nothing uses any more.

// liveness tells at which joins of a function's blocks tracked values are
// still used.
type liveness struct {
	values []ssa.Value                        // by index
	asked  []map[*ssa.BasicBlock]bool         // the joins of the questions, which have the indexes after these
	joins  map[int32]map[*ssa.BasicBlock]bool // where a value is live, of the blocks with several predecessors
}

func newLiveness(tracked map[ssa.Value]int, asked *questions) *liveness {
	l := &liveness{values: make([]ssa.Value, len(tracked)), asked: asked.joins, joins: make(map[int32]map[*ssa.BasicBlock]bool, len(tracked))}
	for v, index := range tracked {
		l.values[index] = v
		if blocks.IsVariable(v) {
			continue
		}
		if instr, ok := v.(ssa.Instruction); ok {
			l.joins[int32(index)] = liveJoins(v, instr.Block())
		}
	}
	return l
}

// keeps reports whether what is known of the value with that index still
// matters in a block.
func (l *liveness) keeps(index int, block *ssa.BasicBlock) bool {
	if question := index - len(l.values); question >= 0 {
		return question >= len(l.asked) || l.asked[question] == nil || l.asked[question][block] // or asked for by the rule
	}
	joins, ok := l.joins[int32(index)]
	if !ok {
		return true
	}
	fn := l.values[index].Parent()
	if fn == block.Parent() {
		return joins[block]
	}
	// A value of a function literal is computed anew when that runs again.
	return !blocks.Within(fn, block.Parent())
}

// liveJoins returns the blocks with several predecessors at whose beginning
// there are uses of v ahead.
func liveJoins(v ssa.Value, from *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	var needed []*ssa.BasicBlock // at their beginning, unless it is made there
	eachUse(v, 0, func(use ssa.Instruction) {
		if phi, ok := use.(*ssa.Phi); ok {
			for i, edge := range phi.Edges {
				if edge == v || derives(edge) {
					needed = append(needed, phi.Block().Preds[i])
				}
			}
			return
		}
		if use.Parent() == from.Parent() {
			needed = append(needed, use.Block())
		}
	})
	return joinsBefore(needed, from)
}

// eachUse visits the uses of a value, and those of what is told by it.
func eachUse(v ssa.Value, depth int, visit func(ssa.Instruction)) {
	refs := v.Referrers()
	if refs == nil || depth > maxDepth {
		return
	}
	for _, ref := range *refs {
		visit(ref)
		if told, ok := ref.(ssa.Value); ok && derives(told) {
			eachUse(told, depth+1, visit)
		}
	}
}

// derives reports whether what is known of a value may follow from what is
// known of another; see eval.
func derives(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		return v.Op == token.NOT
	case *ssa.BinOp:
		_, _, ok := comparison(v)
		return ok
	case *ssa.ChangeInterface:
		return true
	case *ssa.Call:
		return kubeapi.WrappedError(kubeapi.Callee(v.Common()), v.Common()) != nil
	}
	return false
}

// forget drops what does not matter any more when a path enters a block that
// others lead to as well.
func (s *searcher) forget(st *state, block *ssa.BasicBlock) {
	if len(block.Preds) < 2 {
		return
	}
	st.facts = st.facts.only(func(index int) bool {
		return slices.Contains(s.watched, index) || s.graph.live.keeps(index, block)
	})
}
