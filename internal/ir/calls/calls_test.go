package calls

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/build"
	"github.com/opvet/opvet/internal/report/relevant"
)

// graphOf builds the call graph of a package with the given source.
func graphOf(t *testing.T, src string) *Graph {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", "package p\n"+src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
		Uses: make(map[*ast.Ident]types.Object), Implicits: make(map[ast.Node]types.Object),
		Instances: make(map[*ast.Ident]types.Instance), Scopes: make(map[ast.Node]*types.Scope),
		Selections: make(map[*ast.SelectorExpr]*types.Selection), FileVersions: make(map[*ast.File]string),
	}
	conf := types.Config{Importer: importer.Default()}
	pkg, err := conf.Check("example.com/p", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	// The passes look only at packages that use Kubernetes.
	machinery := types.NewPackage("k8s.io/apimachinery/pkg/runtime", "runtime")
	machinery.MarkComplete()
	pkg.SetImports(append(pkg.Imports(), machinery))

	pass := &analysis.Pass{
		Fset: fset, Files: []*ast.File{file}, Pkg: pkg, TypesInfo: info, ResultOf: make(map[*analysis.Analyzer]any),
		ExportPackageFact: func(analysis.Fact) {},
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		AllObjectFacts:    func() []analysis.ObjectFact { return nil },
		ImportObjectFact:  func(types.Object, analysis.Fact) bool { return false },
		ExportObjectFact:  func(types.Object, analysis.Fact) {},
		Analyzer:          Analyzer,
	}
	for _, a := range []*analysis.Analyzer{relevant.Analyzer, build.Analyzer, Analyzer} {
		result, err := a.Run(pass)
		if err != nil {
			t.Fatal(err)
		}
		pass.ResultOf[a] = result
	}
	return pass.ResultOf[Analyzer].(*Graph)
}

// callees returns what the only call in the named function that is not a
// static one to another name may run; "+" tells that there may be more.
func callees(t *testing.T, g *Graph, name string) string {
	t.Helper()
	fn := g.Pkg.Func(name)
	if fn == nil {
		t.Fatalf("no function %s", name)
	}
	var found []string
	for instr := range blocks.Instrs(fn) {
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			continue
		}
		targets := g.Callees(call)
		for _, target := range targets.Funcs {
			found = append(found, shortName(target))
		}
		if !targets.Closed {
			found = append(found, "+")
		}
	}
	slices.Sort(found)
	return strings.Join(slices.Compact(found), " ")
}

func shortName(fn *ssa.Function) string {
	if recv := fn.Signature.Recv(); recv != nil {
		return types.TypeString(recv.Type(), func(*types.Package) string { return "" }) + "." + fn.Name()
	}
	return fn.Name()
}

func TestCallees(t *testing.T) {
	const decls = `
func a() {}
func b() {}
type T struct{ hook func(); Open func() }
func (*T) m() {}
type inner struct{}
func (inner) promoted() {}
type outer struct{ inner }
type one interface{ only() }
type impl struct{}
func (*impl) only() {}
type two interface{ either() }
type left struct{}
func (left) either() {}
type right struct{}
func (right) either() {}
func generic[E any](e E) {}
type box[E any] struct{ fn func(E) }
func (b *box[E]) get() {}
`
	for _, test := range []struct{ name, src, want string }{
		{"static", `func f() { a() }`, "a"},
		{"method", `func f(t *T) { t.m() }`, "*T.m"},
		{"promoted method", `func f(o outer) { o.promoted() }`, "inner.promoted"},
		{"bound method", `func f(t *T) { g := t.m; g() }`, "*T.m"},
		{"method expression", `func f(t *T) { g := (*T).m; g(t) }`, "*T.m"},
		{"promoted method expression", `func f(o outer) { g := outer.promoted; g(o) }`, "inner.promoted"},
		{"generic", `func f() { generic(1) }`, "generic"},
		{"generic method", `func f(b *box[int]) { b.get() }`, "*box[E].get"},
		{"generic method value", `func f(b *box[int]) { g := b.get; g() }`, "*box[E].get"},
		{"closure", `func f() { func() {}() }`, "f$1"},
		{"variable", `func f(x bool) { g := a; if x { g = b }; g() }`, "a b"},
		{"captured variable", `func f() { g := a; func() { g = b }(); g() }`, "a b f$1"},
		{"go and defer", `func f() { go a(); defer b() }`, "a b"},
		{"field stored once", `func (t *T) set() { t.hook = a }; func f(t *T) { t.hook() }`, "a"},
		{"exported field", `func (t *T) set() { t.Open = a }; func f(t *T) { t.Open() }`, "+ a"},
		{"field never stored", `func f(t *T) { t.hook() }`, "+"},
		{"composite literal", `func f() { t := &T{hook: a}; t.hook() }`, "a"},
		{"field of a generic type", `func h(int) {}; func f(b *box[int]) { b.fn = h; b.fn(1) }`, "h"},
		{"global", `var g = a; func f() { g() }`, "a"},
		{"parameter of an unexported function", `func f(g func()) { g() }; func call() { f(a); f(b) }`, "a b"},
		{"parameter of an exported function", `func F(g func()) { g() }; func call() { F(a) }; func f() { F(b) }`, "F"},
		{"parameter nobody passes", `func f(g func()) { g() }`, "+"},
		{"result", `func pick() func() { return a }; func f() { pick()() }`, "a pick"},
		{"result of two", `func pick() (func(), func()) { return a, b }; func f() { _, g := pick(); g() }`, "b pick"},
		{"function that returns itself", `type S func() S; func start() S { return nil }; func f() { for s := start(); s != nil; { s = s() } }`, "+ start"},
		{"interface with one implementation", `func f(o one) { o.only() }`, "*impl.only"},
		{"interface with two implementations", `func f(o two) { o.either() }`, "+"},
		{"interface method value", `func f(o one) { g := o.only; g() }`, "*impl.only"},
		{"interface from elsewhere", `func f(err error) { _ = err.Error() }`, "+"},
		{"embedded interface", `type e struct{ one }; func f(x e) { x.only() }`, "+"},
		{"builtin", `func f() { println() }`, "+"},
		{"nil", `func f() { var g func(); g() }`, "+"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := callees(t, graphOf(t, decls+test.src), "f"); got != test.want {
				t.Errorf("%s\ncalls %q, want %q", test.src, got, test.want)
			}
		})
	}
}

