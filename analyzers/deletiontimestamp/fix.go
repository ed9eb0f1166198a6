package deletiontimestamp

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
)

// fix leaves out the .Time before a method that *metav1.Time has, too, and
// that can be called on nil there.
func (c *checker) fix(read finalizers.Read) *analysis.SuggestedFix {
	if read.Via != nil {
		return nil
	}
	call, sel := c.callOnTime(read.Node.Instr.Pos())
	if call == nil {
		return nil
	}
	edits := []analysis.TextEdit{without(sel)}
	switch method := call.Fun.(*ast.SelectorExpr).Sel.Name; method {
	case "IsZero":
	case "Before", "Equal":
		if len(call.Args) != 1 {
			return nil
		}
		arg, ok := ast.Unparen(call.Args[0]).(*ast.SelectorExpr)
		if !ok || !c.isTimeOf(arg) {
			return nil
		}
		edits = append(edits, without(arg))
	default:
		return nil
	}
	return &analysis.SuggestedFix{Message: "Leave out .Time: the method of *metav1.Time can be called on nil", TextEdits: edits}
}

func without(sel *ast.SelectorExpr) analysis.TextEdit {
	return analysis.TextEdit{Pos: sel.X.End(), End: sel.Sel.End()}
}

// isTimeOf reports whether sel is ts.Time, of a *metav1.Time ts.
func (c *checker) isTimeOf(sel *ast.SelectorExpr) bool {
	t := c.pass.TypesInfo.TypeOf(sel.X)
	if t == nil || sel.Sel.Name != "Time" {
		return false
	}
	_, isPointer := t.Underlying().(*types.Pointer)
	return isPointer && kubeapi.IsNamed(t, "k8s.io/apimachinery/pkg/apis/meta/v1", "Time")
}

// callOnTime returns the call ts.Time.Method(…) whose selector .Time has its
// name at pos, and that selector.
func (c *checker) callOnTime(pos token.Pos) (*ast.CallExpr, *ast.SelectorExpr) {
	var found *ast.CallExpr
	var of *ast.SelectorExpr
	c.inspect(pos, func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return
		}
		fun, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return
		}
		if sel, ok := fun.X.(*ast.SelectorExpr); ok && sel.Sel.Pos() == pos && c.isTimeOf(sel) {
			found, of = call, sel
		}
	})
	return found, of
}

// selector returns the selector expression by which a timestamp is read, or
// nil.
func (c *checker) selector(read finalizers.Read) *ast.SelectorExpr {
	pos := read.Node.Instr.Pos()
	var found *ast.SelectorExpr
	c.inspect(pos, func(n ast.Node) {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Pos() == pos {
			found = sel
		}
	})
	return found
}

// inspect visits the syntax around a position.
func (c *checker) inspect(pos token.Pos, visit func(ast.Node)) {
	file := syntax.FileOf(c.pass.Files, pos)
	if file == nil {
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		visit(n)
		return true
	})
}
