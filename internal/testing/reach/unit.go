package reach

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/packages"
)

// unit is what moves behind an indirection: a statement that nothing leaves, or
// an expression.
type unit struct {
	pkg  *packages.Package
	file int
	fn   *ast.FuncDecl

	node ast.Node
	stmt ast.Stmt // of a list, in which the unit is
	kind string   // what it does, to find right code that does the same

	category string // of the mistake; empty for right code
	line     int    // of the mistake, in the case
}

// unitAt returns what a finding from pos to end is about, or nil.
func unitAt(pkg *packages.Package, pos, end token.Pos) *unit {
	u := &unit{pkg: pkg}
	for i, file := range pkg.Syntax {
		if file.FileStart <= pos && pos <= file.FileEnd {
			u.file = i
		}
	}
	if !end.IsValid() {
		end = pos
	}
	path, _ := astutil.PathEnclosingInterval(pkg.Syntax[u.file], pos, end)
	for i, node := range path {
		if fn, ok := node.(*ast.FuncDecl); ok {
			u.fn = fn
		}
		stmt, ok := node.(ast.Stmt)
		if !ok || u.stmt != nil {
			continue
		}
		if u.node == nil {
			u.node = nodeOf(pkg.TypesInfo, path[:i], stmt)
		}
		if i+1 < len(path) && inList(path[i+1]) {
			if clause, ok := path[i+1].(*ast.CommClause); ok && clause.Comm == stmt {
				u.node = nil
				continue
			}
			u.stmt = stmt
		}
	}
	if u.fn == nil || u.fn.Body == nil {
		return nil
	}
	if u.node != nil && (u.stmt == nil || escapes(u.node, pkg.TypesInfo)) {
		u.node = nil
	}
	if u.node != nil {
		u.kind = kindOf(pkg.TypesInfo, u.node)
	}
	return u
}

// inList reports whether a statement below parent stands in a list.
func inList(parent ast.Node) bool {
	switch parent.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// nodeOf returns what of the innermost statement around a finding moves; within
// are the nodes between them.
func nodeOf(info *types.Info, within []ast.Node, stmt ast.Stmt) ast.Node {
	switch s := stmt.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.LabeledStmt, *ast.BranchStmt:
		return nil
	case *ast.ExprStmt:
		return s
	case *ast.SendStmt, *ast.IncDecStmt, *ast.GoStmt, *ast.RangeStmt, *ast.ForStmt, *ast.SelectStmt:
		if call := smallest(info, within); call != nil {
			if _, isRange := s.(*ast.RangeStmt); isRange {
				return call
			}
		}
		return s
	case *ast.DeferStmt:
		return s.Call
	case *ast.AssignStmt:
		if _, ident := s.Lhs[0].(*ast.Ident); !ident && len(s.Lhs) == 1 {
			return s
		}
		if len(s.Rhs) == 1 {
			if small := smallest(info, within); small != nil && small.Pos() >= s.Rhs[0].Pos() {
				return small
			}
			return s.Rhs[0]
		}
	}
	if expr := smallest(info, within); expr != nil {
		return expr
	}
	return nil
}

// smallest returns the smallest expression around a finding that does something:
// nobody hides context.TODO() alone.
func smallest(info *types.Info, within []ast.Node) ast.Expr {
	for _, node := range within {
		switch node := node.(type) {
		case *ast.CallExpr:
			if fn := calleeOf(info, node); fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "context" && (fn.Name() == "Background" || fn.Name() == "TODO") {
				continue
			}
			return node
		case *ast.TypeAssertExpr:
			if node.Type != nil {
				return node
			}
		case *ast.UnaryExpr:
			if node.Op == token.ARROW || node.Op == token.AND {
				return node
			}
		}
	}
	return nil
}

// kindOf names what a node does.
func kindOf(info *types.Info, node ast.Node) string {
	switch n := node.(type) {
	case *ast.ExprStmt:
		return kindOf(info, n.X)
	case *ast.CallExpr:
		if fn := calleeOf(info, n); fn != nil {
			return "call " + fn.Name()
		}
		return "call"
	case *ast.UnaryExpr:
		return n.Op.String()
	case *ast.TypeAssertExpr:
		return "assert " + types.TypeString(info.TypeOf(n), nil)
	case *ast.AssignStmt:
		if sel, ok := n.Lhs[0].(*ast.SelectorExpr); ok {
			return "set " + sel.Sel.Name
		}
		return "set"
	case *ast.GoStmt:
		return "go"
	case *ast.ForStmt, *ast.RangeStmt:
		return "loop"
	case *ast.SelectStmt:
		return "select"
	case *ast.SendStmt:
		return "send"
	}
	return ""
}

func calleeOf(info *types.Info, call *ast.CallExpr) types.Object {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return info.Uses[fun]
	case *ast.SelectorExpr:
		return info.Uses[fun.Sel]
	}
	return nil
}

// escapes reports whether control leaves a node other than by its end, or the
// node is no value.
func escapes(node ast.Node, info *types.Info) bool {
	escapes := false
	ast.Inspect(node, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.FuncLit:
			return false // what it returns from is itself
		case *ast.ReturnStmt, *ast.DeferStmt, *ast.LabeledStmt, *ast.TypeSpec:
			escapes = true
		case *ast.BranchStmt:
			escapes = escapes || m.Label != nil || m.Tok == token.GOTO || !within(node, m)
		}
		return !escapes
	})
	expr, ok := node.(ast.Expr)
	if !ok || escapes {
		return escapes
	}
	if call, ok := expr.(*ast.CallExpr); ok && (info.Types[call.Fun].IsType() || info.Types[call.Fun].IsBuiltin()) {
		return true
	}
	tv := info.Types[expr]
	return tv.Type == nil || tv.IsType() || tv.IsBuiltin() || tv.IsNil()
}

// within reports whether a break or continue stays in the node: there is a loop,
// switch or select of the node around it.
func within(node ast.Node, branch *ast.BranchStmt) bool {
	stays := false
	ast.Inspect(node, func(m ast.Node) bool {
		switch m.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			stays = stays || m.Pos() <= branch.Pos() && branch.End() <= m.End()
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			stays = stays || branch.Tok == token.BREAK && m.Pos() <= branch.Pos() && branch.End() <= m.End()
		}
		return true
	})
	return stays
}

// unitsIn returns the units of a function that do what others were wrong about:
// right code that looks like a mistake.
func unitsIn(pkg *packages.Package, file int, fn *ast.FuncDecl, kinds map[string]bool) []*unit {
	const most = 3
	var units []*unit
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if len(units) == most {
			return false
		}
		var pos token.Pos
		switch n := n.(type) {
		case *ast.CallExpr:
			pos = n.Rparen
		case *ast.TypeAssertExpr, *ast.AssignStmt, *ast.GoStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SelectStmt, *ast.SendStmt:
			pos = n.Pos()
		default:
			return true
		}
		u := unitAt(pkg, pos, pos)
		if u == nil || u.node == nil || u.kind == "" || !kinds[u.kind] {
			return true
		}
		u.file = file
		overlaps := func(other *unit) bool { return other.node.Pos() < u.node.End() && u.node.Pos() < other.node.End() }
		if !slices.ContainsFunc(units, overlaps) {
			units = append(units, u)
		}
		return true
	})
	return units
}
