package processes

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/opvet/opvet/internal/kubeapi"
)

// AnyKind is what [Summary.Finalized] has for objects of a kind that is not known.
const AnyKind = "*"

// ClearedOf is what [Summary.Finalized] has, followed by the kind, for objects that get a list of
// finalizers without any: they may have had some.
const ClearedOf = "cleared of "

// finalizers returns what notes, of the syntax of a file that it is shown, the kinds of the
// objects that the file may put finalizers on, and the finalizers that it may take off. Whatever is called after finalizers counts, since
// libraries and generated code have their own ways, and so do patches.
func (g *gatherer) finalizers(found, unfinalized map[string]bool) func(ast.Node) {
	var around, helper *ast.FuncDecl // helper is called after finalizers: its callers say of what
	ofKind := make(map[ast.Expr]bool)
	return func(n ast.Node) {
		g.unfinalized(n, around, unfinalized)
		switch n := n.(type) {
		case *ast.FuncDecl:
			around, helper = n, nil
			if isAboutFinalizers(n.Name.Name) {
				helper = n
				g.parameters(n, found)
			}
		case *ast.CallExpr:
			g.finalizerCall(n, helper, found)
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if sel, ok := ast.Unparen(left).(*ast.SelectorExpr); ok && sel.Sel.Name == "Finalizers" && !(len(n.Rhs) == len(n.Lhs) && g.clears(sel.X, n.Rhs[i])) {
					g.set(sel.X, n.Rhs[min(i, len(n.Rhs)-1)], helper, found)
				}
			}
		case *ast.CompositeLit:
			if kind := kubeapi.KindOf(g.typeAt(n)); kind != nil {
				if list := finalizersIn(n); list != nil {
					ofKind[list], found[kubeapi.KindID(kind)] = true, true
				}
			}
		case *ast.KeyValueExpr:
			if isNamed(n.Key, "Finalizers") && !ofKind[n.Value] {
				found[AnyKind] = true
			}
		case *ast.BasicLit:
			// A patch; other texts are a permission's resource, or a finalizer's name.
			if n.Kind == token.STRING && (strings.Contains(n.Value, "metadata/finalizers") || strings.HasPrefix(n.Value, `"/finalizers`) || strings.Contains(n.Value, `"finalizers"`) || strings.Contains(n.Value, `"finalizers\`)) {
				found[AnyKind] = true
			}
		}
	}
}

// finalizersIn returns the list of finalizers that an object's literal has, or nil.
func finalizersIn(object *ast.CompositeLit) ast.Expr {
	for _, part := range object.Elts {
		field, ok := part.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		switch meta, ok := field.Value.(*ast.CompositeLit); {
		case isNamed(field.Key, "Finalizers"):
			return field.Value
		case ok && isNamed(field.Key, "ObjectMeta"):
			return finalizersIn(meta)
		}
	}
	return nil
}

func isNamed(e ast.Expr, name string) bool {
	ident, ok := e.(*ast.Ident)
	return ok && ident.Name == name
}

func isAboutFinalizers(name string) bool {
	return strings.Contains(name, "inalize") || name == "OnRemove" // wrangler's
}

// parameters notes the kinds that a function about finalizers is for, such as knative's
// FinalizeKind.
func (g *gatherer) parameters(decl *ast.FuncDecl, found map[string]bool) {
	for _, field := range decl.Type.Params.List {
		if kind := kubeapi.KindOf(g.typeAt(field.Type)); kind != nil {
			found[kubeapi.KindID(kind)] = true
		}
	}
}

// isGos recognises Go's own finalizers.
func (g *gatherer) isGos(call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	used := g.pass.TypesInfo.Uses[sel.Sel]
	return used != nil && used.Pkg() != nil && used.Pkg().Path() == "runtime"
}

// addsNone are the verbs of functions about finalizers that put none on an object.
var addsNone = []string{"get", "has", "contains", "remove", "delete", "clear", "drop", "is", "need", "list"}

// clears reports whether an object of whatever kind gets a list of finalizers without any: of one
// whose kind is known, this tells that it may have some.
func (g *gatherer) clears(object, list ast.Expr) bool {
	return object != nil && kindIn(g.typeAt(g.ownerOf(object))) == nil && isEmptyList(list)
}

// isEmptyList reports whether a list is written out, with nothing in it.
func isEmptyList(list ast.Expr) bool {
	switch list := ast.Unparen(list).(type) {
	case *ast.Ident:
		return list.Name == "nil"
	case *ast.CompositeLit:
		return len(list.Elts) == 0
	}
	return false
}

func (g *gatherer) finalizerCall(call *ast.CallExpr, helper *ast.FuncDecl, found map[string]bool) {
	name, recv := calledName(call)
	if !isAboutFinalizers(name) || g.isGos(call) || slices.ContainsFunc(addsNone, func(verb string) bool { return len(name) > len(verb) && strings.EqualFold(name[:len(verb)], verb) }) ||
		name == "SetFinalizers" && len(call.Args) == 1 && g.clears(recv, call.Args[0]) {
		return
	}
	objects := 0
	for _, arg := range call.Args {
		if kubeapi.IsObject(g.typeAt(arg)) {
			objects++
			g.finalized(arg, helper, found)
		}
	}
	if objects > 0 {
		return
	}
	if recv != nil && (kubeapi.IsObject(g.typeAt(recv)) || kubeapi.IsObjectMeta(g.typeAt(recv))) {
		if name == "SetFinalizers" && len(call.Args) == 1 {
			g.set(recv, call.Args[0], helper, found)
		} else {
			g.finalized(recv, helper, found)
		}
		return
	}
	if !g.isOwn(call) {
		found[AnyKind] = true
	}
}

// isOwn reports whether a function of the module is called that is given nothing which may be
// an object: what it puts finalizers on is told in its body.
func (g *gatherer) isOwn(call *ast.CallExpr) bool {
	callee := typeutil.StaticCallee(g.pass.TypesInfo, call)
	return callee != nil && kubeapi.SameModule(g.pass, callee.Pkg()) && !slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		t := g.typeAt(arg)
		return kubeapi.IsObjectMeta(t) || types.IsInterface(t) && !kubeapi.HasMethod(t, "Deadline")
	})
}

// ownerOf is the object that an expression is, or is the metadata or the address of.
func (g *gatherer) ownerOf(e ast.Expr) ast.Expr {
	e = ast.Unparen(e)
	if unary, ok := e.(*ast.UnaryExpr); ok {
		e = ast.Unparen(unary.X)
	}
	if sel, ok := e.(*ast.SelectorExpr); ok && kubeapi.IsObjectMeta(g.typeAt(e)) {
		return sel.X
	}
	return e
}

// set notes the kind of an object that gets a list of finalizers.
func (g *gatherer) set(object, list ast.Expr, helper *ast.FuncDecl, found map[string]bool) {
	if !isEmptyList(list) {
		g.finalized(object, helper, found)
		return
	}
	cleared := make(map[string]bool)
	g.finalized(object, helper, cleared)
	for kind := range cleared {
		if kind != AnyKind {
			kind = ClearedOf + kind
		}
		found[kind] = true
	}
}

// finalized notes the kind of an object, or of the one whose metadata is at hand.
func (g *gatherer) finalized(object ast.Expr, helper *ast.FuncDecl, found map[string]bool) {
	object = g.ownerOf(object)
	if kind := kindIn(g.typeAt(object)); kind != nil {
		found[kubeapi.KindID(kind)] = true
		return
	}
	if ident, ok := object.(*ast.Ident); ok && helper != nil {
		if used := g.pass.TypesInfo.Uses[ident]; used != nil && helper.Type.Params.Pos() <= used.Pos() && used.Pos() < helper.Type.Params.End() {
			return
		}
	}
	if g.implementing(g.typeAt(object), found) {
		return
	}
	found[AnyKind] = true
}

// kindIn is the kind that a type is, or that a struct embeds to build on it.
func kindIn(t types.Type) *types.Named {
	if kind := kubeapi.KindOf(t); kind != nil {
		return kind
	}
	if s, ok := kubeapi.Deref(t).Underlying().(*types.Struct); ok {
		for field := range s.Fields() {
			if kind := kubeapi.KindOf(field.Type()); field.Embedded() && kind != nil {
				return kind
			}
		}
	}
	return nil
}

// implementing notes the kinds that have an interface of the module's, of those that the
// package may name, and reports whether there are any.
func (g *gatherer) implementing(t types.Type, found map[string]bool) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || !kubeapi.SameModule(g.pass, named.Obj().Pkg()) {
		return false
	}
	iface, ok := named.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	any := false
	for _, pkg := range append(slices.Concat(g.pass.Pkg.Imports(), named.Obj().Pkg().Imports()), g.pass.Pkg) {
		for _, name := range pkg.Scope().Names() {
			declared, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok || kubeapi.KindOf(declared.Type()) == nil || !types.Implements(types.NewPointer(declared.Type()), iface) {
				continue
			}
			found[kubeapi.KindID(kubeapi.KindOf(declared.Type()))], any = true, true
		}
	}
	return any
}

func (g *gatherer) typeAt(e ast.Expr) types.Type {
	if t := g.pass.TypesInfo.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// Finalizes reports whether something in the module may put a finalizer on objects of
// a kind, as of [kubeapi.KindID].
func (p *Program) Finalizes(kind string) bool { return p.finalized[AnyKind] || p.PutsFinalizers(kind) }

// PutsFinalizers reports whether something in the module is seen to put a finalizer on objects of a
// kind, or to take those off which they may have.
func (p *Program) PutsFinalizers(kind string) bool {
	return p.finalized[kind] || p.finalized[ClearedOf+kind]
}

// AddsFinalizers reports whether something in the module is seen to put a finalizer on objects of a
// kind, in whatever version.
func (p *Program) AddsFinalizers(kind string) bool {
	for known := range p.finalized {
		if known == kind || inAnyVersion(known) == inAnyVersion(kind) {
			return true
		}
	}
	return false
}

// inAnyVersion is a kind without the last folder of its package, which names the version.
func inAnyVersion(kind string) string {
	dot := strings.LastIndexByte(kind, '.')
	if dot < 0 {
		return kind
	}
	return path.Dir(kind[:dot]) + kind[dot:]
}

// AnyFinalizerOf is what [Summary.Unfinalized] has, followed by the kind as of
// [kubeapi.KindID], for finalizers whose names are not known.
const AnyFinalizerOf = "* of "

// NamedFinalizerOf is like AnyFinalizerOf for those whose names are known.
const NamedFinalizerOf = "named of "

// unfinalized notes the finalizers that some syntax may take off objects: by functions that
// are called after that, which get the name, and by setting the list to anything but a
// longer one. Where neither the name nor the kind is known it notes nothing.
func (g *gatherer) unfinalized(n ast.Node, around *ast.FuncDecl, found map[string]bool) {
	set := func(object, list ast.Expr) {
		if !g.adds(list) && !isRemover(around) {
			g.anyOf(object, found)
		}
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		name, recv := calledName(n)
		switch {
		case takesOff(name):
			g.takenOff(n.Args, around, found)
		case name == "SetFinalizers" && len(n.Args) == 1:
			set(recv, n.Args[0])
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if sel, ok := ast.Unparen(left).(*ast.SelectorExpr); ok && sel.Sel.Name == "Finalizers" {
				set(sel.X, n.Rhs[min(i, len(n.Rhs)-1)])
			}
		}
	}
}

// calledIdent returns the name by which a function is called, and what stands before it.
func calledIdent(call *ast.CallExpr) (name *ast.Ident, before ast.Expr) {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return fun, nil
	case *ast.SelectorExpr:
		return fun.Sel, fun.X
	}
	return nil, nil
}

// calledName is calledIdent for the bare name; empty if there is none.
func calledName(call *ast.CallExpr) (name string, before ast.Expr) {
	ident, before := calledIdent(call)
	if ident == nil {
		return "", nil
	}
	return ident.Name, before
}

// adds reports whether a list is one with something appended.
func (g *gatherer) adds(list ast.Expr) bool {
	call, ok := ast.Unparen(list).(*ast.CallExpr)
	if !ok || len(call.Args) < 2 {
		return false
	}
	name, ok := ast.Unparen(call.Fun).(*ast.Ident)
	_, isPart := ast.Unparen(call.Args[0]).(*ast.SliceExpr)
	return ok && !isPart && g.pass.TypesInfo.Uses[name] == types.Universe.Lookup("append")
}

// isRemover reports whether a function takes the finalizer off that its callers name.
func isRemover(decl *ast.FuncDecl) bool {
	return decl != nil && takesOff(decl.Name.Name) && slices.ContainsFunc(decl.Type.Params.List, func(field *ast.Field) bool {
		name, ok := field.Type.(*ast.Ident)
		return ok && name.Name == "string"
	})
}

func takesOff(name string) bool {
	if !isAboutFinalizers(name) {
		return false
	}
	name = strings.ToLower(name)
	return strings.Contains(name, "finalizer") && (strings.Contains(name, "remove") || strings.Contains(name, "delete") || strings.Contains(name, "drop") || strings.Contains(name, "clear"))
}

// takenOff notes the texts that a call is given.
func (g *gatherer) takenOff(args []ast.Expr, around *ast.FuncDecl, found map[string]bool) {
	known := false
	for _, arg := range args {
		if kind := kindIn(g.typeAt(g.ownerOf(arg))); kind != nil {
			found[NamedFinalizerOf+kubeapi.KindID(kind)] = true
		}
		if basic, ok := g.typeAt(arg).Underlying().(*types.Basic); !ok || basic.Info()&types.IsString == 0 {
			continue
		}
		if value := g.pass.TypesInfo.Types[arg].Value; value != nil {
			found[constant.StringVal(value)], known = true, true
		} else if ident, ok := ast.Unparen(arg).(*ast.Ident); ok && around != nil {
			used := g.pass.TypesInfo.Uses[ident]
			known = known || used != nil && around.Type.Params.Pos() <= used.Pos() && used.Pos() < around.Type.Params.End()
		}
	}
	if known {
		return
	}
	for _, arg := range args {
		g.anyOf(arg, found)
	}
}

// anyOf notes that finalizers are taken off an object, or off the one whose metadata is at
// hand, whatever their names.
func (g *gatherer) anyOf(object ast.Expr, found map[string]bool) {
	if object == nil {
		return
	}
	if sel, ok := ast.Unparen(object).(*ast.SelectorExpr); ok && kubeapi.IsObjectMeta(g.typeAt(object)) {
		object = sel.X
	}
	if kind := kubeapi.KindOf(g.typeAt(object)); kind != nil {
		found[AnyFinalizerOf+kubeapi.KindID(kind)] = true
	}
}
