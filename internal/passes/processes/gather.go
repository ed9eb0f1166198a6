package processes

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// gatherer makes the summary of a package from its syntax, which every package has,
// whether or not a rule looks into it.
type gatherer struct {
	pass    *analysis.Pass
	out     *Summary
	names   map[string]int
	funcs   map[*types.Func]int      // their names, which take long to put together
	keys    map[*types.Func]int      // those of what interfaces ask for
	known   map[*types.Interface]int // their numbers
	ifaces  map[string]int
	locals  map[types.Object]int        // the literals that variables of functions stand for
	params  map[types.Object]int        // the functions of which contexts are parameters
	inside  ast.Decl                    // the declaration that is looked at
	values  map[types.Object][]ast.Expr // what contexts are set to in it; nil until somebody asks
	numbers map[Number]bool
	said    *numbersIn // nil until somebody asks
	flows   map[Flow]bool
	leaks   map[int]bool
	inits   *builder
	spare   []*builder // of functions that are done: their maps are used again
}

func newGatherer(pass *analysis.Pass, out *Summary) *gatherer {
	return &gatherer{pass: pass, out: out, names: make(map[string]int), funcs: make(map[*types.Func]int), keys: make(map[*types.Func]int), known: make(map[*types.Interface]int), ifaces: make(map[string]int), locals: make(map[types.Object]int), params: make(map[types.Object]int),
		numbers: make(map[Number]bool), flows: make(map[Flow]bool), leaks: make(map[int]bool)}
}

func (g *gatherer) gather() {
	for _, imported := range kubeapi.Imports(g.pass) {
		if kubeapi.SameModule(g.pass, imported) {
			g.out.Imports = append(g.out.Imports, imported.Path())
		}
	}
	finalized, unfinalized, statuses := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	g.inits = g.open(syntax.InitOf(g.pass.Pkg), false)
	for _, file := range g.pass.Files {
		if strings.HasSuffix(g.pass.Fset.Position(file.FileStart).Filename, "_test.go") {
			continue
		}
		generated := rule.IsGenerated(g.pass.Fset, file)
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && generated && kubeapi.IsMechanical(fn) {
				continue // nor has the driver type-checked what is in it
			}
			g.inside, g.values = decl, nil
			g.decl(decl)
		}
		ofFinalizers := g.finalizers(finalized, unfinalized)
		ast.Inspect(file, func(n ast.Node) bool {
			ofFinalizers(n)
			if !generated {
				g.statuses(n, statuses)
			}
			return true
		})
	}
	g.inits.close()
	g.out.Finalized, g.out.Unfinalized = slices.Sorted(maps.Keys(finalized)), slices.Sorted(maps.Keys(unfinalized))
	g.out.Statuses = slices.Sorted(maps.Keys(statuses))
	g.out.Flows = slices.SortedFunc(maps.Keys(g.flows), func(x, y Flow) int { return cmp.Or(x.From-y.From, x.To-y.To) })
	g.out.Numbers = slices.SortedFunc(maps.Keys(g.numbers), func(x, y Number) int { return cmp.Or(cmp.Compare(x.To, y.To), cmp.Compare(x.From, y.From)) })
	g.out.Leaks = slices.Sorted(maps.Keys(g.leaks))
	g.elsewhere()
}

func (g *gatherer) decl(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		fn, ok := g.pass.TypesInfo.Defs[decl.Name].(*types.Func)
		if !ok || decl.Body == nil {
			return
		}
		if kubeapi.FullName(fn) == syntax.InitOf(g.pass.Pkg) {
			g.inits.body(decl.Body, fn.Signature())
			return
		}
		b := g.open(kubeapi.FullName(fn), fn.Exported())
		b.at(decl)
		b.body(decl.Body, fn.Signature())
		b.close()
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				g.inits.walk(spec, nil) // what initialises the variables of a package
			case *ast.TypeSpec:
				g.typeSpec(spec)
			}
		}
	}
}

// name returns the number of a name.
func (g *gatherer) name(text string) int {
	i, ok := g.names[text]
	if !ok {
		i = len(g.out.Names)
		g.out.Names = append(g.out.Names, text)
		g.names[text] = i
	}
	return i
}

