package build

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/report/relevant"
	"github.com/opvet/opvet/internal/report/rule"
)

// build runs the pass over one file. kubernetes says whether the package
// imports Kubernetes packages.
func build(t *testing.T, src string, module *analysis.Module, kubernetes bool) *SSA {
	t.Helper()
	return buildFiles(t, map[string]string{"p.go": "package p\n" + src}, module, kubernetes)
}

func buildFiles(t *testing.T, sources map[string]string, module *analysis.Module, kubernetes bool) *SSA {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		file, err := parser.ParseFile(fset, name, sources[name], parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
		Uses: make(map[*ast.Ident]types.Object), Implicits: make(map[ast.Node]types.Object),
		Instances: make(map[*ast.Ident]types.Instance), Scopes: make(map[ast.Node]*types.Scope),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	conf := types.Config{Importer: importer.Default()}
	pkg, err := conf.Check("example.com/p", fset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	if kubernetes {
		// Not imported directly, as in a package that uses a wrapper.
		machinery := types.NewPackage("k8s.io/apimachinery/pkg/runtime", "runtime")
		machinery.MarkComplete()
		wrapper := types.NewPackage("example.com/wrapper", "wrapper")
		wrapper.MarkComplete()
		wrapper.SetImports([]*types.Package{machinery})
		pkg.SetImports(append(pkg.Imports(), wrapper))
	}
	pass := &analysis.Pass{
		Fset: fset, Files: files, Pkg: pkg, TypesInfo: info, Module: module, ResultOf: make(map[*analysis.Analyzer]any),
		ExportPackageFact: func(analysis.Fact) {},
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		ExportObjectFact:  func(types.Object, analysis.Fact) {},
		ImportObjectFact:  func(types.Object, analysis.Fact) bool { return false },
	}
	var result any
	for _, a := range []*analysis.Analyzer{relevant.Analyzer, Analyzer} {
		pass.Analyzer = a
		result, err = a.Run(pass)
		if err != nil {
			t.Fatal(err)
		}
		pass.ResultOf[a] = result
	}
	return result.(*SSA)
}

func TestWhichPackagesAreBuilt(t *testing.T) {
	for _, test := range []struct {
		name       string
		module     *analysis.Module
		kubernetes bool
		want       bool
	}{
		{"main module", &analysis.Module{Path: "example.com/p", Main: true}, true, true},
		{"workspace module, as go vet tells it", &analysis.Module{Path: "example.com/p"}, true, true},
		{"no module known", nil, true, true},
		{"module of somebody else", &analysis.Module{Path: "example.com/p", Version: "v1.0.0"}, true, false},
		{"nothing of Kubernetes", &analysis.Module{Path: "example.com/p", Main: true}, false, false},
	} {
		s := build(t, "func f() {}", test.module, test.kubernetes)
		if got := s.Pkg != nil; got != test.want {
			t.Errorf("%s: built %t, want %t", test.name, got, test.want)
		}
		if s.Pkg == nil && s.Funcs != nil {
			t.Errorf("%s: functions without a package", test.name)
		}
	}
}

func TestPlainPackages(t *testing.T) {
	for src, want := range map[string]bool{
		"func f(x int) int { for i := 0; i < x; i++ { x += i }; return x }":           false,
		"import \"time\"\nfunc f(t time.Time) time.Duration { return time.Since(t) }": false,
		"import \"time\"\nfunc f() { time.Sleep(time.Second) }":                       true,
		"import \"context\"\nfunc f(ctx context.Context) error { return ctx.Err() }":  true,
		"func f(g func()) { go g() }":                                                 true,
		"func f(c <-chan int) int { return <-c }":                                     true,
		"func f(g func() bool) { for { if g() { return } } }":                         true,
	} {
		s := build(t, src, &analysis.Module{Path: "example.com/p", Main: true}, false)
		if got := s.Pkg != nil; got != want {
			t.Errorf("%s\nbuilt %t, want %t", src, got, want)
		}
	}
}

func TestFuncsAreInSourceOrder(t *testing.T) {
	s := build(t, `
var hook = func() { go func() {}() }
type T struct{}
func b() { func() { func() {}() }() }
func (*T) m() {}
func a[E any](E) {}
func init() {}
func init() {}
func _() {}
func external()
`, nil, true)
	var names []string
	for _, fn := range s.Funcs {
		names = append(names, fn.Name())
	}
	want := []string{"b", "b$1", "b$1$1", "m", "a", "init#1", "init#2", "_", "external", "init$1", "init$1$1"}
	if !slices.Equal(names, want) {
		t.Errorf("functions %v, want %v", names, want)
	}
}

func TestNothingFollowsWhatNeverReturns(t *testing.T) {
	for call, preds := range map[string]int{"os.Exit(1)": 1, `log.Fatalf("no")`: 1, "runtime.Goexit()": 1, `log.Print("well")`: 2} {
		s := build(t, `
import ("log"; "os"; "runtime")
var _, _, _ = log.Print, os.Exit, runtime.Goexit
func f(x int) {
	if x > 0 { `+call+` }
	println(x)
}
`, nil, true)
		for _, block := range s.Pkg.Func("f").Blocks {
			if _, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return); ok && len(block.Preds) != preds {
				t.Errorf("%s: what follows has %d predecessors, want %d", call, len(block.Preds), preds)
			}
		}
	}
}

func funcNames(s *SSA) string {
	var names []string
	for _, fn := range s.Funcs {
		names = append(names, fn.Name())
	}
	return strings.Join(names, " ")
}

func TestTestFiles(t *testing.T) {
	sources := map[string]string{
		"a.go": "package p\nfunc used() {}\n",
		"p_test.go": `package p
var _ = func() int { used(); return 1 }()
type fake struct{}
func test() { used() }
func init() { used() }
func init() { used() }
func _() { used() }
`,
	}
	s := buildFiles(t, sources, nil, true)
	if got, want := funcNames(s), "used"; got != want {
		t.Errorf("functions %q, want %q", got, want)
	}
	if test := s.Pkg.Func("test"); test == nil || test.Blocks != nil {
		t.Errorf("test is %v, want it without a body", test)
	}
	for name, want := range map[string]bool{"used": true, "test": false, "fake": false} {
		if got := s.Wanted(s.Pkg.Pkg.Scope().Lookup(name).Pos()); got != want {
			t.Errorf("%s: wanted %t, want %t", name, got, want)
		}
	}

	// The flag of any analyzer makes them interesting.
	a := rule.New(rule.Spec{Name: "sample", DocSource: "// Package sample is for tests.\n//\n// It does nothing.\npackage sample\n"})
	if err := a.Flags.Set("tests", "true"); err != nil {
		t.Fatal(err)
	}
	defer a.Flags.Set("tests", "false")
	if got, want := funcNames(buildFiles(t, sources, nil, true)), "used test init#1 init#2 _ init$1"; got != want {
		t.Errorf("with -tests: functions %q, want %q", got, want)
	}
}

func TestGeneratedSerializers(t *testing.T) {
	const src = `package p
type T struct{}
func (t T) Marshal() ([]byte, error) { return nil, t.validate() }
func (t T) Unmarshal(data []byte) error { return nil }
func (t T) Size() int { return 0 }
func (t T) String(verbose bool) string { return "" }
func (t T) validate() error { return nil }
func Marshal() ([]byte, error) { return T{}.Marshal() }
`
	for _, test := range []struct{ comment, want string }{
		{"", "Marshal Unmarshal Size String validate Marshal"},
		{"// Code generated by x. DO NOT EDIT.\n\n", "String validate Marshal"},
	} {
		s := buildFiles(t, map[string]string{"p.go": test.comment + src, "q.go": "package p\n"}, nil, true)
		if got := funcNames(s); got != test.want {
			t.Errorf("functions %q, want %q", got, test.want)
		}
	}
}

func TestGeneratedPackage(t *testing.T) {
	sources := map[string]string{"p.go": "// Code generated by x. DO NOT EDIT.\n\npackage p\nfunc f() {}\n"}
	if s := buildFiles(t, sources, nil, true); s.Pkg != nil {
		t.Error("built")
	}
	a := rule.New(rule.Spec{Name: "sample", DocSource: "// Package sample is for tests.\n//\n// It does nothing.\npackage sample\n"})
	if err := a.Flags.Set("generated", "true"); err != nil {
		t.Fatal(err)
	}
	defer a.Flags.Set("generated", "false")
	if s := buildFiles(t, sources, nil, true); s.Pkg == nil {
		t.Error("not built, although generated code was asked for")
	}
}
