package managers

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Confines reports whether the cache certainly holds a kind of some namespaces only,
// however the program is configured.
func (m *Manager) Confines(kind string) bool {
	if !m.Known || m.LimitsUnknown || kubeapi.InClusterScope(kind) {
		return false
	}
	if slices.Contains(m.ConfinedKinds, kind) {
		return true
	}
	_, limited := slices.BinarySearch(m.Limited, kind)
	return m.Confined && !limited
}

// confined notes that the cache is limited to namespaces if none of their names can
// be empty, which would stand for all.
func (o *options) confined(names []ssa.Value, at *ssa.BasicBlock) {
	o.m.Confined = o.m.Confined || allNamed(names, at)
}

func allNamed(names []ssa.Value, at *ssa.BasicBlock) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(v ssa.Value) bool { return !isNamed(v, at, 0) })
}

// keys returns the keys of a map that a field may be, or nil if there may be others.
func (o *options) keys(s *literals.Struct, field string) (keys []ssa.Value, at []ssa.Instruction) {
	entries, known := o.read.Entries(append(nonZero(s.Values[field]), s.Loads[field]...)...)
	if !known {
		return nil, nil
	}
	for _, e := range entries {
		keys, at = append(keys, e.Key), append(at, e.At)
	}
	return keys, at
}

// confinesOwn reports whether an entry of ByObject limits its kind to namespaces,
// whatever happens.
func (o *options) confinesOwn(e literals.Entry) bool {
	s := o.read.Read(e.Value)
	if s.Open || !s.Set("Namespaces") || o.optional(s, "Namespaces") || o.avoidable([]ssa.Instruction{e.At}) {
		return false
	}
	keys, at := o.keys(s, "Namespaces")
	return allNamed(keys, e.At.Block()) && !o.avoidable(at)
}

// isNamed reports whether a string is certainly not empty in a block: a constant, or
// what was compared before.
func isNamed(v ssa.Value, at *ssa.BasicBlock, depth int) bool {
	if depth > 8 {
		return false
	}
	v = values.Relation{Steps: values.Converted}.End(v)
	if text, ok := kubeapi.ConstString(v); ok {
		return text != ""
	}
	if comparedNamed(v, at) {
		return true
	}
	switch v := v.(type) {
	case *ssa.Phi:
		for i, edge := range v.Edges {
			if edge != v && !isNamed(edge, v.Block().Preds[i], depth+1) && !namedOnEdge(edge, v.Block().Preds[i], v.Block()) {
				return false
			}
		}
		return true
	case *ssa.BinOp:
		return v.Op == token.ADD && (isNamed(v.X, at, depth+1) || isNamed(v.Y, at, depth+1))
	}
	return false
}

// comparedNamed reports whether a string was found not to be empty on all ways to a
// block.
func comparedNamed(v ssa.Value, at *ssa.BasicBlock) bool {
	if at == nil {
		return false
	}
	for branch, held := range blocks.Decided(at) {
		if saysNamed(branch.Cond, held, v) {
			return true
		}
	}
	return false
}

// namedOnEdge reports whether the branch from one block to another is taken only if a
// string is not empty.
func namedOnEdge(v ssa.Value, from, to *ssa.BasicBlock) bool {
	branch, ok := blocks.Last(from).(*ssa.If)
	return ok && from.Succs[0] != from.Succs[1] && saysNamed(branch.Cond, from.Succs[0] == to, v)
}

// saysNamed reports whether a condition that holds, or does not, tells that a string is
// not empty.
func saysNamed(v ssa.Value, holds bool, name ssa.Value) bool {
	cond, ok := v.(*ssa.BinOp)
	if !ok || !isSame(cond.X, name) {
		return false
	}
	if text, isText := kubeapi.ConstString(cond.Y); !isText || text != "" {
		return false
	}
	return cond.Op == token.NEQ && holds || cond.Op == token.EQL && !holds
}

// isSame reports whether two values are one, or read from one variable.
func isSame(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	x, ok := a.(*ssa.UnOp)
	y, also := b.(*ssa.UnOp)
	return ok && also && x.Op == token.MUL && y.Op == token.MUL && x.X == y.X
}
