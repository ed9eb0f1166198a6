package ctxdone

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/report/edit"
)

// dropFix passes the context or stop channel at hand instead of what never
// ends, or turns a poller into the one that takes a context.
func (u *unit) dropFix(fn *ssa.Function, d *droppedStop) *analysis.SuggestedFix {
	source := u.Usable(fn, d.Call.Pos())
	file := syntax.FileOf(u.Pass.Files, d.Call.Pos())
	if source == nil || file == nil || d.Elsewhere != nil || source.Kind == contexts.FromField {
		return nil
	}
	call := syntax.Call(u.Pass.Files, d.Call)
	if call == nil || call.Ellipsis.IsValid() {
		return nil
	}
	if d.Until == nil {
		return u.pollerFix(file, call, d.Callee, source)
	}
	return u.untilFix(file, call, d, source)
}

// untilFix replaces the argument that never ends. Imports must stay used: the
// package of what goes away has to be named elsewhere in the file.
func (u *unit) untilFix(file *ast.File, call *ast.CallExpr, d *droppedStop, source *contexts.Source) *analysis.SuggestedFix {
	wantsContext := kubeapi.IsContext(d.Until.Type())
	text := source.Expr
	switch {
	case wantsContext && source.Stop:
		return nil
	case !wantsContext && !source.Stop:
		text += ".Done()"
	}
	for _, arg := range call.Args {
		t := u.Pass.TypesInfo.TypeOf(arg)
		if t == nil || !kubeapi.IsContext(t) && !kubeapi.IsStopChannel(t) {
			continue
		}
		if !u.namedElsewhere(file, arg) {
			return nil
		}
		switch x := ast.Unparen(arg).(type) {
		case *ast.CallExpr:
			if len(x.Args) != 0 {
				return nil // it derives the context, which needs judgement
			}
		case *ast.SelectorExpr:
		default:
			return nil
		}
		return &analysis.SuggestedFix{
			Message:   "pass " + text,
			TextEdits: []analysis.TextEdit{{Pos: arg.Pos(), End: arg.End(), NewText: []byte(text)}},
		}
	}
	return nil
}

// namedElsewhere reports whether the packages that n names are named in the
// file outside of n as well.
func (u *unit) namedElsewhere(file *ast.File, n ast.Node) bool {
	left := make(map[types.Object]bool)
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if pkg, ok := u.Pass.TypesInfo.Uses[id].(*types.PkgName); ok {
				left[pkg] = true
			}
		}
		return true
	})
	ast.Inspect(file, func(at ast.Node) bool {
		if at == n {
			return false
		}
		if id, ok := at.(*ast.Ident); ok {
			delete(left, u.Pass.TypesInfo.Uses[id])
		}
		return len(left) > 0
	})
	return len(left) == 0
}

// pollerFix writes the poller that takes a context. The condition has to be a
// literal, to which the parameter can be added.
func (u *unit) pollerFix(file *ast.File, call *ast.CallExpr, callee *types.Func, source *contexts.Source) *analysis.SuggestedFix {
	fun, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || source.Stop || source.Kind != contexts.FromParam || len(call.Args) == 0 {
		return nil
	}
	literal, ok := ast.Unparen(call.Args[len(call.Args)-1]).(*ast.FuncLit)
	if !ok || literal.Type.Params.NumFields() != 0 {
		return nil
	}
	qualifier, ok := edit.Qualifier(u.Pass, literal.Pos(), "context", "Context")
	if !ok || source.Expr+"." == qualifier {
		return nil
	}
	name := kubeapi.WaitWithContext(callee)
	param := source.Expr + " " + qualifier + "Context"
	immediate := ""
	switch {
	case strings.HasPrefix(name, "PollUntilContext"):
		immediate = fmt.Sprint(asksAtOnce(callee)) + ", "
	case strings.HasPrefix(name, "Poll"):
	case name == "ExponentialBackoffWithContext":
		if !takesContextCondition(callee.Pkg()) {
			param = ""
		}
	default:
		return nil // Forever's function and its like are no conditions
	}
	insert := func(pos token.Pos, text string) analysis.TextEdit {
		return analysis.TextEdit{Pos: pos, End: pos, NewText: []byte(text)}
	}
	edits := []analysis.TextEdit{
		{Pos: fun.Sel.Pos(), End: fun.Sel.End(), NewText: []byte(name)},
		insert(call.Args[0].Pos(), source.Expr+", "),
	}
	if immediate != "" {
		edits = append(edits, insert(literal.Pos(), immediate))
	}
	if param != "" {
		edits = append(edits, insert(literal.Type.Params.Opening+1, param))
	}
	return &analysis.SuggestedFix{Message: "use wait." + name + " with " + source.Expr, TextEdits: edits}
}

// asksAtOnce reports whether a poller of package wait asks before it waits: those that
// take no context say so by which of them is called, not by an argument.
func asksAtOnce(callee *types.Func) bool {
	const wait = "k8s.io/apimachinery/pkg/util/wait"
	return kubeapi.IsFunc(callee, wait, "PollImmediate") || kubeapi.IsFunc(callee, wait, "PollImmediateInfinite")
}

// takesContextCondition reports whether ExponentialBackoffWithContext gives its
// condition the context: older ones do not.
func takesContextCondition(pkg *types.Package) bool {
	fn, ok := pkg.Scope().Lookup("ExponentialBackoffWithContext").(*types.Func)
	if !ok {
		return false
	}
	params := fn.Signature().Params()
	cond, ok := params.At(params.Len() - 1).Type().Underlying().(*types.Signature)
	return ok && cond.Params().Len() == 1
}
