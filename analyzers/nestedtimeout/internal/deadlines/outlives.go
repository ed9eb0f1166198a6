package deadlines

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Outlives follows a value that needs a context to where it is used although
// the context has been cancelled: in this function, or by its callers, to whom
// it is returned as the result-th result (-1 if it is not).
func (i *Deadlines) Outlives(g *paths.Graph, lent Lent, id ID) (use *paths.Node, end End, result int, ok bool) {
	ends := make(map[*paths.Node]End)
	use, result = i.follow(g, lent, id, true, ends)
	if use == nil {
		return nil, End{}, -1, false
	}
	for _, e := range ends {
		if e.Pos > end.Pos {
			end = e
		}
	}
	return use, end, result, true
}

// Bits of the stage of a path.
const (
	cancelled = 1 << iota // the context was cancelled
	inResult              // the result's variable holds the value
)

// follow searches the paths from where a value comes into being for one on
// which it is used, or returned, after the context id was cancelled, or, if
// wanted is not set, for one on which it is returned before that.
func (i *Deadlines) follow(g *paths.Graph, lent Lent, id ID, wanted bool, ends map[*paths.Node]End) (*paths.Node, int) {
	same := i.aliases(lent.Value)
	start := lent.At
	var assume map[ssa.Value]paths.Truth
	if err, ok := lent.err.(ssa.Instruction); ok {
		// There is no value if there was an error.
		assume = map[ssa.Value]paths.Truth{lent.err: paths.False}
		for _, n := range g.At(err) {
			if n.Frame == start.Frame {
				start = n
			}
		}
	}
	variables := ResultVariables(g.Fn)
	result := -1
	path, ok := g.Search(start, 0, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if i.Renews(n, id) {
			return stage, paths.Prune
		}
		if g.IsExit(n) {
			index := slices.IndexFunc(n.Instr.(*ssa.Return).Results, func(v ssa.Value) bool {
				_, loaded := v.(*ssa.UnOp)
				return same[v] && (!loaded || stage&inResult != 0)
			})
			if index >= 0 && (stage&cancelled != 0) == wanted {
				result = index
				return stage, paths.Found
			}
			return stage, paths.Prune
		}
		if store, ok := n.Instr.(*ssa.Store); ok && variables[store.Addr] {
			// Another variable's store, as of the error, changes nothing.
			if same[store.Val] {
				return stage | inResult, paths.Continue
			}
			if holdsAlias(store.Val.Type(), same) {
				return stage &^ inResult, paths.Continue
			}
		}
		switch i.touches(n, same) {
		case consumed:
			if stage&cancelled != 0 && wanted {
				return stage, paths.Found
			}
			return stage, paths.Prune
		case lostSight:
			return stage, paths.Prune
		}
		for _, end := range i.EndsAt(g, n) {
			if end.ID == id && end.How != Waited {
				ends[n] = end
				return stage | cancelled, paths.Continue
			}
		}
		return stage, paths.Continue
	})
	if !ok {
		return nil, -1
	}
	return path[len(path)-1], result
}

// holdsAlias reports whether a variable of type t can hold one of the values.
func holdsAlias(t types.Type, same map[ssa.Value]bool) bool {
	for v := range same {
		if types.Identical(v.Type(), t) {
			return true
		}
	}
	return false
}

// lends finds the results of fn that need one of its parameters.
func (i *Deadlines) lends(fn *ssa.Function, b *Behaviour) {
	if fn.Signature.Results().Len() == 0 {
		return
	}
	g := i.Graphs.Of(fn)
	for _, n := range g.Nodes {
		for _, lent := range i.LentAt(n) {
			for index, p := range fn.Params {
				if !kubeapi.IsContext(p.Type()) && !isRequest(p.Type()) || len(b.Lends) >= maxKept || !i.Covers(lent.Ctx, p) {
					continue
				}
				id := i.IDOf(lent.Ctx)
				if id == nil {
					continue
				}
				_, result := i.follow(g, lent, id, false, make(map[*paths.Node]End))
				loan := Loan{Param: index, Result: result, What: lent.What}
				if result >= 0 && !slices.Contains(b.Lends, loan) {
					b.Lends = append(b.Lends, loan)
				}
			}
		}
	}
}

// ResultVariables returns the variables that a function's results are loaded
// from when it returns.
func ResultVariables(fn *ssa.Function) map[ssa.Value]bool {
	variables := make(map[ssa.Value]bool)
	for ret := range blocks.Returns(fn) {
		for _, v := range ret.Results {
			if load, ok := v.(*ssa.UnOp); ok {
				variables[load.X] = true
			}
		}
	}
	return variables
}
