package processes

import (
	"go/ast"
	"go/types"

	"github.com/opvet/opvet/internal/kubeapi"
)

// mentions says how functions stand in the syntax.
type mentions struct {
	called map[ast.Expr]bool         // they are called where they stand
	once   map[ast.Expr]bool         // they are given to what calls them once
	held   map[ast.Expr]types.Object // literals, by a variable
	brief  map[ast.Expr]bool         // they are started, and ended with the function
}

// again reports whether a function that is mentioned may be run more than once: all that
// are taken as values and not known to be given to what calls them once.
func (m *mentions) again(e ast.Expr) bool { return !m.called[e] && !m.once[e] }

// isCommand reports whether a function is taken as a value that a library of commands
// runs.
func (b *builder) isCommand(e ast.Expr, m *mentions) bool {
	return !m.called[e] && kubeapi.TakesCommand(b.typeAt(e))
}

// run notes that the function runs another one.
func (b *builder) run(fn int, again bool) {
	b.runs[fn] = true
	if again || b.loops > 0 || fn == b.fn.Name {
		b.again[fn] = true
	}
}

// literalAt notes a literal. Of one that a variable holds, it is where the variable is
// used that tells how often it runs.
func (b *builder) literalAt(lit *ast.FuncLit, m *mentions) {
	name := b.literal(lit)
	b.mention(callee{name, NoFunc, NoFunc})
	holder := m.held[lit]
	switch {
	case b.isCommand(lit, m):
		b.commands[name] = true
	case holder != nil:
		b.locals[holder] = name // where it is called is not followed
		b.run(name, false)
	default:
		b.run(name, m.again(lit))
	}
}

// hold notes which variables of the function are made to hold literals.
func (b *builder) hold(lhs, rhs []ast.Expr, m *mentions) {
	if len(lhs) != len(rhs) {
		return
	}
	for i, value := range rhs {
		name, ok := lhs[i].(*ast.Ident)
		if !ok {
			continue
		}
		lit, ok := ast.Unparen(value).(*ast.FuncLit)
		if v := b.pass.TypesInfo.Defs[name]; ok && v != nil && v.Parent() != b.pass.Pkg.Scope() {
			m.held[lit] = v
		}
	}
}

// runsOnce notes the functions that a call is given and has run once: those of groups of
// goroutines, of sync.Once, and what a manager starts.
func (b *builder) runsOnce(call *ast.CallExpr, m *mentions) {
	info := b.pass.TypesInfo
	if info.Types[call.Fun].IsType() {
		if role, ok := kubeapi.ConversionRole(b.typeAt(call.Fun)); ok && role.Kind == kubeapi.Runnable && len(call.Args) == 1 {
			m.once[ast.Unparen(call.Args[0])] = true
		}
		return
	}
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	if fn, ok := info.Uses[selector.Sel].(*types.Func); ok && kubeapi.RunsOnce(fn) {
		for _, arg := range call.Args {
			m.once[ast.Unparen(arg)] = true
		}
	}
}

// ledBy notes what leader election runs once the lead is won or lost: the process ends
// after that.
func (b *builder) ledBy(lit *ast.CompositeLit, key *ast.Ident, value ast.Expr, m *mentions) {
	field, ok := b.pass.TypesInfo.Uses[key].(*types.Var)
	if !ok {
		return
	}
	s, ok := b.typeAt(lit).Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i := range s.NumFields() {
		if s.Field(i) == field {
			role, ok := kubeapi.FieldRole(b.typeAt(lit), i)
			m.once[ast.Unparen(value)] = ok && role.Kind == kubeapi.LeaderCallback && field.Type().(*types.Signature).Params().Len() < 2 && field.Name() != "OnNewLeader"
		}
	}
}
