package values_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"iter"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestComplete fails when go/ssa has a kind of value that the relation does not
// name: one that is passed over in silence is lost for every rule.
func TestComplete(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "values.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	named := make(map[string]bool)
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == "step" {
			ast.Inspect(fn, func(n ast.Node) bool {
				if clause, ok := n.(*ast.CaseClause); ok {
					for _, kind := range clause.List {
						named[types.ExprString(kind)] = true
					}
				}
				return true
			})
		}
	}
	found := 0
	for name := range kindsOfValues(t) {
		found++
		if !named["*ssa."+name] {
			t.Errorf("%s is a value of go/ssa, and step does not say what it is made of", name)
		}
	}
	if found < 25 {
		t.Errorf("go/ssa has %d kinds of values: are they looked for in the right way?", found)
	}
}

// kindsOfValues yields the kinds of values that go/ssa has.
func kindsOfValues(t *testing.T) iter.Seq[string] {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedTypes | packages.NeedName}, "golang.org/x/tools/go/ssa")
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		t.Fatalf("loading go/ssa: %v", err)
	}
	scope := pkgs[0].Types.Scope()
	value := scope.Lookup("Value").Type().Underlying().(*types.Interface)
	return func(yield func(string) bool) {
		for _, name := range scope.Names() {
			obj, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || !obj.Exported() || types.IsInterface(obj.Type()) || !types.Implements(types.NewPointer(obj.Type()), value) {
				continue
			}
			if !yield(name) {
				return
			}
		}
	}
}
