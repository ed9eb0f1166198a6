package reach

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Form is one way to hide what a unit does.
type Form struct {
	Name string
	Doc  string // what stands between the mistake and its place
	hide func(h *hiding) bool
}

// Forms are all of them, in the order of the table.
var Forms = []Form{
	{"helper", "a function of the package", inHelper},
	{"elsewhere", "a function of another package, which imports Kubernetes", elsewhere(true)},
	{"plain", "a function of another package, which imports nothing of Kubernetes", elsewhere(false)},
	{"interface", "an interface of another package with one implementation there", behindInterface(1)},
	{"agreeing", "an interface of another package with two implementations that agree", behindInterface(2)},
	{"closure", "a function literal in a variable", inClosure},
	{"field", "a function in a struct's field", inField},
	{"option", "a function that a functional option sets", inOption},
	{"generic", "a generic function", inGeneric},
	{"generictype", "a method of a generic type", inGenericType},
	{"parameter", "a method that the whole body moves to", nil}, // see delegate
	{"result", "a function that makes the operand", fromResult},
	{"pair", "a function that makes the operand, or fails", fromPair},
	{"element", "an element of a slice", fromElement},
	{"accessor", "a function that returns a pointer to a part", fromAccessor},
}

// hiding is one unit on its way behind a form.
type hiding struct {
	*unit
	*closed
	id   int
	text string // of the unit's file
	base func(token.Pos) int

	edits   []edit // of the case's file
	decls   string // for the end of the case's file
	lib     string // for the other package
	imports map[string]string
	libs    map[string]string
	plain   bool              // the other package must not import Kubernetes
	moved   *packages.Package // the other package, when it compiles
}

// name is an identifier that belongs to the unit.
func (h *hiding) name(suffix string) string   { return fmt.Sprintf("reach%d_%s", h.id, suffix) }
func (h *hiding) public(suffix string) string { return fmt.Sprintf("Reach%d_%s", h.id, suffix) }

// libName is the name of the other package. Each unit has one of its own: of many
// mistakes in one package, some rules make one finding.
func (h *hiding) libName() string { return fmt.Sprintf("reachlib%d", h.id) }

