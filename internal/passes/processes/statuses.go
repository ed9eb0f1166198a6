package processes

import (
	"go/ast"

	"github.com/opvet/opvet/internal/kubeapi"
)

// statuses notes the kind of whose objects a node mentions the status, to set or to read it. What
// generators write mentions all of them.
func (g *gatherer) statuses(n ast.Node, found map[string]bool) {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		g.status(n.X, n.Sel, found)
	case *ast.CompositeLit:
		for _, element := range n.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				if key, ok := pair.Key.(*ast.Ident); ok {
					g.status(n, key, found)
				}
			}
		}
	}
}

// status notes the kind of an object if a name is that of its status.
func (g *gatherer) status(object ast.Expr, name *ast.Ident, found map[string]bool) {
	if kind := kubeapi.KindOf(g.typeAt(object)); kind != nil {
		if field := kubeapi.StatusField(kind); field != nil && field.Name() == name.Name {
			found[kubeapi.KindID(kind)] = true
		}
	}
}

// MentionsStatus reports whether something in the module mentions the status of a kind's objects,
// as of [kubeapi.KindID].
func (p *Program) MentionsStatus(kind string) bool { return p.statuses[kind] }
