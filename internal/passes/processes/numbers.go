package processes

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/opvet/opvet/internal/kubeapi"
)

// handed is who hands a parameter a number: another parameter that it is, or none, and the
// package.
type handed struct{ from, by string }

// HandsSeveral reports whether a program of the module hands one of some parameters a number
// above one, or one that somebody can choose.
func (p *Program) HandsSeveral(params []string) bool {
	seen := make(map[string]bool)
	for open := slices.Clone(params); len(open) > 0; {
		param := open[0]
		open = open[1:]
		if seen[param] {
			continue
		}
		seen[param] = true
		for _, h := range p.numbers[param] {
			switch {
			case !p.linked[slices.Index(p.paths, h.by)]:
			case h.from == "":
				return true
			default:
				open = append(open, h.from)
			}
		}
	}
	return false
}

// handsNumbers notes which parameters of the module's functions a call hands numbers that may
// be above one.
func (b *builder) handsNumbers(call *ast.CallExpr, sig *types.Signature) {
	fn := b.calledBy(call)
	if fn == nil || !b.isOurs(fn.Pkg()) {
		return
	}
	for i, arg := range call.Args {
		if i >= sig.Params().Len() {
			return
		}
		if basic, ok := sig.Params().At(i).Type().Underlying().(*types.Basic); !ok || basic.Info()&types.IsInteger == 0 {
			continue
		}
		if from, ok := b.numberOf(arg, 0); ok {
			b.numbers[Number{To: kubeapi.ParamID(fn, i), From: from}] = true
		}
	}
}

// maxNumber is how often a number is followed to what a variable is set to.
const maxNumber = 4

// numberOf tells whether a number may be above one, and from which parameter it is, if it is
// one.
func (b *builder) numberOf(e ast.Expr, depth int) (from string, ok bool) {
	if e == nil || depth == maxNumber {
		return "", e == nil
	}
	if v := b.pass.TypesInfo.Types[e].Value; v != nil {
		value, exact := constant.Int64Val(constant.ToInt(v))
		return "", exact && value > 1
	}
	e = ast.Unparen(e)
	if call, ok := e.(*ast.CallExpr); ok && b.pass.TypesInfo.Types[call.Fun].IsType() && len(call.Args) == 1 {
		return b.numberOf(call.Args[0], depth)
	}
	if star, ok := e.(*ast.StarExpr); ok {
		e = ast.Unparen(star.X)
	}
	v := b.variable(e)
	if v == nil || v.Pkg() != b.pass.Pkg {
		return "", true
	}
	if fn, i := b.paramOf(v); fn != nil {
		return kubeapi.ParamID(fn, i), true
	}
	numbers := b.numbersIn()
	if value, ok := numbers.flags[v]; ok {
		return "", value > 1
	}
	if v, ok := v.(*types.Var); ok && v.IsField() {
		return "", true
	}
	for _, value := range numbers.set[v] {
		if from, ok := b.numberOf(value, depth+1); ok {
			return from, true
		}
	}
	return "", false
}

// variable returns the variable or field that an expression names, or nil.
func (g *gatherer) variable(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return g.pass.TypesInfo.ObjectOf(e)
	case *ast.SelectorExpr:
		return g.pass.TypesInfo.ObjectOf(e.Sel)
	}
	return nil
}

// paramOf returns the declared function that has a parameter, which is looked at, and its number; nil if
// it is none.
func (g *gatherer) paramOf(v types.Object) (fn *types.Func, at int) {
	decl, ok := g.inside.(*ast.FuncDecl)
	if !ok || v == nil {
		return nil, 0
	}
	fn, ok = g.pass.TypesInfo.Defs[decl.Name].(*types.Func)
	if !ok {
		return nil, 0
	}
	at = slices.IndexFunc(slices.Collect(fn.Signature().Params().Variables()), func(p *types.Var) bool { return p == v })
	if at < 0 {
		return nil, 0
	}
	return fn, at
}

// numbersIn is what a package says of numbers.
type numbersIn struct {
	flags map[types.Object]int64      // what they are unless somebody sets the flag
	set   map[types.Object][]ast.Expr // what variables are set to; nil for what is not known
}

func (g *gatherer) numbersIn() *numbersIn {
	if g.said != nil {
		return g.said
	}
	g.said = &numbersIn{make(map[types.Object]int64), make(map[types.Object][]ast.Expr)}
	for _, file := range g.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				g.flag(nil, n)
			case *ast.AssignStmt:
				g.setNumbers(n.Lhs, n.Rhs)
			case *ast.ValueSpec:
				names := make([]ast.Expr, len(n.Names))
				for i, name := range n.Names {
					names[i] = name
				}
				g.setNumbers(names, n.Values)
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					g.setNumber(n.X, nil)
				}
			}
			return true
		})
	}
	return g.said
}

func (g *gatherer) setNumbers(lhs, rhs []ast.Expr) {
	for i, to := range lhs {
		switch {
		case len(lhs) == len(rhs):
			g.setNumber(to, rhs[i])
			if call, ok := ast.Unparen(rhs[i]).(*ast.CallExpr); ok {
				g.flag(to, call)
			}
		case len(rhs) > 0:
			g.setNumber(to, nil)
		}
	}
}

func (g *gatherer) setNumber(to, value ast.Expr) {
	v := g.variable(to)
	if v == nil {
		return
	}
	if basic, ok := v.Type().Underlying().(*types.Basic); ok && basic.Info()&types.IsInteger != 0 {
		g.said.set[v] = append(g.said.set[v], value)
	}
}

// flag notes the default of a flag that a call defines, by the variable that the call sets or that is set
// to its result.
func (g *gatherer) flag(to ast.Expr, call *ast.CallExpr) {
	name, _ := calledIdent(call)
	fn, _ := g.pass.TypesInfo.Uses[name].(*types.Func)
	variable, at := kubeapi.NumberFlagArgs(fn)
	if at < 0 || at >= len(call.Args) {
		return
	}
	if variable >= 0 {
		addr, ok := ast.Unparen(call.Args[variable]).(*ast.UnaryExpr)
		if !ok {
			return
		}
		to = addr.X
	}
	v, value := g.variable(to), g.pass.TypesInfo.Types[call.Args[at]].Value
	if v == nil || value == nil {
		return
	}
	if n, exact := constant.Int64Val(constant.ToInt(value)); exact {
		g.said.flags[v] = max(g.said.flags[v], n)
	}
}