// funcName returns the number of a function's name.
func (g *gatherer) funcName(fn *types.Func) int {
	i, ok := g.funcs[fn]
	if !ok {
		i = g.name(kubeapi.FullName(fn))
		g.funcs[fn] = i
	}
	return i
}

// key returns the number of a method's key.
func (g *gatherer) key(method *types.Func) int {
	i, ok := g.keys[method]
	if !ok {
		i = g.name(methodKey(method))
		g.keys[method] = i
	}
	return i
}

// typeSpec notes the method set of a type. A type without methods of its own may have
// those of embedded ones.
func (g *gatherer) typeSpec(spec *ast.TypeSpec) {
	tn, ok := g.pass.TypesInfo.Defs[spec.Name].(*types.TypeName)
	if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) {
		return
	}
	parts, _ := g.parts(tn.Type().Underlying())
	t := Type{Name: g.name(typeName(tn)), Parts: parts}
	set := new(types.MethodSet)
	if mayHaveMethods(tn.Type()) {
		set = types.NewMethodSet(types.NewPointer(tn.Type()))
	}
	for i := range set.Len() {
		method := set.At(i).Obj().(*types.Func).Origin()
		m := Method{Key: g.key(method), Func: g.funcName(method)}
		role, _ := kubeapi.MethodRole(set.At(i).Recv(), method)
		m.Once = role.Kind == kubeapi.Runnable
		if iface, ok := method.Signature().Recv().Type().Underlying().(*types.Interface); ok {
			m.Iface = g.iface(iface) + 1
		}
		t.Methods = append(t.Methods, m)
	}
	if len(t.Methods) > 0 || len(t.Parts) > 0 {
		g.out.Types = append(g.out.Types, t)
	}
}

// mayHaveMethods reports whether a type has methods, or embeds what may have some.
func mayHaveMethods(t types.Type) bool {
	named, ok := t.(*types.Named)
	if !ok || named.NumMethods() > 0 {
		return true
	}
	str, ok := named.Underlying().(*types.Struct)
	return ok && slices.ContainsFunc(slices.Collect(str.Fields()), (*types.Var).Embedded)
}

// parts returns the named types of the module that values of a type hold, or that
// functions hand out, and the interfaces that they are held by.
func (g *gatherer) parts(t types.Type) (named, ifaces []int) {
	found, behind := make(map[int]bool), make(map[int]bool)
	var visit func(t types.Type, depth int)
	visit = func(t types.Type, depth int) {
		if depth > 6 {
			return
		}
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			switch iface, ok := t.Underlying().(*types.Interface); {
			case ok && !iface.Empty():
				behind[g.iface(iface)] = true
			case !ok && g.isOurs(t.Obj().Pkg()):
				found[g.name(typeName(t.Obj()))] = true
			}
			for arg := range t.TypeArgs().Types() {
				visit(arg, depth+1)
			}
		case interface{ Elem() types.Type }: // a pointer, a list, a map, a channel
			visit(t.Elem(), depth+1)
		case *types.Signature:
			for result := range t.Results().Variables() {
				visit(result.Type(), depth+1)
			}
		case *types.Struct:
			for field := range t.Fields() {
				visit(field.Type(), depth+1)
			}
		}
	}
	visit(t, 0)
	return slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(behind))
}

func (g *gatherer) isOurs(pkg *types.Package) bool {
	return pkg != nil && kubeapi.SameModule(g.pass, pkg)
}

func typeName(tn *types.TypeName) string { return tn.Pkg().Path() + "." + tn.Name() }

// methodKey is what an interface's method and one that implements it have in common.
// It leaves the types of parameters out, so that two methods may be taken for one.
func methodKey(method *types.Func) string {
	sig := method.Signature()
	return fmt.Sprintf("%s/%d/%d", method.Id(), sig.Params().Len(), sig.Results().Len())
}

// iface returns the number of an interface.
func (g *gatherer) iface(t *types.Interface) int {
	if i, ok := g.known[t]; ok {
		return i
	}
	keys := make([]int, 0, t.NumMethods())
	for method := range t.Methods() {
		keys = append(keys, g.key(method))
	}
	slices.Sort(keys)
	text := fmt.Sprint(keys)
	i, ok := g.ifaces[text]
	if !ok {
		i = len(g.out.Ifaces)
		g.out.Ifaces = append(g.out.Ifaces, keys)
		g.ifaces[text] = i
	}
	g.known[t] = i
	return i
}