// close prepares the unit for another function, or another package.
func (h *hiding) close(away bool) bool {
	var ok bool
	h.closed, ok = h.free(away)
	return ok
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9]+`)

// typ writes a type, for a file that imports what it needs of the given.
func (h *hiding) typ(t types.Type, imports map[string]string) string {
	return types.TypeString(t, func(pkg *types.Package) string {
		if pkg == h.pkg.Types && pkg.Path() == h.pkg.PkgPath {
			return ""
		}
		alias := "x_" + unfit.ReplaceAllString(pkg.Path(), "_")
		imports[alias] = pkg.Path()
		return alias
	})
}

// signature writes the parameters and results of a function that does what the
// unit does; generic is the parameter that has a type parameter for its type.
func (h *hiding) signature(imports map[string]string, generic *param) string {
	var params []string
	for _, p := range h.params {
		t := h.typ(p.typ, imports)
		if p == generic {
			t = "T"
		}
		if p.ref {
			t = "*" + t
		}
		params = append(params, p.name+" "+t)
	}
	return "(" + strings.Join(params, ", ") + ") " + h.resultList(imports)
}

func (h *hiding) resultList(imports map[string]string) string {
	var results []string
	for _, t := range h.results() {
		results = append(results, h.typ(t, imports))
	}
	if len(results) == 0 {
		return ""
	}
	return "(" + strings.Join(results, ", ") + ")"
}

func (h *hiding) args() string {
	var args []string
	for _, p := range h.params {
		if p.ref {
			args = append(args, "&"+p.arg)
		} else {
			args = append(args, p.arg)
		}
	}
	return "(" + strings.Join(args, ", ") + ")"
}

// body is what the function does, with what comments say of it.
func (h *hiding) body(edits []edit) string {
	text := apply(h.text, h.base, h.node.Pos(), h.node.End(), edits)
	if len(h.results()) > 0 {
		text = "return " + text
	}
	above, beside := h.comments()
	return "{\n\t" + above + text + beside + "\n}\n"
}

// comments returns what is said of the unit: directly above its statement, and at
// the end of its last line.
func (h *hiding) comments() (above, beside string) {
	if group := h.above(h.stmt); group != nil {
		above = apply(h.text, h.base, group.Pos(), group.End(), nil) + "\n"
	}
	for _, group := range h.pkg.Syntax[h.file].Comments {
		if h.lineOf(group.Pos()) == h.lineOf(h.node.End()) && group.Pos() >= h.node.End() {
			beside = " " + apply(h.text, h.base, group.Pos(), group.End(), nil)
		}
	}
	return above, beside
}

// above returns the comment that stands directly above a statement.
func (h *hiding) above(stmt ast.Stmt) *ast.CommentGroup {
	if !h.beginsLine(stmt) {
		return nil
	}
	for _, group := range h.pkg.Syntax[h.file].Comments {
		if h.lineOf(group.End())+1 == h.lineOf(stmt.Pos()) && h.beginsLine(group) {
			return group
		}
	}
	return nil
}

func (h *hiding) beginsLine(n ast.Node) bool {
	before := h.text[:h.base(n.Pos())]
	return strings.TrimSpace(before[strings.LastIndexByte(before, '\n')+1:]) == ""
}

func (h *hiding) lineOf(pos token.Pos) int { return h.pkg.Fset.Position(pos).Line }

// replace puts a call in the unit's place.
func (h *hiding) replace(call string) {
	h.edits = append(h.edits, edit{h.node.Pos(), h.node.End(), call})
}

// before inserts statements before the one that the unit is in, and before what is
// said of that.
func (h *hiding) before(stmt ast.Stmt, text string) {
	at := stmt.Pos()
	if group := h.above(stmt); group != nil {
		at = group.Pos()
	}
	h.edits = append(h.edits, edit{at, at, text})
}

func inHelper(h *hiding) bool {
	if !h.close(false) {
		return false
	}
	h.decls = "func " + h.name("do") + h.signature(h.imports, nil) + h.body(h.closed.edits)
	h.replace(h.name("do") + h.args())
	return true
}

func elsewhere(kubernetes bool) func(*hiding) bool {
	return func(h *hiding) bool {
		h.plain = !kubernetes
		if !h.close(true) {
			return false
		}
		h.lib = "func " + h.public("Do") + h.signature(h.libs, nil) + h.body(h.closed.edits)
		h.replace(h.libName() + "." + h.public("Do") + h.args())
		return true
	}
}

func behindInterface(implementations int) func(*hiding) bool {
	return func(h *hiding) bool {
		if !h.close(true) {
			return false
		}
		h.lib = "type " + h.public("Doer") + " interface{ " + h.public("Do") + h.signature(h.libs, nil) + " }\n"
		for i := range implementations {
			impl := fmt.Sprintf("%s%d", h.name("impl"), i)
			h.lib += "type " + impl + " struct{}\n"
			h.lib += "func (" + impl + ") " + h.public("Do") + h.signature(h.libs, nil) + h.body(h.closed.edits)
			h.lib += fmt.Sprintf("func %s%d() %s { return %s{} }\n", h.public("New"), i, h.public("Doer"), impl)
		}
		h.decls = "var " + h.name("dep") + " " + h.libName() + "." + h.public("Doer") + "\n"
		h.replace(h.name("dep") + "." + h.public("Do") + h.args())
		return true
	}
}

func inClosure(h *hiding) bool {
	if !h.close(false) {
		return false
	}
	h.before(h.stmt, h.name("do")+" := func() "+h.resultList(h.imports)+h.body(nil))
	h.replace(h.name("do") + "()")
	return true
}

func inField(h *hiding) bool {
	if !inHelper(h) {
		return false
	}
	hooks := h.name("hooks")
	h.decls += "type " + hooks + " struct{ do func" + h.signature(h.imports, nil) + " }\n"
	h.decls += "func " + h.name("new") + "() *" + hooks + " { return &" + hooks + "{do: " + h.name("do") + "} }\n"
	h.edits[len(h.edits)-1].text = h.name("new") + "().do" + h.args()
	return true
}

func inOption(h *hiding) bool {
	if !inHelper(h) {
		return false
	}
	var (
		hooks  = h.name("hooks")
		option = h.name("option")
		do     = "func" + h.signature(h.imports, nil)
	)
	h.decls += "type " + hooks + " struct{ do " + do + " }\n"
	h.decls += "type " + option + " func(*" + hooks + ")\n"
	h.decls += "func " + h.name("with") + "(do " + do + ") " + option + " { return func(h *" + hooks + ") { h.do = do } }\n"
	h.decls += "func " + h.name("new") + "(options ..." + option + ") *" + hooks + " {\n\th := &" + hooks + "{}\n\tfor _, o := range options {\n\t\to(h)\n\t}\n\treturn h\n}\n"
	h.edits[len(h.edits)-1].text = h.name("new") + "(" + h.name("with") + "(" + h.name("do") + ")).do" + h.args()
	return true
}

// constrained returns a parameter that the unit only hands to functions that
// take an interface, and that interface.
func (h *hiding) constrained() (*param, types.Type) {
	for _, p := range h.params {
		if p.ref || p.path != p.obj.Name() || types.IsInterface(p.typ) {
			continue
		}
		var constraint types.Type
		uses, good := 0, 0
		ast.Inspect(h.node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if h.pkg.TypesInfo.Uses[n] == p.obj {
					uses++
				}
			case *ast.CallExpr:
				sig, ok := h.pkg.TypesInfo.TypeOf(n.Fun).(*types.Signature)
				if !ok {
					return true
				}
				for i, arg := range n.Args {
					if id, ok := arg.(*ast.Ident); ok && h.pkg.TypesInfo.Uses[id] == p.obj && i < sig.Params().Len() && (!sig.Variadic() || i < sig.Params().Len()-1) {
						if t := sig.Params().At(i).Type(); types.IsInterface(t) && !mentionsTypeParam(t) {
							constraint = t
							good++
						}
					}
				}
			}
			return true
		})
		if uses > 0 && uses == good {
			return p, constraint
		}
	}
	return nil, nil
}

func inGeneric(h *hiding) bool {
	if !h.close(false) {
		return false
	}
	if p, constraint := h.constrained(); p != nil {
		h.decls = "func " + h.name("do") + "[T " + h.typ(constraint, h.imports) + "]" + h.signature(h.imports, p) + h.body(h.closed.edits)
		h.replace(h.name("do") + h.args())
		return true
	}
	switch n := len(h.results()); {
	case n == 1:
		h.decls = "func " + h.name("do") + "[T any](f func() T) T { return f() }\n"
	case n == 2:
		h.decls = "func " + h.name("do") + "[T, U any](f func() (T, U)) (T, U) { return f() }\n"
	default:
		h.decls = "func " + h.name("do") + "[T any](x T, f func(T)) { f(x) }\n"
		if len(h.params) == 0 || n > 0 {
			return false
		}
		p := h.operand()
		if p == nil || p.ref {
			return false
		}
		var edits []edit
		for _, e := range h.closed.edits {
			if e.text == p.name {
				edits = append(edits, e)
			}
		}
		h.replace(h.name("do") + "(" + p.arg + ", func(" + p.name + " " + h.typ(p.typ, h.imports) + ") " + strings.TrimSuffix(h.body(edits), "\n") + ")")
		return true
	}
	h.replace(h.name("do") + "(func() " + h.resultList(h.imports) + strings.TrimSuffix(h.body(nil), "\n") + ")")
	return true
}

func inGenericType(h *hiding) bool {
	if !h.close(false) {
		return false
	}
	box := h.name("box")
	if p, constraint := h.constrained(); p != nil {
		h.decls = "type " + box + "[T " + h.typ(constraint, h.imports) + "] struct{}\n"
		h.decls += "func (" + box + "[T]) do" + h.signature(h.imports, p) + h.body(h.closed.edits)
		h.replace(box + "[" + h.typ(p.typ, h.imports) + "]{}.do" + h.args())
		return true
	}
	p := h.operand()
	if p == nil || !isObject(p.typ) {
		return false
	}
	h.decls = "type " + box + "[T any] struct{ value T }\nfunc (b " + box + "[T]) get() T { return b.value }\n"
	t := h.typ(p.typ, h.imports)
	if p.ref {
		h.substitute(p, "(*"+box+"[*"+t+"]{value: &"+p.arg+"}.get())")
	} else {
		h.substitute(p, box+"["+t+"]{value: "+p.arg+"}.get()")
	}
	return true
}

// substitute puts an expression in the place of each use of a variable.
func (h *hiding) substitute(p *param, text string) {
	old := p.name
	if p.ref {
		old = "(*" + p.name + ")"
	}
	for _, e := range h.closed.edits {
		if e.text == old {
			h.edits = append(h.edits, edit{e.start, e.end, text})
		}
	}
}

// operand returns the variable that the unit is about: the last that is neither
// the receiver nor a context nor what talks to the API server.
func (h *hiding) operand() *param {
	var recv types.Object
	if h.fn.Recv != nil && len(h.fn.Recv.List) > 0 && len(h.fn.Recv.List[0].Names) > 0 {
		recv = h.pkg.TypesInfo.Defs[h.fn.Recv.List[0].Names[0]]
	}
	for _, p := range slices.Backward(h.params) {
		if p.obj == recv || isService(p.typ) {
			continue
		}
		switch p.typ.Underlying().(type) {
		case *types.Pointer, *types.Interface, *types.Chan, *types.Map, *types.Slice, *types.Struct:
			return p
		}
	}
	return nil
}

// isObject reports whether somebody would keep a value of the type in a slice or a
// box: it is a pointer to a struct, or an interface with methods.
func isObject(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Pointer:
		_, ok := t.Elem().Underlying().(*types.Struct)
		return ok
	case *types.Interface:
		return !t.Empty()
	}
	return false
}

func isService(t types.Type) bool {
	if types.Identical(t, types.Universe.Lookup("error").Type()) {
		return true
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Name() == "Context" {
		return true
	}
	for _, name := range []string{"Status", "CoreV1", "Update"} {
		if obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name); obj != nil {
			if _, isMethod := obj.(*types.Func); isMethod {
				return true
			}
		}
	}
	return false
}

// definition returns what a variable is defined as, as a unit of its own.
func (h *hiding) definition(p *param) *hiding {
	var found *ast.AssignStmt
	ast.Inspect(h.fn.Body, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if ok && assign.Tok == token.DEFINE && len(assign.Rhs) == 1 && found == nil {
			for _, lhs := range assign.Lhs {
				if id, ok := lhs.(*ast.Ident); ok && h.pkg.TypesInfo.Defs[id] == p.obj {
					found = assign
				}
			}
		}
		return true
	})
	if found == nil || h.node.Pos() <= found.Pos() && found.End() <= h.node.End() || found.Pos() <= h.node.Pos() && h.node.End() <= found.End() {
		return nil
	}
	u := unitAt(h.pkg, found.Rhs[0].Pos(), found.Rhs[0].Pos())
	if u == nil || u.stmt != ast.Stmt(found) {
		return nil // in the head of another statement
	}
	d := *h
	d.unit = &unit{pkg: h.pkg, file: h.file, fn: h.fn, node: found.Rhs[0], stmt: found}
	if call, ok := found.Rhs[0].(*ast.TypeAssertExpr); ok && len(found.Lhs) == 2 && call.Type != nil {
		return nil // one value or two
	}
	if len(d.results()) != len(found.Lhs) || escapes(d.node, h.pkg.TypesInfo) || !d.close(false) {
		return nil
	}
	return &d
}

func fromResult(h *hiding) bool {
	p := h.closedOperand()
	if p == nil {
		return false
	}
	if d := h.definition(p); d != nil {
		h.decls = "func " + h.name("make") + d.signature(h.imports, nil) + d.body(d.closed.edits)
		h.edits = append(h.edits, edit{d.node.Pos(), d.node.End(), h.name("make") + d.args()})
		return true
	}
	t := h.typ(p.typ, h.imports)
	if p.ref {
		return false
	}
	h.decls = "func " + h.name("same") + "(x " + t + ") " + t + " { return x }\n"
	h.substitute(p, h.name("same")+"("+p.arg+")")
	return true
}

func (h *hiding) closedOperand() *param {
	if !h.close(false) {
		return nil
	}
	return h.operand()
}

func fromPair(h *hiding) bool {
	p := h.closedOperand()
	if p == nil {
		return false
	}
	check := "if " + h.name("err") + " != nil {\n\tpanic(" + h.name("err") + ")\n}\n"
	if d := h.definition(p); d != nil {
		if len(d.results()) > 1 {
			return fromResult(h)
		}
		t := d.typ(d.results()[0], h.imports)
		sig := strings.TrimSuffix(d.signature(h.imports, nil), "("+t+")")
		body := apply(d.text, d.base, d.node.Pos(), d.node.End(), d.closed.edits)
		h.decls = "func " + h.name("make") + sig + "(" + t + ", error) {\n\treturn " + body + ", nil\n}\n"
		h.before(d.stmt, h.name("v")+", "+h.name("err")+" := "+h.name("make")+d.args()+"\n"+check)
		h.edits = append(h.edits, edit{d.node.Pos(), d.node.End(), h.name("v")})
		return true
	}
	if p.ref {
		return false
	}
	t := h.typ(p.typ, h.imports)
	h.decls = "func " + h.name("make") + "(x " + t + ") (" + t + ", error) { return x, nil }\n"
	h.before(h.stmt, h.name("v")+", "+h.name("err")+" := "+h.name("make")+"("+p.arg+")\n"+check)
	h.substitute(p, h.name("v"))
	return true
}

func fromElement(h *hiding) bool {
	p := h.closedOperand()
	if p == nil || p.ref || !isObject(p.typ) {
		return false
	}
	list := "[]" + h.typ(p.typ, h.imports) + "{" + p.arg + "}"
	if ranged(h.stmt) {
		h.before(h.stmt, "for _, "+h.name("e")+" := range "+list+" {\n")
		h.edits = append(h.edits, edit{h.stmt.End(), h.stmt.End(), "\n}"})
		h.substitute(p, h.name("e"))
		return true
	}
	h.before(h.stmt, h.name("list")+" := "+list+"\n")
	h.substitute(p, h.name("list")+"[0]")
	return true
}

// ranged reports whether a statement means the same in a loop.
func ranged(stmt ast.Stmt) bool {
	switch s := stmt.(type) {
	case *ast.ExprStmt, *ast.SendStmt, *ast.GoStmt, *ast.IfStmt:
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			return false
		}
	default:
		return false
	}
	jumps := false
	ast.Inspect(stmt, func(n ast.Node) bool {
		_, isBranch := n.(*ast.BranchStmt)
		jumps = jumps || isBranch
		return !jumps
	})
	return !jumps
}

func fromAccessor(h *hiding) bool {
	if assign, ok := h.node.(*ast.AssignStmt); ok {
		if sel, ok := assign.Lhs[0].(*ast.SelectorExpr); ok {
			if part, ok := sel.X.(*ast.SelectorExpr); ok {
				if s := h.pkg.TypesInfo.Selections[part]; s != nil && s.Kind() == types.FieldVal {
					return h.accessor(part)
				}
			}
		}
	}
	return false
}

// accessor replaces x.Part by a call that returns a pointer to it.
func (h *hiding) accessor(part *ast.SelectorExpr) bool {
	info := h.pkg.TypesInfo
	root, field := info.TypeOf(part.X), info.TypeOf(part)
	if mentionsTypeParam(root) || mentionsTypeParam(field) {
		return false
	}
	arg := apply(h.text, h.base, part.X.Pos(), part.X.End(), nil)
	if _, isPointer := root.Underlying().(*types.Pointer); !isPointer {
		root, arg = types.NewPointer(root), "&"+arg
	}
	if _, isPointer := field.Underlying().(*types.Pointer); isPointer {
		h.decls = "func " + h.name("part") + "(x " + h.typ(root, h.imports) + ") " + h.typ(field, h.imports) + " { return x." + part.Sel.Name + " }\n"
	} else {
		h.decls = "func " + h.name("part") + "(x " + h.typ(root, h.imports) + ") *" + h.typ(field, h.imports) + " { return &x." + part.Sel.Name + " }\n"
	}
	h.edits = append(h.edits, edit{part.Pos(), part.End(), h.name("part") + "(" + arg + ")"})
	return true
}

// delegate moves a whole function behind another of its name, which hands its
// parameters on.
func delegate(h *hiding) bool {
	obj, ok := h.pkg.TypesInfo.Defs[h.fn.Name].(*types.Func)
	if !ok || h.fn.Name.Name == "init" || h.fn.Name.Name == "main" || h.fn.Name.Name == "_" {
		return false
	}
	sig := obj.Signature()
	if sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0 {
		return false
	}
	var params, args []string
	for i := range sig.Params().Len() {
		name := fmt.Sprintf("p%d", i)
		t := sig.Params().At(i).Type()
		if sig.Variadic() && i == sig.Params().Len()-1 {
			params, args = append(params, name+" ..."+h.typ(t.(*types.Slice).Elem(), h.imports)), append(args, name+"...")
		} else {
			params, args = append(params, name+" "+h.typ(t, h.imports)), append(args, name)
		}
	}
	var results []string
	for v := range sig.Results().Variables() {
		results = append(results, h.typ(v.Type(), h.imports))
	}
	head, callee := "func ", h.name("body")
	if recv := sig.Recv(); recv != nil {
		head += "(r " + h.typ(recv.Type(), h.imports) + ") "
		callee = "r." + callee
	}
	call := callee + "(" + strings.Join(args, ", ") + ")"
	if len(results) > 0 {
		call = "return " + call
	}
	h.decls = head + h.fn.Name.Name + "(" + strings.Join(params, ", ") + ") (" + strings.Join(results, ", ") + ") {\n\t" + call + "\n}\n"
	h.edits = append(h.edits, edit{h.fn.Name.Pos(), h.fn.Name.End(), h.name("body")})
	return true
}
