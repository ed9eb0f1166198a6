package reach

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/opvet/opvet/internal/kubeapi"
)

// edit replaces the text from start to end.
type edit struct {
	start, end token.Pos
	text       string
}

// param is a variable that a unit uses and does not define.
type param struct {
	obj  *types.Var
	name string
	typ  types.Type // of what is handed over
	arg  string
	path string // the field that is handed over in place of the variable
	ref  bool   // its address is handed over
}

// closed is a unit with all that it uses of its function as parameters.
type closed struct {
	params []*param
	edits  []edit
	names  []*types.PkgName // packages that it mentions
}

// free closes a unit. If it is to move to another package, away says so, and it
// must mention nothing of its own.
func (u *unit) free(away bool) (*closed, bool) {
	var (
		info   = u.pkg.TypesInfo
		c      = new(closed)
		ok     = true
		refs   = u.assigned()
		own    = u.pkg.Types
		byPath = make(map[string]*param)
	)
	use := func(v *types.Var, path string, t types.Type, arg string, start, end token.Pos) {
		p := byPath[path]
		if p == nil {
			p = &param{obj: v, name: fmt.Sprintf("p%d", len(c.params)), typ: t, arg: arg, path: path}
			switch t.Underlying().(type) {
			case *types.Struct, *types.Array:
				p.ref = true
			}
			p.ref = p.ref || refs[v]
			if mentionsTypeParam(t) || away && !movable(t, own) {
				ok = false
			}
			byPath[path] = p
			c.params = append(c.params, p)
		}
		text := p.name
		if p.ref {
			text = "(*" + p.name + ")"
		}
		c.edits = append(c.edits, edit{start, end, text})
	}
	handled := make(map[*ast.Ident]bool)
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if away {
				if v, path, t, arg, end := u.prefix(n); v != nil {
					use(v, path, t, arg, n.Pos(), end)
					ast.Inspect(n, func(m ast.Node) bool {
						if id, isIdent := m.(*ast.Ident); isIdent {
							handled[id] = true
						}
						return true
					})
					return false
				}
				if sel := info.Selections[n]; sel != nil && !sel.Obj().Exported() && sel.Obj().Pkg() == own {
					ok = false
				}
			}
			ast.Inspect(n.X, visit)
			return false
		case *ast.KeyValueExpr:
			if id, isIdent := n.Key.(*ast.Ident); isIdent {
				if v, isVar := info.Uses[id].(*types.Var); isVar && v.IsField() {
					ast.Inspect(n.Value, visit)
					return false
				}
			}
		case *ast.Ident:
			if handled[n] {
				return true
			}
			switch obj := info.Uses[n].(type) {
			case *types.PkgName:
				if !slices.Contains(c.names, obj) {
					c.names = append(c.names, obj)
				}
			case *types.Var:
				local := obj.Parent() != own.Scope() && obj.Pkg() == own && !obj.IsField()
				inside := u.node.Pos() <= obj.Pos() && obj.Pos() < u.node.End()
				if local && !inside || away && obj.Parent() == own.Scope() {
					use(obj, n.Name, obj.Type(), n.Name, n.Pos(), n.End())
				}
			case *types.Func, *types.TypeName, *types.Const:
				if obj.Pkg() == own && (away || obj.Parent() != own.Scope()) {
					if fn, isFunc := obj.(*types.Func); isFunc && fn.Signature().Recv() != nil {
						return true
					}
					ok = false
				}
			}
		}
		return true
	}
	ast.Inspect(u.node, visit)
	if away && ok {
		ast.Inspect(u.node, func(n ast.Node) bool {
			if e, isExpr := n.(*ast.SelectorExpr); isExpr {
				if sel := info.Selections[e]; sel != nil && sel.Kind() == types.MethodVal && !handled[e.Sel] && !sel.Obj().Exported() {
					ok = false
				}
			}
			return ok
		})
	}
	for _, t := range u.results() {
		ok = ok && !mentionsTypeParam(t) && (!away || movable(t, own))
	}
	return c, ok
}

