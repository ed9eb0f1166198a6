package processes

import (
	"go/ast"
	"go/types"
)

// flow notes that what is in one interface becomes another one's.
func (b *builder) flow(from types.Type, to *types.Interface, target Target) {
	source, ok := from.Underlying().(*types.Interface)
	if !ok || source.Empty() {
		return // what is in an empty one may be in any
	}
	i := b.iface(source)
	if target != Module {
		b.leaks[i] = true
	} else if j := b.iface(to); i != j {
		b.flows[Flow{i, j}] = true
	}
}

// handOut notes that somebody may do with values of a type what they like.
func (b *builder) handOut(t types.Type) {
	named, ifaces := b.parts(t)
	for _, part := range named {
		b.converts[Convert{Type: part, To: Anyone}] = true
	}
	for _, i := range ifaces {
		b.leaks[i] = true
	}
}

// asserted notes that what is in an interface may turn out to be of another one.
func (b *builder) asserted(x, typ ast.Expr) {
	to, ok := b.typeAt(typ).Underlying().(*types.Interface)
	if !ok {
		return
	}
	target := Module
	if named, ok := types.Unalias(b.typeAt(typ)).(*types.Named); to.Empty() || ok && !b.isOurs(named.Obj().Pkg()) {
		target = Others
	}
	b.flow(b.typeAt(x), to, target)
}

func (b *builder) switched(s *ast.TypeSwitchStmt) {
	var x ast.Expr
	switch assign := s.Assign.(type) {
	case *ast.ExprStmt:
		x = assign.X
	case *ast.AssignStmt:
		x = assign.Rhs[0]
	}
	assert, ok := ast.Unparen(x).(*ast.TypeAssertExpr)
	if !ok {
		return
	}
	for _, clause := range s.Body.List {
		for _, typ := range clause.(*ast.CaseClause).List {
			b.asserted(assert.X, typ)
		}
	}
}
