package detachedctx

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/detachedcalls"
)

// fixAll passes the live context instead of the detached ones, or nil if that is
// not possible for all of them.
func (c *checker) fixAll(sites []*detachedcalls.Site) *analysis.SuggestedFix {
	var all *analysis.SuggestedFix
	seen := make(map[[2]token.Pos]bool)
	for _, site := range sites {
		if site.Root == nil || site.Caller != nil {
			return nil
		}
		fix := c.replace(site.Root, site.Live)
		if fix == nil || all != nil && fix.Message != all.Message {
			return nil
		}
		if all == nil {
			all = &analysis.SuggestedFix{Message: fix.Message}
		}
		for _, edit := range fix.TextEdits {
			key := [2]token.Pos{edit.Pos, edit.End}
			if !seen[key] {
				seen[key] = true
				all.TextEdits = append(all.TextEdits, edit)
			}
		}
	}
	return all
}

// replace writes the live context in place of the call that makes a detached
// one, and names the parameter if it has no name. It is nil where that would
// not compile, or mean something else.
func (c *checker) replace(root ssa.Value, live contexts.Source) *analysis.SuggestedFix {
	file := syntax.FileOf(c.pass.Files, root.Pos())
	if file == nil || live.Param == nil {
		return nil
	}
	path, _ := astutil.PathEnclosingInterval(file, root.Pos(), root.Pos())
	call := innermost[*ast.CallExpr](path) // SSA gives a call the position of its parenthesis
	if call == nil || len(call.Args) != 0 || !c.keepsImport(file, call) {
		return nil
	}
	if live.Blank {
		return c.nameParameter(path, call, live)
	}
	if !c.resolves(live, call.Pos()) || declares(path, call, live.Expr) {
		return nil
	}
	return &analysis.SuggestedFix{
		Message:   "Pass " + live.Expr,
		TextEdits: []analysis.TextEdit{{Pos: call.Pos(), End: call.End(), NewText: []byte(live.Expr)}},
	}
}

// innermost returns the first node of a type on a path, or its zero value.
func innermost[T ast.Node](path []ast.Node) (found T) {
	for _, n := range path {
		if found, ok := n.(T); ok {
			return found
		}
	}
	return found
}

// resolves reports whether the name with which the expression begins means the
// parameter at pos.
func (c *checker) resolves(live contexts.Source, pos token.Pos) bool {
	name, _, _ := strings.Cut(live.Expr, ".")
	_, obj := c.pass.Pkg.Scope().Innermost(pos).LookupParent(name, pos)
	return obj != nil && obj == live.Param.Object()
}

// declares reports whether the call is the value of a declaration of a variable
// of the name: next to the parameter that would declare it again, and elsewhere
// it would be left to be cleaned up.
func declares(path []ast.Node, call *ast.CallExpr, name string) bool {
	for _, n := range path {
		switch n := n.(type) {
		case *ast.AssignStmt:
			return n.Tok == token.DEFINE && slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool {
				id, ok := e.(*ast.Ident)
				return ok && id.Name == name && len(n.Lhs) == 1 && n.Rhs[0] == call
			})
		case *ast.FuncLit, *ast.FuncDecl:
			return false
		}
	}
	return false
}

// nameParameter names the function's context parameter and uses it.
func (c *checker) nameParameter(path []ast.Node, call *ast.CallExpr, live contexts.Source) *analysis.SuggestedFix {
	const name = "ctx"
	fn, body := functionOf(path, live.Param.Parent().Syntax())
	if fn == nil || body == nil || fn.Params == nil {
		return nil
	}
	edits := c.parameterEdits(fn, live, name)
	if edits == nil {
		return nil
	}
	var define *ast.AssignStmt
	if stmt, ok := innermost[ast.Stmt](path).(*ast.AssignStmt); ok && len(stmt.Lhs) == 1 && len(stmt.Rhs) == 1 && stmt.Rhs[0] == call {
		if id, ok := stmt.Lhs[0].(*ast.Ident); ok && id.Name == name && stmt.Tok == token.DEFINE && slices.Contains(body.List, ast.Stmt(stmt)) {
			define = stmt
		}
	}
	if define != nil {
		if c.mentions(body, name, define) {
			return nil
		}
		// ctx := context.TODO() becomes the parameter.
		file := c.pass.Fset.File(define.Pos())
		from := file.LineStart(file.Line(define.Pos()))
		to := define.End()
		if file.Line(to) < file.LineCount() {
			to = file.LineStart(file.Line(to) + 1)
		}
		if c.shares(body, define) {
			return nil
		}
		edits = append(edits, analysis.TextEdit{Pos: from, End: to})
	} else {
		if c.mentions(body, name, nil) {
			return nil
		}
		edits = append(edits, analysis.TextEdit{Pos: call.Pos(), End: call.End(), NewText: []byte(name)})
	}
	return &analysis.SuggestedFix{Message: "Name the context parameter and pass it", TextEdits: edits}
}

