package processes

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/opvet/opvet/internal/kubeapi"
)

// body notes what a function's body does.
func (b *builder) body(body *ast.BlockStmt, sig *types.Signature) {
	if _, v := contextOf(sig); v != nil {
		b.params[v], b.fn.Context = b.fn.Name, true
	}
	b.walk(body, sig)
	b.fn.Serves = b.fn.Serves || b.goesOn(body)
}

// walk notes what the syntax mentions, without what literals do.
func (b *builder) walk(root ast.Node, sig *types.Signature) {
	m := mentions{called: make(map[ast.Expr]bool), once: make(map[ast.Expr]bool), held: make(map[ast.Expr]types.Object), brief: make(map[ast.Expr]bool)}
	var loops []bool
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			last := len(loops) - 1
			if loops[last] {
				b.loops--
			}
			loops = loops[:last]
			return true
		case *ast.FuncLit:
			b.literalAt(n, &m)
			return false
		case *ast.GoStmt:
			b.brief(n, root, &m)
		case *ast.CallExpr:
			m.called[ast.Unparen(n.Fun)] = true
			b.call(n, &m)
		case *ast.SelectorExpr:
			if m.called[n] {
				m.called[n.Sel] = true
			}
			if m.once[n] {
				m.once[n.Sel] = true
			}
			if selection := b.pass.TypesInfo.Selections[n]; selection != nil {
				b.selection(n, selection, &m)
			}
		case *ast.Ident:
			b.ident(n, &m)
		case *ast.CompositeLit:
			b.composite(n, &m)
		case *ast.AssignStmt:
			b.assign(n.Lhs, n.Rhs)
			if n.Tok == token.DEFINE {
				b.hold(n.Lhs, n.Rhs, &m)
			}
		case *ast.ValueSpec:
			b.valueTypes(n, &m)
		case *ast.ReturnStmt:
			b.returns(n, sig)
		case *ast.TypeAssertExpr:
			if n.Type != nil {
				b.asserted(n.X, n.Type)
			}
		case *ast.TypeSwitchStmt:
			b.switched(n)
		case *ast.SendStmt:
			if ch, ok := b.typeAt(n.Chan).Underlying().(*types.Chan); ok {
				b.convert(b.typeAt(n.Value), ch.Elem())
			}
		}
		_, isFor := n.(*ast.ForStmt)
		_, isRange := n.(*ast.RangeStmt)
		loops = append(loops, isFor || isRange)
		if isFor || isRange {
			b.loops++
		}
		return true
	})
}

// ident notes a function that is called or taken as a value, and what a generic one is
// instantiated with.
func (b *builder) ident(ident *ast.Ident, m *mentions) {
	used := b.pass.TypesInfo.Uses[ident]
	switch used.(type) {
	case *types.Func, *types.TypeName:
		for arg := range b.pass.TypesInfo.Instances[ident].TypeArgs.Types() {
			b.handOut(arg)
		}
	case *types.Var:
		if literal, ok := b.locals[used]; ok {
			b.run(literal, m.again(ident))
		}
	}
	fn, ok := used.(*types.Func)
	if !ok {
		return
	}
	fn = fn.Origin()
	recv := fn.Signature().Recv()
	switch {
	case recv != nil && types.IsInterface(recv.Type()): // see selection
	case !b.isOurs(fn.Pkg()):
	case b.isCommand(ident, m):
		b.commands[b.funcName(fn)] = true
	default:
		b.run(b.funcName(fn), m.again(ident))
		b.mention(callee{b.funcName(fn), NoFunc, NoFunc})
	}
	if fn.Pkg() != nil && !b.isOurs(fn.Pkg()) {
		b.fn.Operates = b.fn.Operates || kubeapi.Operates(fn)
		b.fn.Serves = b.fn.Serves || b.fn.Operates || !m.brief[ident] && kubeapi.Serves(fn)
	}
}

// selection notes the call of an interface's method, or that it is taken as a value.
func (b *builder) selection(at ast.Expr, selection *types.Selection, m *mentions) {
	method, ok := selection.Obj().(*types.Func)
	if !ok || !types.IsInterface(method.Signature().Recv().Type()) {
		return
	}
	recv := selection.Recv()
	if !types.IsInterface(recv) {
		recv = method.Signature().Recv().Type() // promoted through a struct
	}
	iface, ok := recv.Underlying().(*types.Interface)
	switch {
	case !ok:
	case b.isCommand(at, m):
		b.bound[Invoke{Iface: b.iface(iface), Method: b.key(method)}] = true
	default:
		b.invokes[Invoke{b.iface(iface), b.key(method), b.loops > 0 || m.again(at)}] = true
		b.mention(callee{NoFunc, b.iface(iface), b.key(method)})
	}
}

// call notes which arguments become interfaces.
func (b *builder) call(call *ast.CallExpr, m *mentions) {
	info := b.pass.TypesInfo
	b.runsOnce(call, m)
	if info.Types[call.Fun].IsType() {
		if len(call.Args) == 1 {
			b.convert(b.typeAt(call.Args[0]), b.typeAt(call.Fun))
		}
		return
	}
	sig, ok := b.typeAt(call.Fun).Underlying().(*types.Signature)
	if !ok {
		return
	}
	b.handsOver(call, sig)
	b.handsNumbers(call, sig)
	convert := b.convert
	if b.prints(call) {
		convert = b.print
	}
	var args []types.Type
	for _, arg := range call.Args {
		if tuple, ok := b.typeAt(arg).(*types.Tuple); ok {
			for v := range tuple.Variables() {
				args = append(args, v.Type())
			}
			continue
		}
		args = append(args, b.typeAt(arg))
	}
	params := sig.Params()
	for i, arg := range args {
		switch last := params.Len() - 1; {
		case last < 0:
		case sig.Variadic() && i >= last && !call.Ellipsis.IsValid():
			if list, ok := params.At(last).Type().Underlying().(*types.Slice); ok {
				convert(arg, list.Elem())
			}
		case i <= last:
			convert(arg, params.At(i).Type())
		}
	}
}

