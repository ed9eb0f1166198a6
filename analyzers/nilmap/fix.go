package nilmap

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/syntax"
)

// fix makes the map before the statement that stores into it. It has none where
// the map is in a variable: to make one there would not put it into the object.
func (c *checker) fix(at ssa.Instruction) *analysis.SuggestedFix {
	if _, ok := at.(*ssa.MapUpdate); !ok {
		return nil
	}
	enclosing := syntax.Path(c.pass.Files, at.Pos())
	for i, n := range enclosing {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || i+1 == len(enclosing) {
			continue
		}
		switch enclosing[i+1].(type) {
		case *ast.BlockStmt, *ast.CaseClause:
		default:
			return nil
		}
		return c.made(assign)
	}
	return nil
}

func (c *checker) made(assign *ast.AssignStmt) *analysis.SuggestedFix {
	if len(assign.Lhs) != 1 {
		return nil
	}
	index, ok := assign.Lhs[0].(*ast.IndexExpr)
	if !ok {
		return nil
	}
	text, ok := fieldText(index.X)
	if !ok {
		return nil
	}
	m, ok := c.pass.TypesInfo.TypeOf(index.X).Underlying().(*types.Map)
	if !ok {
		return nil
	}
	indent := strings.Repeat("\t", c.pass.Fset.Position(assign.Pos()).Column-1)
	made := "if " + text + " == nil {\n" + indent + "\t" + text + " = make(" + types.TypeString(m, nil) + ")\n" + indent + "}\n" + indent
	return &analysis.SuggestedFix{
		Message:   "Make the map if it is nil",
		TextEdits: []analysis.TextEdit{{Pos: assign.Pos(), End: assign.Pos(), NewText: []byte(made)}},
	}
}

// fieldText writes a field that is reached by names alone: obj.Annotations.
func fieldText(e ast.Expr) (text string, ok bool) {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	switch x := sel.X.(type) {
	case *ast.Ident:
		return x.Name + "." + sel.Sel.Name, true
	case *ast.SelectorExpr:
		base, ok := fieldText(x)
		return base + "." + sel.Sel.Name, ok
	}
	return "", false
}
