package processes

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/opvet/opvet/internal/kubeapi"
)

// NoFunc stands for the number of a function's name where there is none.
const NoFunc = -1

// Hand is a function, or an interface's method, that another one calls and nothing else,
// each time with a context that nothing ends or with the one that a function has
// itself been given. What is called with any other context, or taken as a value, has no Hand.
type Hand struct {
	To     int // the name of a function, NoFunc for an interface's method
	Iface  int // in Ifaces
	Method int
	// Of is the name of the function whose context is handed on, NoFunc for one that
	// was made up.
	Of int
}

// callee is a function, or an interface's method, by numbers.
type callee struct{ fn, iface, method int }

// contextOf returns the one parameter of a function that is a context.
func contextOf(sig *types.Signature) (at int, v *types.Var) {
	at = NoFunc
	if sig == nil {
		return at, nil
	}
	for i := range sig.Params().Len() {
		if param := sig.Params().At(i); kubeapi.IsContext(param.Type()) {
			if v != nil {
				return NoFunc, nil
			}
			at, v = i, param
		}
	}
	return at, v
}

// assigned returns what a variable that is a context is set to in the declaration at hand.
func (g *gatherer) assigned(v types.Object) []ast.Expr {
	if g.values == nil {
		g.values = make(map[types.Object][]ast.Expr)
		g.assignments(g.inside)
	}
	return g.values[v]
}

func (g *gatherer) assignments(decl ast.Node) {
	set := func(left ast.Expr, value ast.Expr) {
		ident, ok := left.(*ast.Ident)
		if !ok {
			return
		}
		if v := g.pass.TypesInfo.ObjectOf(ident); v != nil && kubeapi.IsContext(v.Type()) {
			g.values[v] = append(g.values[v], value)
		}
	}
	pairs := func(lhs, rhs []ast.Expr) {
		for i, left := range lhs {
			switch {
			case len(lhs) == len(rhs):
				set(left, rhs[i])
			case len(rhs) == 1 && i == 0:
				set(left, rhs[0])
			default:
				set(left, nil)
			}
		}
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			pairs(n.Lhs, n.Rhs)
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if len(n.Values) == len(n.Names) {
					set(name, n.Values[i])
				} else {
					set(name, nil)
				}
			}
		case *ast.RangeStmt:
			set(n.Key, nil)
			set(n.Value, nil)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				set(ast.Unparen(n.X), nil) // others may set it
			}
		}
		return true
	})
}

// maxDerived is how often a context is followed to what it was derived from.
const maxDerived = 8

// ofContext returns the functions whose contexts an expression is, NoFunc among them if
// nothing ends it; nothing if it may be another one.
func (b *builder) ofContext(e ast.Expr, depth int) []int {
	if e == nil || depth > maxDerived {
		return nil
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return b.ofVariable(b.pass.TypesInfo.ObjectOf(e), depth)
	case *ast.CallExpr:
		fn := b.calledBy(e)
		switch {
		case fn == nil:
		case kubeapi.IsRootContext(fn), kubeapi.IsWithoutCancel(fn):
			return []int{NoFunc}
		case kubeapi.AddsToContext(fn):
			return b.ofContext(e.Args[0], depth+1)
		}
	}
	return nil
}

func (b *builder) ofVariable(v types.Object, depth int) []int {
	local, ok := v.(*types.Var)
	if !ok || local.IsField() || local.Parent() == b.pass.Pkg.Scope() {
		return nil
	}
	values := b.assigned(v)
	owner, isParam := b.params[local]
	if !isParam && len(values) == 0 {
		return nil
	}
	var found []int
	if isParam {
		found = append(found, owner)
	}
	for _, value := range values {
		if b.isOf(value, v) {
			continue // it is derived from itself
		}
		from := b.ofContext(value, depth+1)
		if len(from) == 0 {
			return nil
		}
		found = append(found, from...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// isOf reports whether a value is made of a variable by adding to what it carries.
func (b *builder) isOf(value ast.Expr, v types.Object) bool {
	call, ok := ast.Unparen(value).(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || !kubeapi.AddsToContext(b.calledBy(call)) {
		return false
	}
	ident, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
	return ok && b.pass.TypesInfo.ObjectOf(ident) == v
}

// calledBy returns the function that a call names, or nil.
func (b *builder) calledBy(call *ast.CallExpr) *types.Func {
	name, _ := calledIdent(call)
	fn, _ := b.pass.TypesInfo.Uses[name].(*types.Func)
	return fn
}

// handsOver notes the context that a call hands over.
func (b *builder) handsOver(call *ast.CallExpr, sig *types.Signature) {
	at, param := contextOf(sig)
	if param == nil || at >= len(call.Args) || len(call.Args) == 1 && sig.Params().Len() > 1 {
		return
	}
	var to callee
	if fn := b.calledBy(call); fn != nil {
		fn = fn.Origin()
		if !b.isOurs(fn.Pkg()) {
			return
		}
		to = callee{fn: b.funcName(fn), iface: NoFunc, method: NoFunc}
		if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
			selection := b.pass.TypesInfo.Selections[ast.Unparen(call.Fun).(*ast.SelectorExpr)]
			if selection == nil {
				return
			}
			iface, ok := selection.Recv().Underlying().(*types.Interface)
			if !ok {
				return // promoted through a struct
			}
			to = callee{NoFunc, b.iface(iface), b.key(fn)}
		}
	} else if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		to = callee{fn: b.name(b.literalName(lit)), iface: NoFunc, method: NoFunc}
	} else {
		return
	}
	of := b.ofContext(call.Args[at], 0)
	b.handed[to] = append(b.handed[to], of)
}

// mention counts how often the function mentions another one: more often than it calls it
// if it takes it as a value.
func (b *builder) mention(to callee) { b.mentioned[to]++ }

// hands returns what was noted, as far as it is all that there is.
func (b *builder) hands() []Hand {
	all := make(map[Hand]bool)
	for to, calls := range b.handed {
		if len(calls) != b.mentioned[to] || slices.ContainsFunc(calls, func(of []int) bool { return len(of) == 0 }) {
			continue
		}
		for _, of := range calls {
			for _, fn := range of {
				all[Hand{To: to.fn, Iface: to.iface, Method: to.method, Of: fn}] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(all), func(x, y Hand) int {
		return cmp.Or(x.To-y.To, x.Iface-y.Iface, x.Method-y.Method, x.Of-y.Of)
	})
}