// assign notes which values become which variables'. What is assigned to none, as in
// var _ Face = &T{}, says that the type has the methods, and makes none of it.
func (b *builder) assign(lhs, rhs []ast.Expr) {
	if len(lhs) == len(rhs) {
		for i := range lhs {
			if name, ok := lhs[i].(*ast.Ident); ok && name.Name == "_" {
				continue
			}
			b.convert(b.typeAt(rhs[i]), b.typeAt(lhs[i]))
		}
		return
	}
	if len(rhs) != 1 {
		return
	}
	if tuple, ok := b.typeAt(rhs[0]).(*types.Tuple); ok && tuple.Len() == len(lhs) {
		for i := range lhs {
			b.convert(tuple.At(i).Type(), b.typeAt(lhs[i]))
		}
	}
}

func (b *builder) valueTypes(spec *ast.ValueSpec, m *mentions) {
	names := make([]ast.Expr, len(spec.Names))
	for i, name := range spec.Names {
		names[i] = name
	}
	b.assign(names, spec.Values)
	b.hold(names, spec.Values, m)
}

func (b *builder) returns(ret *ast.ReturnStmt, sig *types.Signature) {
	if sig == nil {
		return
	}
	results := sig.Results()
	if len(ret.Results) == 1 {
		if tuple, ok := b.typeAt(ret.Results[0]).(*types.Tuple); ok && tuple.Len() == results.Len() {
			for i := range results.Len() {
				b.convert(tuple.At(i).Type(), results.At(i).Type())
			}
			return
		}
	}
	for i, result := range ret.Results {
		if i < results.Len() {
			b.convert(b.typeAt(result), results.At(i).Type())
		}
	}
}

func (b *builder) composite(lit *ast.CompositeLit, m *mentions) {
	t := b.typeAt(lit).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying() // an element of []*T{{…}}
	}
	for i, elem := range lit.Elts {
		pair, keyed := elem.(*ast.KeyValueExpr)
		value := elem
		if keyed {
			value = pair.Value
		}
		switch t := t.(type) {
		case *types.Struct:
			switch {
			case keyed:
				if key, ok := pair.Key.(*ast.Ident); ok {
					b.named(lit, key, value)
					b.ledBy(lit, key, value, m)
					b.convert(b.typeAt(value), b.typeAt(key))
				}
			case i < t.NumFields():
				b.convert(b.typeAt(value), t.Field(i).Type())
			}
		case interface{ Elem() types.Type }: // a slice, an array, a map
			b.convert(b.typeAt(value), t.Elem())
			if m, ok := t.(*types.Map); ok && keyed {
				b.convert(b.typeAt(pair.Key), m.Key())
			}
		}
	}
}

// named notes what users call a command.
func (b *builder) named(lit *ast.CompositeLit, key *ast.Ident, value ast.Expr) {
	if b.fn.Use != "" || key.Name != "Use" && key.Name != "Name" || !kubeapi.IsCommandType(b.typeAt(lit)) {
		return
	}
	if v := b.pass.TypesInfo.Types[value].Value; v != nil && v.Kind() == constant.String {
		if words := strings.Fields(constant.StringVal(v)); len(words) > 0 {
			b.fn.Use = words[0]
		}
	}
}

// convert notes that a value of one type becomes one of another.
func (b *builder) convert(from, to types.Type) {
	if _, ok := types.Unalias(to).(*types.TypeParam); ok || !types.IsInterface(to) {
		return
	}
	if _, ok := types.Unalias(from).(*types.TypeParam); ok {
		return
	}
	iface, ok := to.Underlying().(*types.Interface)
	if !ok {
		return
	}
	target := Others
	switch named, isNamed := types.Unalias(to).(*types.Named); {
	case iface.Empty():
		target = Anyone
	case !isNamed || b.isOurs(named.Obj().Pkg()):
		target = Module
	}
	if types.IsInterface(from) {
		if target == Others && !types.Identical(from, to) {
			for method := range iface.Methods() {
				b.invokes[Invoke{b.iface(iface), b.key(method), true}] = true
			}
		}
		b.flow(from, iface, target)
		return
	}
	name := b.declared(from)
	if name == nil {
		b.handOut(from)
		return
	}
	c := Convert{Type: b.name(typeName(name)), To: target}
	if target == Module {
		c.Iface = b.iface(iface)
	}
	b.converts[c] = true
}

// declared returns the name of a type that a package of the module declares, or a pointer to one;
// nil for others.
func (b *builder) declared(t types.Type) *types.TypeName {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || !b.isOurs(named.Obj().Pkg()) || named.Obj().Parent() != named.Obj().Pkg().Scope() {
		return nil
	}
	return named.Obj()
}

// prints reports whether a call prints what it is given, and hands none of it on.
func (b *builder) prints(call *ast.CallExpr) bool {
	name, _ := calledIdent(call)
	if name == nil {
		return false
	}
	fn, ok := b.pass.TypesInfo.Uses[name].(*types.Func)
	return ok && kubeapi.Prints(fn)
}

// print notes that a value is printed. Nobody calls more of its methods for that than those that
// make a text of it.
func (b *builder) print(from, to types.Type) {
	iface, ok := to.Underlying().(*types.Interface)
	name := b.declared(from)
	if !ok || !iface.Empty() || name == nil || types.IsInterface(from) {
		b.convert(from, to)
		return
	}
	b.converts[Convert{Type: b.name(typeName(name)), To: Printers}] = true
}
