package driver

import (
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// loadModule loads a module of four packages: c imports b, b imports a, and d
// imports nothing.
func loadModule(t *testing.T) *Program {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m.example\n\ngo 1.26\n",
		"a/a.go": "package a\n\nfunc A() {}\n\nfunc hidden() {}\n",
		"b/b.go": "package b\n\nimport _ \"m.example/a\"\n\nfunc B() {}\n",
		"c/c.go": "package c\n\nimport _ \"m.example/b\"\n\nfunc C() {}\n",
		"d/d.go": "package d\n\nfunc D() {}\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program, err := Load(LoadOptions{Dir: dir})
	if err != nil || len(program.Problems) > 0 || program.Len() != 4 {
		t.Fatalf("loading: %v, %v", err, program)
	}
	return program
}

type label struct{ Text string }

func (*label) AFact() {}

// opaque cannot be encoded.
type opaque struct{ Func func() }

func (*opaque) AFact() {}

func TestFactsComeFromImports(t *testing.T) {
	var mu sync.Mutex
	objects, pkgs := make(map[string][]string), make(map[string][]string)
	labels := &analysis.Analyzer{
		Name: "labels", Doc: "label functions", FactTypes: []analysis.Fact{new(label)},
		Run: func(pass *analysis.Pass) (any, error) {
			for _, name := range pass.Pkg.Scope().Names() {
				pass.ExportObjectFact(pass.Pkg.Scope().Lookup(name), &label{Text: name})
			}
			pass.ExportPackageFact(&label{Text: pass.Pkg.Name()})
			mu.Lock()
			defer mu.Unlock()
			for _, fact := range pass.AllObjectFacts() {
				objects[pass.Pkg.Name()] = append(objects[pass.Pkg.Name()], fact.Object.Name())
				var imported label
				if !pass.ImportObjectFact(fact.Object, &imported) || imported.Text != fact.Object.Name() {
					t.Errorf("fact on %s is %q", fact.Object.Name(), imported.Text)
				}
			}
			for _, fact := range pass.AllPackageFacts() {
				pkgs[pass.Pkg.Name()] = append(pkgs[pass.Pkg.Name()], fact.Package.Name())
				var imported label
				if !pass.ImportPackageFact(fact.Package, &imported) || imported.Text != fact.Package.Name() {
					t.Errorf("fact on package %s is %q", fact.Package.Name(), imported.Text)
				}
			}
			return nil, nil
		},
	}
	program := loadModule(t)
	program.CheckFacts = true
	result, err := program.Analyze([]*analysis.Analyzer{labels})
	if err != nil || len(result.Problems) > 0 {
		t.Fatalf("%v, %v", err, result.Problems)
	}
	for pkg, want := range map[string]string{"a": "A hidden", "b": "A B", "c": "A B C", "d": "D"} {
		slices.Sort(objects[pkg])
		if got := strings.Join(objects[pkg], " "); got != want {
			t.Errorf("package %s sees facts on %q, want %q", pkg, got, want)
		}
	}
	for pkg, want := range map[string]string{"a": "a", "b": "a b", "c": "a b c", "d": "d"} {
		slices.Sort(pkgs[pkg])
		if got := strings.Join(pkgs[pkg], " "); got != want {
			t.Errorf("package %s sees facts on packages %q, want %q", pkg, got, want)
		}
	}
}

func TestFailuresAreProblems(t *testing.T) {
	inA := func(f func(pass *analysis.Pass) (any, error)) func(pass *analysis.Pass) (any, error) {
		return func(pass *analysis.Pass) (any, error) {
			if pass.Pkg.Name() == "a" {
				return f(pass)
			}
			return nil, nil
		}
	}
	for _, test := range []struct {
		name     string
		analyzer *analysis.Analyzer
		want     string // the only problem contains this
		failed   []string
	}{
		{
			"fact that cannot be encoded",
			&analysis.Analyzer{Name: "bad", Doc: "bad", FactTypes: []analysis.Fact{new(opaque)}, Run: inA(func(pass *analysis.Pass) (any, error) {
				pass.ExportPackageFact(&opaque{Func: func() {}})
				return nil, nil
			})},
			"encoding a *driver.opaque fact",
			[]string{"m.example/a", "m.example/b", "m.example/c"},
		},
		{
			"fix outside of any file",
			&analysis.Analyzer{Name: "bad", Doc: "bad", Run: inA(func(pass *analysis.Pass) (any, error) {
				pass.Report(analysis.Diagnostic{Pos: pass.Files[0].Name.Pos(), Message: "x", SuggestedFixes: []analysis.SuggestedFix{
					{Message: "mend", TextEdits: []analysis.TextEdit{{Pos: token.NoPos}}},
				}})
				return nil, nil
			})},
			`the fix "mend" has an edit without a valid place`,
			[]string{"m.example/a"},
		},
		{
			"result of the wrong type",
			&analysis.Analyzer{Name: "bad", Doc: "bad", ResultType: reflect.TypeFor[int](), Run: func(pass *analysis.Pass) (any, error) {
				if pass.Pkg.Name() == "a" {
					return "one", nil
				}
				return 1, nil
			}},
			"result of type string instead of int",
			[]string{"m.example/a"},
		},
		{
			"file of another package",
			&analysis.Analyzer{Name: "bad", Doc: "bad", Run: inA(func(pass *analysis.Pass) (any, error) {
				if _, err := pass.ReadFile(pass.Fset.File(pass.Files[0].FileStart).Name()); err != nil {
					t.Errorf("own file: %v", err)
				}
				_, err := pass.ReadFile("/etc/passwd")
				return nil, err
			})},
			"/etc/passwd is not among",
			[]string{"m.example/a"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			program := loadModule(t)
			program.CheckFacts = true
			result, err := program.Analyze([]*analysis.Analyzer{test.analyzer})
			if err != nil {
				t.Fatal(err)
			}
			if len(result.Problems) != 1 || !strings.Contains(result.Problems[0], test.want) {
				t.Errorf("problems %q, want one with %q", result.Problems, test.want)
			}
			var failed []string
			for pkg := range result.errors {
				failed = append(failed, pkg)
			}
			slices.Sort(failed)
			if !slices.Equal(failed, test.failed) {
				t.Errorf("failed on %v, want %v", failed, test.failed)
			}
			if len(result.Findings) > 0 {
				t.Errorf("findings %v", result.Findings)
			}
		})
	}
}

func TestInvalidAnalyzers(t *testing.T) {
	if _, err := loadModule(t).Analyze([]*analysis.Analyzer{{Name: "no run", Doc: "x"}}); err == nil {
		t.Error("no error")
	}
}
