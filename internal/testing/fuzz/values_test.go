package fuzz

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// expr chooses a value whose type can be written down.
func (s *site) expr() (ast.Expr, types.Type) {
	e, ok := choose(s.in, s.exprs)
	if !ok {
		return nil, nil
	}
	t := s.typeOf(e)
	if t == nil {
		return nil, nil
	}
	return e, types.Default(t)
}

// replaceValue puts another expression of the function in the place of one.
func replaceValue(s *site) []edit { return s.replaceBy(s.exprs) }

// replaceVariable puts a variable of the same type in the place of an
// expression.
func replaceVariable(s *site) []edit { return s.replaceBy(s.idents) }

func (s *site) replaceBy(others []ast.Expr) []edit {
	e, t := s.expr()
	if e == nil {
		return nil
	}
	var same []ast.Expr
	for _, other := range others {
		if other != e && types.Identical(types.Default(s.typeOf(other)), t) && s.text(other) != s.text(e) {
			same = append(same, other)
		}
	}
	other, ok := choose(s.in, same)
	if !ok {
		return nil
	}
	return s.replace(e, "%s", s.text(other))
}

func zeroValue(s *site) []edit {
	e, t := s.expr()
	if e == nil {
		return nil
	}
	return s.replace(e, "%s", s.zero(t))
}

// detours lead to the same value. The first argument is the value, the second
// one its type.
var detours = []string{
	"func() %[2]s { return %[1]s }()",
	"[]%[2]s{%[1]s}[0]",
	"[...]%[2]s{%[1]s}[0]",
	"map[string]%[2]s{\"a\": %[1]s}[\"a\"]",
	"*(&[]%[2]s{%[1]s}[0])",
	"any(%[1]s).(%[2]s)",
	"(%[1]s)",
	"(%[2]s)(%[1]s)",
	"struct{ f %[2]s }{%[1]s}.f",
	"(&struct{ f struct{ g %[2]s } }{struct{ g %[2]s }{%[1]s}}).f.g",
	"fuzzID[%[2]s](%[1]s)",
	"fuzzCall(func() %[2]s { return %[1]s })",
	"(&fuzzBox[%[2]s]{value: %[1]s}).get()",
	"fuzzGetter[%[2]s](&fuzzBox[%[2]s]{value: %[1]s}).get()",
	"(*fuzzBox[%[2]s]).get(&fuzzBox[%[2]s]{value: %[1]s})",
	"fuzzPing[%[2]s](3, %[1]s)",
	"func() %[2]s { c := make(chan %[2]s, 1); c <- %[1]s; return <-c }()",
	"func() (x %[2]s) { defer func() { x = %[1]s }(); return }()",
	"func() (x %[2]s) { for { if fuzzCond() { return }; x = %[1]s } }()",
	"func() %[2]s { if fuzzCond() { return *new(%[2]s) }; return %[1]s }()",
	"func() %[2]s { x := %[1]s; y := &x; z := &y; return **z }()",
	"func(x ...%[2]s) %[2]s { return x[len(x)-1] }(%[1]s, %[1]s)",
	"func() %[2]s { var f func(int) %[2]s; f = func(n int) %[2]s { if n == 0 { return %[1]s }; return f(n - 1) }; return f(3) }()",
	"func() %[2]s { switch x := any(%[1]s).(type) { case %[2]s: return x; case error: panic(x); default: return *new(%[2]s) } }()",
}

func wrapValue(s *site) []edit {
	e, t := s.expr()
	if e == nil {
		return nil
	}
	return s.replace(e, detours[s.in.pick(len(detours))], s.text(e), s.typeText(t))
}

// outlineValue gives a value a variable of its own.
func outlineValue(s *site) []edit {
	e, t := s.expr()
	if e == nil {
		return nil
	}
	var before *slot
	for i, at := range s.slots {
		if at.pos <= e.Pos() && at.at < len(at.list) && e.End() <= at.list[at.at].End() && (before == nil || at.pos >= before.pos) {
			before = &s.slots[i]
		}
	}
	if before == nil {
		return nil
	}
	declarations := []string{"%[1]s := %[2]s\n", "var %[1]s %[3]s = %[2]s\n", "var %[1]s %[3]s\nif fuzzCond() {\n%[1]s = %[2]s\n}\n", "%[1]s := func() %[3]s { return %[2]s }()\n"}
	return append(
		s.insert(before.pos, declarations[s.in.pick(len(declarations))], s.name(), s.text(e), s.typeText(t)),
		s.replace(e, "%s", s.name())...)
}

// methodCall chooses a call of a method.
func (s *site) methodCall() (*ast.CallExpr, *ast.SelectorExpr, *types.Selection) {
	var calls []*ast.CallExpr
	ast.Inspect(s.fn.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && s.pkg.TypesInfo.Selections[sel] != nil {
				calls = append(calls, call)
			}
		}
		return true
	})
	call, ok := choose(s.in, calls)
	if !ok {
		return nil, nil, nil
	}
	sel := call.Fun.(*ast.SelectorExpr)
	return call, sel, s.pkg.TypesInfo.Selections[sel]
}

// methodValue calls a method by its value, or as a function of the receiver.
func methodValue(s *site) []edit {
	call, sel, selection := s.methodCall()
	if call == nil {
		return nil
	}
	if s.in.pick(2) == 0 {
		return s.replace(call.Fun, "fuzzID(%s)", s.text(call.Fun))
	}
	args := s.span(call.Lparen+1, call.Rparen)
	if len(call.Args) > 0 {
		args = ", " + args
	}
	return s.replace(call, "(%s).%s(%s%s)", s.typeText(selection.Recv()), sel.Sel.Name, s.text(sel.X), args)
}

// throughInterface calls a method of an interface that has no other.
func throughInterface(s *site) []edit {
	call, sel, _ := s.methodCall()
	if call == nil {
		return nil
	}
	sig, ok := s.typeOf(call.Fun).(*types.Signature)
	if !ok {
		return nil
	}
	return s.replace(sel.X, "interface{ %s%s }(%s)", sel.Sel.Name, strings.TrimPrefix(s.typeText(sig), "func"), s.text(sel.X))
}

// callOf writes a call of a function of the file.
func (s *site) callOf(fn *ast.FuncDecl) (string, bool) {
	obj, ok := s.pkg.TypesInfo.Defs[fn.Name].(*types.Func)
	if !ok || fn.Name.Name == "init" {
		return "", false
	}
	sig := obj.Signature()
	args := s.valuesOf(sig.Params())
	if recv := sig.Recv(); recv != nil {
		return fmt.Sprintf("(%s).%s(%s)", s.valueOf(recv.Type()), obj.Name(), args), true
	}
	return fmt.Sprintf("%s(%s)", obj.Name(), args), true
}
