package schemeregister

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
	"github.com/opvet/opvet/internal/source"
	"github.com/opvet/opvet/internal/suppress"
)

// ignored finds registrations whose error nobody reads.
func (c *checker) ignored(call ssa.CallInstruction) {
	if _, ok := kubeapi.Registration(call.Common()); !ok || isRead(call) || c.graph.NeverFails(call) {
		return
	}
	name := c.called(call)
	pos, end := c.span(call)
	if c.droppedOnPurpose(pos) {
		return
	}
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: ignored,
		Message: fmt.Sprintf("the program starts all the same if %s fails, and each read, write and watch of its types fails later, with \"no kind is registered\"; "+
			"stop at once: utilruntime.Must(%s(…)), or return the error", name, name),
		Fix: c.fix(call),
	})
}

// droppedOnPurpose reports whether a comment says so to errcheck, whose subject
// this is as well.
func (c *checker) droppedOnPurpose(pos token.Pos) bool {
	for _, file := range c.pass.Files {
		if pos < file.FileStart || pos >= file.FileEnd {
			continue
		}
		line := c.pass.Fset.Position(pos).Line
		for _, comment := range c.report.Comments(file) {
			if comment.Covers(line) && slices.ContainsFunc(comment.Names, func(n suppress.Name) bool { return n.Text == "errcheck" }) {
				return true
			}
		}
	}
	return false
}

// isRead reports whether anything is done with the error of a call.
func isRead(call ssa.CallInstruction) bool {
	value, ok := call.(*ssa.Call)
	if !ok {
		return false // of a go or defer statement
	}
	for _, ref := range *value.Referrers() {
		if _, debug := ref.(*ssa.DebugRef); !debug {
			return true
		}
	}
	return false
}

// fix has the error end the program where it is being set up, or returns it.
func (c *checker) fix(call ssa.CallInstruction) *analysis.SuggestedFix {
	syntax := source.Call(c.pass.Files, call)
	if syntax == nil {
		return nil
	}
	path := source.Path(c.pass.Files, syntax.Lparen)
	statement, file := statementOf(path, syntax)
	if statement == nil || file == nil {
		return nil
	}
	fn := call.Parent()
	switch results := fn.Signature.Results(); {
	case results.Len() == 1 && kubeapi.IsError(results.At(0).Type()):
		return &analysis.SuggestedFix{
			Message: "Return the error of " + c.called(call),
			TextEdits: []analysis.TextEdit{
				{Pos: statement.Pos(), End: syntax.Pos(), NewText: []byte("if err := ")},
				{Pos: syntax.End(), End: syntax.End(), NewText: []byte("; err != nil {\nreturn err\n}")},
			},
		}
	case results.Len() == 0 && c.setsUp(fn):
		name, edits, ok := c.utilruntime(file, statement.Pos())
		if !ok {
			return nil
		}
		return &analysis.SuggestedFix{
			Message: "Panic if " + c.called(call) + " fails",
			TextEdits: append(edits,
				analysis.TextEdit{Pos: statement.Pos(), End: syntax.Pos(), NewText: []byte(name + ".Must(")},
				analysis.TextEdit{Pos: syntax.End(), End: syntax.End(), NewText: []byte(")")},
			),
		}
	}
	return nil
}

// setsUp reports whether a function is where a program or scheme is set up:
// init, main, or one that gets the scheme and returns nothing.
func (c *checker) setsUp(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Signature().Recv() != nil {
		return false
	}
	if obj.Name() == "init" || obj.Name() == "main" && c.pass.Pkg.Name() == "main" {
		return true
	}
	params := obj.Signature().Params()
	return params.Len() == 1 && kubeapi.IsScheme(params.At(0).Type())
}

// statementOf returns the statement that consists of the call, or assigns its
// error to nothing, and the file around it.
func statementOf(path []ast.Node, call *ast.CallExpr) (statement ast.Stmt, file *ast.File) {
	for n, node := range path {
		switch node := node.(type) {
		case *ast.ExprStmt:
			if ast.Unparen(node.X) == call {
				statement = inList(path[n+1:], node)
			}
		case *ast.AssignStmt:
			if len(node.Lhs) == 1 && len(node.Rhs) == 1 && ast.Unparen(node.Rhs[0]) == call && node.Rhs[0].Pos() == call.Pos() {
				if name, ok := node.Lhs[0].(*ast.Ident); ok && name.Name == "_" {
					statement = inList(path[n+1:], node)
				}
			}
		case *ast.File:
			file = node
		}
	}
	return statement, file
}

// inList returns the statement if it stands in a block.
func inList(around []ast.Node, statement ast.Stmt) ast.Stmt {
	if len(around) == 0 {
		return nil
	}
	switch around[0].(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return statement
	}
	return nil
}

const utilruntimePath = "k8s.io/apimachinery/pkg/util/runtime"

// utilruntime returns the name under which a file has, or can import, the
// package with Must. The package of the scheme itself imports it, so that it is
// there.
func (c *checker) utilruntime(file *ast.File, at token.Pos) (name string, edits []analysis.TextEdit, ok bool) {
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err != nil || path != utilruntimePath {
			continue
		}
		name = "runtime"
		if spec.Name != nil {
			name = spec.Name.Name
		}
		_, obj := c.scopeAt(at).LookupParent(name, at)
		pkg, isPackage := obj.(*types.PkgName)
		return name, nil, isPackage && pkg.Imported().Path() == utilruntimePath
	}
	const alias = "utilruntime"
	if _, obj := c.scopeAt(at).LookupParent(alias, token.NoPos); obj != nil {
		return "", nil, false
	}
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.IMPORT || !group.Rparen.IsValid() || len(group.Specs) == 0 {
			continue
		}
		place := place(group)
		return alias, []analysis.TextEdit{{Pos: place, End: place, NewText: []byte("\n" + alias + " " + strconv.Quote(utilruntimePath))}}, true
	}
	return "", nil, false
}

// place is the end of the import after which that of Must belongs: the last one
// of Kubernetes that comes before it, or the last of all.
func place(group *ast.GenDecl) token.Pos {
	at := group.Specs[len(group.Specs)-1].End()
	for _, spec := range group.Specs {
		imported := spec.(*ast.ImportSpec)
		path, err := strconv.Unquote(imported.Path.Value)
		if err == nil && len(path) > len("k8s.io/") && path[:len("k8s.io/")] == "k8s.io/" && path < utilruntimePath {
			at = imported.End()
		}
	}
	return at
}

func (c *checker) scopeAt(pos token.Pos) *types.Scope {
	if scope := c.pass.Pkg.Scope().Innermost(pos); scope != nil {
		return scope
	}
	return c.pass.Pkg.Scope()
}