// functionOf returns the type and body of the function that is declared by
// syntax, if it is on the path.
func functionOf(path []ast.Node, syntax ast.Node) (*ast.FuncType, *ast.BlockStmt) {
	for _, n := range path {
		if n != syntax {
			continue
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Type, n.Body
		case *ast.FuncLit:
			return n.Type, n.Body
		}
	}
	return nil, nil
}

// parameterEdits names the parameter; if none has a name, the others become
// blank.
func (c *checker) parameterEdits(fn *ast.FuncType, live contexts.Source, name string) []analysis.TextEdit {
	var edits []analysis.TextEdit
	named := false
	for _, field := range fn.Params.List {
		isContext := types.Identical(c.pass.TypesInfo.TypeOf(field.Type), live.Param.Type())
		if len(field.Names) == 0 {
			text := "_ "
			if isContext && !named {
				text, named = name+" ", true
			}
			edits = append(edits, analysis.TextEdit{Pos: field.Type.Pos(), End: field.Type.Pos(), NewText: []byte(text)})
			continue
		}
		for _, id := range field.Names {
			if id.Name == name {
				return nil
			}
			if isContext && id.Name == "_" && !named {
				named = true
				edits = append(edits, analysis.TextEdit{Pos: id.Pos(), End: id.End(), NewText: []byte(name)})
			}
		}
	}
	if !named {
		return nil
	}
	return edits
}

// mentions reports whether the body has an identifier of the name that does not
// belong to the variable which define declares.
func (c *checker) mentions(body *ast.BlockStmt, name string, define *ast.AssignStmt) bool {
	var own types.Object
	if define != nil {
		own = c.pass.TypesInfo.Defs[define.Lhs[0].(*ast.Ident)]
	}
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			found = found || c.mentionsIn(n.X, name, own)
			return false
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok {
				if field, ok := c.pass.TypesInfo.ObjectOf(id).(*types.Var); ok && field.IsField() {
					found = found || c.mentionsIn(n.Value, name, own)
					return false
				}
			}
		case *ast.Ident:
			found = found || n.Name == name && c.pass.TypesInfo.ObjectOf(n) != own
		}
		return !found
	})
	return found
}

func (c *checker) mentionsIn(e ast.Expr, name string, own types.Object) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name && c.pass.TypesInfo.ObjectOf(id) != own
		return !found
	})
	return found
}

// shares reports whether another statement stands on the lines of stmt.
func (c *checker) shares(body *ast.BlockStmt, stmt ast.Stmt) bool {
	line := func(pos token.Pos) int { return c.pass.Fset.Position(pos).Line }
	if line(body.Lbrace) == line(stmt.Pos()) || line(body.Rbrace) == line(stmt.End()) {
		return true
	}
	return slices.ContainsFunc(body.List, func(other ast.Stmt) bool {
		return other != stmt && line(other.Pos()) <= line(stmt.End()) && line(stmt.Pos()) <= line(other.End())
	})
}

// keepsImport reports whether the file needs the package of the call for
// something else than making detached contexts, so that its import stays in
// use whichever of them are replaced.
func (c *checker) keepsImport(file *ast.File, call *ast.CallExpr) bool {
	pkg, _ := c.imported(call.Fun)
	if pkg == nil {
		return true // a function of this package, or the like
	}
	used := false
	ast.Inspect(file, func(n ast.Node) bool {
		other, name := c.imported(n)
		used = used || other == pkg && name != "Background" && name != "TODO"
		return !used
	})
	return used
}

// imported returns the package and the name of something that is written as such, or nil.
func (c *checker) imported(n ast.Node) (pkg *types.PkgName, name string) {
	if sel, ok := n.(*ast.SelectorExpr); ok {
		if id, ok := sel.X.(*ast.Ident); ok {
			pkg, _ = c.pass.TypesInfo.Uses[id].(*types.PkgName)
			return pkg, sel.Sel.Name
		}
	}
	return nil, ""
}
