package ssabuild

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// build runs the pass over one file. kubernetes says whether the package
// imports Kubernetes packages.
func build(t *testing.T, src string, module *analysis.Module, kubernetes bool) *SSA {
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
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	conf := types.Config{Importer: importer.Default()}
	pkg, err := conf.Check("example.com/p", fset, []*ast.File{file}, info)
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
	result, err := Analyzer.Run(&analysis.Pass{Fset: fset, Files: []*ast.File{file}, Pkg: pkg, TypesInfo: info, Module: module})
	if err != nil {
		t.Fatal(err)
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