// prefix returns the shortest part of a chain of fields of which the type can be
// named elsewhere, if the variable's own cannot.
func (u *unit) prefix(sel *ast.SelectorExpr) (v *types.Var, path string, t types.Type, arg string, end token.Pos) {
	var chain []*ast.SelectorExpr
	var x ast.Expr = sel
	for {
		s, ok := x.(*ast.SelectorExpr)
		if !ok {
			break
		}
		chain = append(chain, s)
		x = s.X
	}
	id, ok := x.(*ast.Ident)
	if !ok {
		return
	}
	root, ok := u.pkg.TypesInfo.Uses[id].(*types.Var)
	if !ok || root.IsField() || u.node.Pos() <= root.Pos() && root.Pos() < u.node.End() || movable(root.Type(), u.pkg.Types) {
		return
	}
	arg = id.Name
	for _, s := range slices.Backward(chain) {
		selection := u.pkg.TypesInfo.Selections[s]
		if selection == nil {
			return nil, "", nil, "", 0
		}
		// The fields on the way, those that are promoted through among them.
		cur := selection.Recv()
		index := selection.Index()
		last := len(index)
		if selection.Kind() != types.FieldVal {
			last--
		}
		for i, at := range index[:last] {
			st, ok := kubeapi.Deref(cur).Underlying().(*types.Struct)
			if !ok {
				return nil, "", nil, "", 0
			}
			field := st.Field(at)
			arg += "." + field.Name()
			cur = field.Type()
			if movable(cur, u.pkg.Types) {
				if i < len(index)-1 {
					return root, arg, cur, arg, s.X.End() // the rest follows the dot
				}
				return root, arg, cur, arg, s.End()
			}
		}
		if selection.Kind() != types.FieldVal {
			return nil, "", nil, "", 0
		}
	}
	return nil, "", nil, "", 0
}

// assigned returns the variables that a unit assigns to, or takes the address of.
func (u *unit) assigned() map[*types.Var]bool {
	found := make(map[*types.Var]bool)
	note := func(e ast.Expr) {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			if v, ok := u.pkg.TypesInfo.Uses[id].(*types.Var); ok {
				found[v] = true
			}
		}
	}
	ast.Inspect(u.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				note(lhs)
			}
		case *ast.IncDecStmt:
			note(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				note(n.X)
			}
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				note(n.Key)
				note(n.Value)
			}
		}
		return true
	})
	return found
}

// results returns what the unit's expression has as values.
func (u *unit) results() []types.Type {
	expr, ok := u.node.(ast.Expr)
	if !ok {
		return nil
	}
	switch t := u.pkg.TypesInfo.TypeOf(expr).(type) {
	case *types.Tuple:
		var all []types.Type
		for v := range t.Variables() {
			all = append(all, v.Type())
		}
		return all
	case nil:
		return nil
	default:
		if tv := u.pkg.TypesInfo.Types[expr]; tv.IsVoid() {
			return nil
		}
		return []types.Type{types.Default(t)}
	}
}

// movable reports whether a type can be named outside of the package.
func movable(t types.Type, own *types.Package) bool {
	return !mentions(t, make(map[types.Type]bool), func(t types.Type) bool {
		switch t := t.(type) {
		case *types.Named:
			obj := t.Obj()
			return obj.Pkg() == own || obj.Pkg() != nil && !obj.Exported() || obj.Parent() != nil && obj.Pkg() != nil && obj.Parent() != obj.Pkg().Scope()
		case *types.Alias:
			return t.Obj().Pkg() == own
		case *types.Struct:
			for f := range t.Fields() {
				if !f.Exported() {
					return true
				}
			}
		}
		return false
	})
}

func mentionsTypeParam(t types.Type) bool {
	return mentions(t, make(map[types.Type]bool), func(t types.Type) bool { _, ok := t.(*types.TypeParam); return ok })
}

// mentions reports whether the text of a type has a part that is so.
func mentions(t types.Type, seen map[types.Type]bool, is func(types.Type) bool) bool {
	if t == nil || seen[t] {
		return false
	}
	seen[t] = true
	if is(t) {
		return true
	}
	in := func(t types.Type) bool { return mentions(t, seen, is) }
	switch t := t.(type) {
	case *types.Alias:
		return in(types.Unalias(t))
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if in(arg) {
				return true
			}
		}
	case *types.Pointer, *types.Slice, *types.Array, *types.Chan:
		return in(t.(interface{ Elem() types.Type }).Elem())
	case *types.Map:
		return in(t.Key()) || in(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if in(f.Type()) {
				return true
			}
		}
	case *types.Signature:
		return in(t.Params()) || in(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			if in(v.Type()) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if in(m.Type()) {
				return true
			}
		}
	}
	return false
}

// apply returns the text from start to end with edits made.
func apply(text string, base func(token.Pos) int, start, end token.Pos, edits []edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	at := base(start)
	for _, e := range edits {
		from, to := base(e.start), base(e.end)
		if from < at || e.end > end {
			continue
		}
		b.WriteString(text[at:from])
		b.WriteString(e.text)
		at = to
	}
	b.WriteString(text[at:base(end)])
	return b.String()
}