// elsewhere reads the files that the build leaves out.
func (g *gatherer) elsewhere() {
	names := make(map[string]bool)
	for _, name := range g.pass.IgnoredFiles {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if ident, ok := n.(*ast.Ident); ok {
				names[ident.Name] = true
			}
			return true
		})
	}
	g.out.Elsewhere = slices.Sorted(maps.Keys(names))
}

// builder makes one function of the summary.
type builder struct {
	*gatherer
	fn       Func
	runs     map[int]bool
	again    map[int]bool
	loops    int // around what is looked at
	commands map[int]bool
	invokes  map[Invoke]bool
	bound    map[Invoke]bool
	converts map[Convert]bool
	// handed are the contexts that each call hands over, mentioned is how often the function
	// mentions what it calls.
	handed    map[callee][][]int
	mentioned map[callee]int
}

func (g *gatherer) open(name string, exported bool) *builder {
	if last := len(g.spare) - 1; last >= 0 {
		b := g.spare[last]
		g.spare = g.spare[:last]
		b.fn = Func{Name: g.name(name), Exported: exported}
		return b
	}
	return &builder{
		gatherer: g, fn: Func{Name: g.name(name), Exported: exported},
		runs: make(map[int]bool), again: make(map[int]bool), commands: make(map[int]bool), invokes: make(map[Invoke]bool), bound: make(map[Invoke]bool), converts: make(map[Convert]bool),
		handed: make(map[callee][][]int), mentioned: make(map[callee]int),
	}
}

// at notes where the function is.
func (b *builder) at(n ast.Node) {
	from, to := b.pass.Fset.PositionFor(n.Pos(), false), b.pass.Fset.PositionFor(n.End(), false)
	b.fn.File, b.fn.From, b.fn.To = b.name(path.Join(filepath.Base(filepath.Dir(from.Filename)), filepath.Base(from.Filename))), from.Line, to.Line
}

func (b *builder) close() {
	b.fn.Runs, b.fn.Again, b.fn.Commands = slices.Sorted(maps.Keys(b.runs)), slices.Sorted(maps.Keys(b.again)), slices.Sorted(maps.Keys(b.commands))
	compare := func(x, y Invoke) int {
		return cmp.Or(x.Iface-y.Iface, x.Method-y.Method, number(x.Again)-number(y.Again))
	}
	b.fn.Invokes, b.fn.Bound = slices.SortedFunc(maps.Keys(b.invokes), compare), slices.SortedFunc(maps.Keys(b.bound), compare)
	b.fn.Hands = b.hands()
	b.fn.Converts = slices.SortedFunc(maps.Keys(b.converts), func(x, y Convert) int { return cmp.Or(x.Type-y.Type, int(x.To)-int(y.To), x.Iface-y.Iface) })
	b.out.Funcs = append(b.out.Funcs, b.fn)
	b.free()
}

// free lets the next function have the maps, unless they have grown: to go through a
// large map that is empty takes long.
func (b *builder) free() {
	if len(b.runs)+len(b.commands)+len(b.invokes)+len(b.bound)+len(b.converts)+len(b.mentioned) > 64 {
		return
	}
	clear(b.runs)
	clear(b.again)
	clear(b.commands)
	clear(b.invokes)
	clear(b.bound)
	clear(b.converts)
	clear(b.handed)
	clear(b.mentioned)
	b.spare = append(b.spare, b)
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (g *gatherer) literalName(lit *ast.FuncLit) string {
	return syntax.LiteralName(g.pass.Pkg, g.pass.Fset, lit)
}

// literal makes a function of its own of a literal, and returns its number.
func (b *builder) literal(lit *ast.FuncLit) int {
	sig, _ := b.pass.TypesInfo.TypeOf(lit).(*types.Signature)
	inner := b.open(b.literalName(lit), false)
	inner.at(lit)
	inner.body(lit.Body, sig)
	name := inner.fn.Name
	inner.close() // and is another function's then
	return name
}
