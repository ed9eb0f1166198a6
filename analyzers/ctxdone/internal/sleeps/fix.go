package sleeps

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
	"github.com/opvet/opvet/internal/passes/waits"
)

// sleepFix turns a sleep into a select that listens to the context as well,
// where the function can return because of that: it returns nothing, or an
// error.
func (u *unit) sleepFix(fn *ssa.Function, p *waits.Pause) *analysis.SuggestedFix {
	file := syntax.FileOf(u.Pass.Files, p.At.Pos())
	if file == nil {
		return nil
	}
	path, _ := astutil.PathEnclosingInterval(file, p.At.Pos(), p.At.Pos())
	stmt, body := pauseStmt(path)
	if stmt == nil {
		return nil
	}
	after := u.timerText(stmt)
	source := u.Usable(fn, stmt.Pos())
	if after == "" || losesComment(file, stmt) || source == nil || body.deferred || unlocksLater(body.block) {
		return nil
	}
	done, err := source.Expr+".Done()", source.Expr+".Err()"
	if source.Stop {
		done, err = source.Expr, ""
	}
	ret, ok := u.returnText(body.results, err)
	if !ok {
		return nil
	}
	indent := u.IndentOf(stmt.Pos())
	text := strings.Join([]string{"select {", "case <-" + after + ":", "case <-" + done + ":", "\t" + ret, "}"}, "\n"+indent)
	return &analysis.SuggestedFix{
		Message:   "wait in a select that listens to " + done + " as well",
		TextEdits: []analysis.TextEdit{{Pos: stmt.Pos(), End: stmt.End(), NewText: []byte(text)}},
	}
}

// funcBody is the innermost function around a place.
type funcBody struct {
	results  *ast.FieldList
	block    *ast.BlockStmt
	deferred bool
}

// pauseStmt returns the statement that a pause is, and the function around
// it. A pause that is part of another statement has none.
func pauseStmt(path []ast.Node) (*ast.ExprStmt, funcBody) {
	var stmt *ast.ExprStmt
	for n, node := range path {
		switch node := node.(type) {
		case *ast.ExprStmt:
			if stmt == nil && n+1 < len(path) {
				switch path[n+1].(type) {
				case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
					stmt = node
				default:
					return nil, funcBody{}
				}
			}
		case *ast.FuncLit:
			_, deferred := at(path, n+2).(*ast.DeferStmt)
			return stmt, funcBody{results: node.Type.Results, block: node.Body, deferred: deferred}
		case *ast.FuncDecl:
			return stmt, funcBody{results: node.Type.Results, block: node.Body}
		}
	}
	return nil, funcBody{}
}

func at(path []ast.Node, n int) ast.Node {
	if n < len(path) {
		return path[n]
	}
	return nil
}

// losesComment reports whether a comment stands in a statement, but not in the
// duration that the fix takes over.
func losesComment(file *ast.File, stmt *ast.ExprStmt) bool {
	var kept ast.Node = stmt.X
	switch x := ast.Unparen(stmt.X).(type) {
	case *ast.CallExpr:
		kept = x.Args[0]
	case *ast.UnaryExpr:
		kept = x.X
	}
	return slices.ContainsFunc(file.Comments, func(comment *ast.CommentGroup) bool {
		return stmt.Pos() < comment.Pos() && comment.End() <= stmt.End() && (comment.Pos() < kept.Pos() || kept.End() < comment.End())
	})
}

// timerText is the channel to wait for instead of the pause.
func (u *unit) timerText(stmt *ast.ExprStmt) string {
	switch x := ast.Unparen(stmt.X).(type) {
	case *ast.CallExpr:
		sel, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr)
		if !ok || len(x.Args) != 1 {
			return ""
		}
		fn, ok := u.Pass.TypesInfo.Uses[sel.Sel].(*types.Func)
		if !ok || fn.FullName() != "time.Sleep" {
			return ""
		}
		pkg, arg := u.Text(sel.X), u.Text(x.Args[0])
		if pkg == "" || arg == "" {
			return ""
		}
		return pkg + ".After(" + arg + ")"
	case *ast.UnaryExpr:
		if x.Op == token.ARROW {
			return u.Text(x.X)
		}
	}
	return ""
}

// unlocksLater reports whether a function releases something outside of a
// defer statement: a return in the middle would leave it locked.
func unlocksLater(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			return false
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Unlock" || sel.Sel.Name == "RUnlock") {
				found = true
			}
		}
		return !found
	})
	return found
}

// returnText writes a return statement that hands out the error, with zero
// values before it.
func (u *unit) returnText(results *ast.FieldList, err string) (string, bool) {
	if results == nil || len(results.List) == 0 {
		return "return", true
	}
	var values []string
	for n, field := range results.List {
		t := u.Pass.TypesInfo.TypeOf(field.Type)
		if t == nil {
			return "", false
		}
		value, last := "", n == len(results.List)-1
		if last && types.Identical(t, types.Universe.Lookup("error").Type()) && len(field.Names) < 2 {
			value = err
		} else if !last {
			value = u.zeroText(t, field.Type)
		}
		if value == "" {
			return "", false
		}
		for range max(len(field.Names), 1) {
			values = append(values, value)
		}
	}
	return "return " + strings.Join(values, ", "), true
}

// zeroText writes the zero value of a type, or nothing if it cannot.
func (u *unit) zeroText(t types.Type, written ast.Expr) string {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		if text := u.Text(written); text != "" {
			return "*new(" + text + ")"
		}
		return ""
	}
	switch under := t.Underlying().(type) {
	case *types.Basic:
		switch info := under.Info(); {
		case info&types.IsBoolean != 0:
			return "false"
		case info&types.IsString != 0:
			return `""`
		case info&types.IsNumeric != 0:
			return "0"
		}
	case *types.Struct, *types.Array:
		if text := u.Text(written); text != "" {
			return text + "{}"
		}
	case *types.Pointer, *types.Interface, *types.Slice, *types.Map, *types.Chan, *types.Signature:
		return "nil"
	}
	return ""
}
