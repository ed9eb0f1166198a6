package driver

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// TestOneByOne checks that packages which are type-checked when they are analysed give
// what packages give that have been type-checked before.
func TestOneByOne(t *testing.T) {
	functions := &analysis.Analyzer{Name: "functions", Doc: "tell functions and their types", FactTypes: []analysis.Fact{new(label)}, Run: func(pass *analysis.Pass) (any, error) {
		for _, file := range pass.Files {
			for _, decl := range file.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok {
					pass.ReportRangef(fn.Name, "%v, called %d times before", pass.TypesInfo.Defs[fn.Name].Type(), len(pass.AllObjectFacts()))
					pass.ExportObjectFact(pass.TypesInfo.Defs[fn.Name], &label{Text: fn.Name.Name})
				}
			}
		}
		return nil, nil
	}}
	files := map[string]string{
		"go.mod": "module m.example\n\ngo 1.24\n",
		"a/a.go": "package a\n\nimport \"strings\"\n\nfunc A(b *strings.Builder) int { return b.Len() }\n",
		"b/b.go": "package b\n\nimport (\n\t\"strings\"\n\t\"unsafe\"\n\n\t\"m.example/a\"\n)\n\nfunc B() uintptr { return unsafe.Sizeof(a.A(new(strings.Builder))) }\n",
	}
	for _, test := range []struct {
		name, b           string // instead of what is in b
		listed, unchecked bool   // whether packages are type-checked one by one, and to the end
	}{
		{name: "no errors", listed: true, unchecked: true},
		{name: "error that only shows later", listed: true},
		{name: "error that the compiler finds", b: "package b\n\nimport \"m.example/a\"\n\nvar B string = a.A(nil)\n"},
		{name: "import of nothing", b: "package b\n\nimport _ \"m.example/nothing\"\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range files {
				if name == "b/b.go" && test.b != "" {
					text = test.b
				}
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			var got [2]string
			for i, oneByOne := range []bool{false, true} {
				program, err := Load(LoadOptions{Dir: dir, OneByOne: oneByOne})
				if err != nil {
					t.Fatal(err)
				}
				if listed := program.unchecked != nil; listed != (oneByOne && test.listed) {
					t.Errorf("one by one: %t", listed)
				}
				if program.unchecked != nil && !test.unchecked {
					program.unchecked.failed.Store(true)
				}
				result, err := program.Analyze([]*analysis.Analyzer{functions})
				if err != nil {
					t.Fatal(err)
				}
				var lines []string
				for _, f := range result.Findings {
					lines = append(lines, fmt.Sprint(f.Posn, f.End, f.Diagnostic.Message))
				}
				got[i] = strings.Join(slices.Concat(lines, result.Problems), "\n")
			}
			if got[0] == "" || got[0] != got[1] {
				t.Errorf("at once:\n%s\none by one:\n%s", got[0], got[1])
			}
		})
	}
}