func TestCallersDoNotDependOnOrder(t *testing.T) {
	const (
		runner = "func run(g func()) { g() }\n"
		middle = "func twice(g func()) { run(g); run(g) }\n"
		caller = "func caller() { twice(func() {}) }\n"
	)
	for _, src := range []string{runner + middle + caller, caller + middle + runner, middle + runner + caller} {
		g := graphOf(t, src)
		literal := g.Pkg.Func("caller").AnonFuncs[0]
		var from []string
		for _, call := range g.Callers(literal) {
			from = append(from, call.Parent().Name())
		}
		if len(from) != 1 || from[0] != "run" {
			t.Errorf("%s\nthe literal is called from %v, want run", src, from)
		}
	}
}

func TestClosuresAndBindings(t *testing.T) {
	g := graphOf(t, `func f() { x := 1; go func() { println(x) }() }`)
	fn := g.Pkg.Func("f")
	literal := fn.AnonFuncs[0]
	if n := len(g.Closures(literal)); n != 1 {
		t.Fatalf("%d closures, want 1", n)
	}
	if alloc, ok := g.Binding(literal.FreeVars[0]).(*ssa.Alloc); !ok || alloc.Comment != "x" {
		t.Errorf("the captured variable is bound to %v", g.Binding(literal.FreeVars[0]))
	}
	if calls := g.Callers(literal); len(calls) != 1 {
		t.Errorf("%d callers of the literal, want the go statement", len(calls))
	} else if _, ok := calls[0].(*ssa.Go); !ok {
		t.Errorf("called by %v", calls[0])
	}
}

func TestStored(t *testing.T) {
	g := graphOf(t, `
type T[K any] struct{ sync func() }
func work() {}
func other() {}
func set(t *T[int]) { t.sync = work }
func local() { sync := other; sync() }
var hook = work
func reset() { hook = other }
`)
	field := g.Pkg.Pkg.Scope().Lookup("T").Type().Underlying().(*types.Struct).Field(0)
	work, other := ssa.Value(g.Pkg.Func("work")), ssa.Value(g.Pkg.Func("other"))
	for _, test := range []struct {
		holder types.Object
		want   []ssa.Value
	}{
		{field, []ssa.Value{work}},
		{g.Pkg.Var("hook").Object(), []ssa.Value{work, other}},
		{nil, nil},
	} {
		if got := g.Stored(test.holder); !slices.Equal(got, test.want) {
			t.Errorf("stored into %v: %v, want %v", test.holder, got, test.want)
		}
	}
}

func TestPackageThatDoesNotMatter(t *testing.T) {
	g := &Graph{SSA: new(build.SSA)}
	if targets := g.FuncsOf(nil); targets.Closed || len(targets.Funcs) > 0 {
		t.Errorf("targets %v", targets)
	}
}

func TestStoredInField(t *testing.T) {
	g := graphOf(t, `
type T struct{ a, b *int }
func literal(p *int) { t := T{a: p}; _ = &t; use(&t) }
func copied(p *int) { t := T{a: p}; u := t; use(&u) }
func captured(p, q *int) { var t T; func() { t.a = q }(); t.a = p; use(&t) }
func given(v T, p *int) { v.a = p; use(&v) }
func swapped(p, q *int) {
	t, u := T{a: p}, T{a: q}
	if p != q { t, u = u, t }
	if p == nil { t, u = u, t }
	if q == nil { t = u; u = t }
	use(&t)
	if p != nil { t, u = u, t }
	use(&u)
}
func use(*T)
`)
	for fn, want := range map[string]int{"literal": 1, "copied": 1, "captured": 2, "given": 0, "swapped": 2} {
		var used *ssa.Alloc
		for call := range blocks.InstrsOf[*ssa.Call](g.Pkg.Func(fn)) {
			if callee := call.Call.StaticCallee(); callee != nil && callee.Name() == "use" {
				used = call.Call.Args[0].(*ssa.Alloc)
			}
		}
		if got := StoredInField(used, 0); len(got) != want {
			t.Errorf("%s: %v is stored into the field, want %d values", fn, got, want)
		}
		if got := StoredInField(used, 1); len(got) != 0 {
			t.Errorf("%s: %v is stored into the other field", fn, got)
		}
	}
}
