package schemeregister

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/edit"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/suppress"
)

// ignored reports the registrations whose error nobody reads: those of one function
// once.
func (c *checker) ignored(fn *ssa.Function) {
	var files []*ast.File
	byFile := make(map[*ast.File][]ssa.CallInstruction) // what initialises variables is one function
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		if !c.isIgnored(call) {
			continue
		}
		file := syntax.FileOf(c.pass.Files, call.Pos())
		if len(byFile[file]) == 0 {
			files = append(files, file)
		}
		byFile[file] = append(byFile[file], call)
	}
	for _, file := range files {
		c.reportIgnored(byFile[file])
	}
}

// isIgnored reports whether a call is a registration that can fail and whose error
// is dropped, and no comment says that this is meant.
func (c *checker) isIgnored(call ssa.CallInstruction) bool {
	_, ok := kubeapi.Registration(call.Common())
	if !ok {
		_, ok = kubeapi.Registration(c.graph.Through(call.Common())) // a helper's that hands the error up
	}
	if !ok || isRead(call) || c.graph.NeverFails(call) {
		return false
	}
	pos, _ := c.span(call)
	return !c.droppedOnPurpose(pos) && !c.report.Silenced(pos, ignored)
}

func (c *checker) reportIgnored(calls []ssa.CallInstruction) {
	slices.SortStableFunc(calls, func(a, b ssa.CallInstruction) int { return syntax.ComparePos(c.pass.Fset, a.Pos(), b.Pos()) })
	f := rule.Finding{Category: ignored, Fix: c.fixAll(calls)}
	if i := slices.IndexFunc(calls, c.mayFail); i >= 0 {
		f.Harm = rule.Loss
		calls[0], calls[i] = calls[i], calls[0]
	}
	f.Pos, f.End = c.span(calls[0])
	name := c.called(calls[0])
	what := "the error of " + name
	if len(calls) > 1 {
		what = fmt.Sprintf("the errors of %s and %d more", name, len(calls)-1)
		for _, call := range calls[1:] {
			at, _ := c.span(call)
			f.Related = append(f.Related, analysis.RelatedInformation{Pos: at, Message: "so is that of " + c.called(call)})
		}
	}
	f.Message = fmt.Sprintf("nobody reads %s: if types are missing, requests fail later; use utilruntime.Must, or return the error", what)
	c.report.Report(f)
}

// mayFail reports whether a registration does more than register types, which fails
// each time that the program starts or never: an error of something else may be
// lost.
func (c *checker) mayFail(call ssa.CallInstruction) bool {
	return slices.ContainsFunc(c.graph.Callees(call).Funcs, func(fn *ssa.Function) bool { return c.failsByItself(fn, 0) })
}

// maxRegistrations bounds how many registrations call each other.
const maxRegistrations = 4

func (c *checker) failsByItself(fn *ssa.Function, depth int) bool {
	if depth > maxRegistrations {
		return false
	}
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if !kubeapi.CanFail(call.Common().Signature()) {
			continue
		}
		_, registers := kubeapi.Registration(call.Common())
		switch {
		case !registers && !wrapsError(call):
			return true
		case slices.ContainsFunc(c.graph.Callees(call).Funcs, func(fn *ssa.Function) bool { return c.failsByItself(fn, depth+1) }):
			return true
		}
	}
	return false
}

// wrapsError reports whether a call makes an error of another one, or of words.
func wrapsError(call *ssa.Call) bool {
	callee := kubeapi.Callee(call.Common())
	if callee == nil || callee.Pkg() == nil {
		return false
	}
	switch callee.Pkg().Path() {
	case "fmt", "errors", "github.com/pkg/errors", "k8s.io/apimachinery/pkg/util/errors":
		return true
	}
	return false
}

// droppedOnPurpose reports whether a comment says so to errcheck, whose subject
// this is as well.
func (c *checker) droppedOnPurpose(pos token.Pos) bool {
	file := syntax.FileOf(c.pass.Files, pos)
	if file == nil {
		return false
	}
	line := c.pass.Fset.Position(pos).Line
	return slices.ContainsFunc(c.report.Comments(file), func(comment *suppress.Directive) bool {
		return comment.Covers(line) && slices.ContainsFunc(comment.Names, func(n suppress.Name) bool { return n.Text == "errcheck" })
	})
}

// isRead reports whether anything is done with the error of a call.
func isRead(call ssa.CallInstruction) bool {
	value, ok := call.(*ssa.Call)
	return ok && !calls.Unused(value) // and none of a go or defer statement
}

// fixAll has the errors of all calls end the program, or returns them; nil if it
// cannot do so for each.
func (c *checker) fixAll(calls []ssa.CallInstruction) *analysis.SuggestedFix {
	all := new(analysis.SuggestedFix)
	seen := make(map[string]bool)
	for _, call := range calls {
		fix := c.fix(call)
		if fix == nil {
			return nil
		}
		all.Message = cmp.Or(all.Message, fix.Message)
		for _, edit := range fix.TextEdits {
			if key := fmt.Sprint(edit.Pos, edit.End, string(edit.NewText)); !seen[key] {
				seen[key] = true
				all.TextEdits = append(all.TextEdits, edit)
			}
		}
	}
	return all
}

// fix has the error end the program where it is being set up, or returns it.
func (c *checker) fix(call ssa.CallInstruction) *analysis.SuggestedFix {
	expr := syntax.Call(c.pass.Files, call)
	if expr == nil {
		return nil
	}
	path := syntax.Path(c.pass.Files, expr.Lparen)
	statement, file := statementOf(path, expr)
	if statement == nil || file == nil {
		return nil
	}
	fn := call.Parent()
	switch results := fn.Signature.Results(); {
	case results.Len() == 1 && kubeapi.IsError(results.At(0).Type()):
		return &analysis.SuggestedFix{
			Message: "Return the error of " + c.called(call),
			TextEdits: []analysis.TextEdit{
				{Pos: statement.Pos(), End: expr.Pos(), NewText: []byte("if err := ")},
				{Pos: expr.End(), End: expr.End(), NewText: []byte("; err != nil {\nreturn err\n}")},
			},
		}
	case results.Len() == 0 && c.setsUp(fn):
		qualifier, edits, ok := c.utilruntime(file, statement.Pos())
		if !ok {
			return nil
		}
		return &analysis.SuggestedFix{
			Message: "Panic if " + c.called(call) + " fails",
			TextEdits: append(edits,
				analysis.TextEdit{Pos: statement.Pos(), End: expr.Pos(), NewText: []byte(qualifier + "Must(")},
				analysis.TextEdit{Pos: expr.End(), End: expr.End(), NewText: []byte(")")},
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
func (c *checker) utilruntime(file *ast.File, at token.Pos) (qualifier string, edits []analysis.TextEdit, ok bool) {
	if qualifier, ok := edit.Qualifier(c.pass, at, utilruntimePath, "Must"); ok {
		return qualifier, nil, true
	}
	if edit.Imports(c.pass, at, utilruntimePath) {
		return "", nil, false // by a name that means something else here
	}
	const alias = "utilruntime"
	if !edit.IsFree(c.pass, at, alias) {
		return "", nil, false
	}
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.IMPORT || !group.Rparen.IsValid() || len(group.Specs) == 0 {
			continue
		}
		place := place(group)
		return alias + ".", []analysis.TextEdit{{Pos: place, End: place, NewText: []byte("\n" + alias + " " + strconv.Quote(utilruntimePath))}}, true
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
