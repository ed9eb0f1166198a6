package edit

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

func TestQualifier(t *testing.T) {
	for name, test := range map[string]struct {
		src, want string
		ok        bool
	}{
		"plain":                 {"import \"strings\"\n\nvar _ = strings.ToUpper\n\nfunc f() { here() }", "strings.", true},
		"renamed":               {"import text \"strings\"\n\nvar _ = text.ToUpper\n\nfunc f() { here() }", "text.", true},
		"dot":                   {"import . \"strings\"\n\nvar _ = ToUpper\n\nfunc f() { here() }", "", true},
		"dot, shadowed":         {"import . \"strings\"\n\nvar _ = ToUpper\n\nfunc f() { ToLower := 1; here(); _ = ToLower }", "", false},
		"blank":                 {"import _ \"strings\"\n\nfunc f() { here() }", "", false},
		"blank and plain":       {"import (\n\t_ \"strings\"\n\t\"strings\"\n)\n\nvar _ = strings.ToUpper\n\nfunc f() { here() }", "strings.", true},
		"not imported":          {"func f() { here() }", "", false},
		"shadowed by parameter": {"import \"strings\"\n\nvar _ = strings.ToUpper\n\nfunc f(strings int) { here() }", "", false},
		"shadowed later":        {"import \"strings\"\n\nvar _ = strings.ToUpper\n\nfunc f() { here(); strings := 1; _ = strings }", "strings.", true},
		"shadowed in a literal": {"import \"strings\"\n\nvar _ = strings.ToUpper\n\nfunc f() { func(strings int) { here() }(1) }", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			pass, pos := load(t, "package p\n\n"+test.src+"\n\nfunc here() {}\n")
			if got, want := Imports(pass, pos, "strings"), name != "not imported"; got != want {
				t.Errorf("imports strings: %t", got)
			}
			if got, ok := Qualifier(pass, pos, "strings", "ToLower"); got != test.want || ok != test.ok {
				t.Errorf("got %q, %t, want %q, %t", got, ok, test.want, test.ok)
			}
		})
	}
}

func TestIsFree(t *testing.T) {
	pass, pos := load(t, "package p\n\nimport \"strings\"\n\nvar _ = strings.ToUpper\n\nfunc f(taken int) { here(); later := 1; _ = later }\n\nfunc here() {}\n")
	for name, want := range map[string]bool{"strings": false, "taken": false, "f": false, "int": false, "other": true} {
		if got := IsFree(pass, pos, name); got != want {
			t.Errorf("%s is free: %t", name, got)
		}
	}
}

// What is imported is type-checked once for all tests.
var (
	fset     = token.NewFileSet()
	imported = importer.ForCompiler(fset, "source", nil)
)

// load type-checks a file and returns the place of the call of here.
func load(t *testing.T, src string) (*analysis.Pass, token.Pos) {
	t.Helper()
	file, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Implicits: make(map[ast.Node]types.Object), Defs: make(map[*ast.Ident]types.Object), Scopes: make(map[ast.Node]*types.Scope)}
	conf := types.Config{Importer: imported}
	pkg, err := conf.Check("p", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	return &analysis.Pass{Fset: fset, Files: []*ast.File{file}, Pkg: pkg, TypesInfo: info}, file.FileStart + token.Pos(strings.Index(src, "here()"))
}
