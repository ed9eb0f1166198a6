package cachemutation

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/cacheobjects"
)

// fix copies the object after the check of the error with which it came, where
// the flow is straight: a variable that is declared by the call and not assigned
// again, followed by a check that leaves the function or the round of the loop, and
// an object that is sent to the API server afterwards, so that the change is
// meant to be stored and not to be read from the cache.
func (c *checker) fix(g group) *analysis.SuggestedFix {
	v := g[0]
	if v.Origin.Source != kubeapi.ListerObject || v.Origin.Depth > 0 || v.Origin.Shallow || v.Origin.Merged {
		return nil
	}
	call, ok := v.Origin.Value.(*ssa.Call)
	if !ok || call.Parent() != v.Instr.Parent() || !c.isSent(call) {
		return nil
	}
	expr := syntax.Call(c.pass.Files, call)
	if expr == nil {
		return nil
	}
	path := syntax.Path(c.pass.Files, expr.Lparen)
	for i, n := range path {
		assign, ok := n.(*ast.AssignStmt)
		if !ok {
			continue
		}
		if assign.Tok != token.DEFINE || len(assign.Lhs) != 2 || len(assign.Rhs) != 1 || ast.Unparen(assign.Rhs[0]) != expr || i+1 == len(path) {
			return nil
		}
		name, ok := assign.Lhs[0].(*ast.Ident)
		block, isBlock := path[i+1].(*ast.BlockStmt)
		if !ok || !isBlock || !c.copiesItself(name) || c.assignedAgain(name, path) {
			return nil
		}
		check := following(block, assign)
		if check == nil || c.uses(check, name) || c.start(v) <= check.End() {
			return nil
		}
		indent := strings.Repeat("\t", c.pass.Fset.Position(assign.Pos()).Column-1)
		return &analysis.SuggestedFix{
			Message: "Copy " + name.Name + " before it is changed",
			TextEdits: []analysis.TextEdit{{
				Pos: check.End(), End: check.End(), NewText: []byte("\n" + indent + name.Name + " = " + name.Name + ".DeepCopy()"),
			}},
		}
	}
	return nil
}

// isSent reports whether the function hands what the call returned to a client.
func (c *checker) isSent(source *ssa.Call) bool {
	return blocks.Any(source.Parent(), func(call ssa.CallInstruction) bool {
		op, ok := kubeapi.ClientOp(call.Common())
		return ok && !op.Verb.Reads() && op.Object != nil &&
			slices.ContainsFunc(c.Of(op.Object), func(o cacheobjects.Origin) bool { return o.Value == source })
	})
}

// copiesItself reports whether a variable's DeepCopy returns its own type.
func (c *checker) copiesItself(name *ast.Ident) bool {
	obj := c.pass.TypesInfo.Defs[name]
	if obj == nil {
		return false
	}
	method, _, _ := types.LookupFieldOrMethod(obj.Type(), true, c.pass.Pkg, "DeepCopy")
	fn, ok := method.(*types.Func)
	if !ok || types.IsInterface(obj.Type()) {
		return false
	}
	results := fn.Signature().Results()
	return results.Len() == 1 && types.Identical(results.At(0).Type(), obj.Type())
}

// assignedAgain reports whether a variable is assigned after its declaration,
// or its address is taken.
func (c *checker) assignedAgain(name *ast.Ident, path []ast.Node) bool {
	found := false
	is := func(e ast.Expr) bool { return c.isUse(ast.Unparen(e), name) }
	ast.Inspect(path[len(path)-1], func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, is)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(n.X)
		}
		return !found
	})
	return found
}

// following returns the check of an error that stands right behind a statement
// and leaves, or nil.
func following(block *ast.BlockStmt, stmt ast.Stmt) *ast.IfStmt {
	next := slices.Index(block.List, stmt) + 1
	if next == 0 || next == len(block.List) {
		return nil
	}
	check, ok := block.List[next].(*ast.IfStmt)
	if !ok || check.Init != nil || check.Else != nil || len(check.Body.List) == 0 {
		return nil
	}
	if cond, ok := check.Cond.(*ast.BinaryExpr); !ok || cond.Op != token.NEQ {
		return nil
	}
	last := check.Body.List[len(check.Body.List)-1]
	_, returns := last.(*ast.ReturnStmt)
	if branch, ok := last.(*ast.BranchStmt); returns || ok && (branch.Tok == token.CONTINUE || branch.Tok == token.BREAK) {
		return check
	}
	return nil
}

// uses reports whether a statement uses a variable.
func (c *checker) uses(stmt ast.Stmt, name *ast.Ident) bool {
	found := false
	ast.Inspect(stmt, func(n ast.Node) bool {
		found = found || c.isUse(n, name)
		return !found
	})
	return found
}

// isUse reports whether something is the variable that is declared by a name.
func (c *checker) isUse(n ast.Node, name *ast.Ident) bool {
	id, ok := n.(*ast.Ident)
	return ok && c.pass.TypesInfo.Uses[id] == c.pass.TypesInfo.Defs[name]
}
