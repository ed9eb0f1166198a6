package rule

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/relevant"
)

// TestConditions looks at what findings depend on, by the place at which they stand.
func TestConditions(t *testing.T) {
	const src = `package p

var list = leak()

var other = func() int { return leak() }

type T struct{}

func (*T) method() { leak() }

func outer() {
	crash()
	func() { leak() }()
	held()
}

func leak() int { return 0 }
func crash()    {}
func held()     {}
`
	a := New(Spec{
		Name: "sample", Summary: "s", DocSource: docSource,
		Categories: []Category{{Name: "leak", Harm: Leak, EndsWithProcess: true}, {Name: "crash", Harm: Crash}, {Name: "held", Harm: Crash}},
		Run: func(pass *analysis.Pass, report *Reporter) error {
			ast.Inspect(pass.Files[0], func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				name, ok := call.Fun.(*ast.Ident)
				if !ok {
					return true
				}
				tell := func() { report.Report(Finding{Pos: call.Pos(), Category: name.Name, Message: "m"}) }
				if name.Name == "held" {
					report.IfServed(tell)
				} else {
					tell()
				}
				return true
			})
			return nil
		},
	})
	want := []Condition{
		{Kind: ReachedFromServer, Func: "example.com/p.init"},
		{Kind: ReachedFromServer, Func: "example.com/p@p.go:42"},
		{Kind: ReachedFromServer, Func: "(*example.com/p.T).method"},
		{Kind: RunsOutsideTests, Func: "example.com/p.outer"},
		{Kind: ReachedFromServer, Func: "example.com/p@p.go:145"},
		{Kind: ReachedFromServer, Func: "example.com/p.outer", Unlikely: true},
	}
	found, reported := conditionsOf(t, a, src)
	if len(found) != 5 || reported != 5 {
		t.Errorf("where nobody settles anything, %d findings, of which %d are reported; want 5", len(found), reported)
	}
	for _, d := range found {
		if d.If != nil {
			t.Errorf("a finding depends on %v, which nobody settles", *d.If)
		}
	}

	wholeProgram.Store(true)
	defer wholeProgram.Store(false)
	found, reported = conditionsOf(t, a, src)
	if len(found) != len(want) || reported != 5 {
		t.Fatalf("%d findings, of which %d are reported; want %d and 5", len(found), reported, len(want))
	}
	for i, d := range found {
		if d.If == nil || !reflect.DeepEqual(*d.If, want[i]) {
			t.Errorf("finding %d depends on %v, want %v", i, d.If, want[i])
		}
	}
}

// conditionsOf runs an analyzer over a file, and returns what it finds and how many of
// that it reports.
func conditionsOf(t *testing.T, a *analysis.Analyzer, src string) (found []Diagnostic, reported int) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Defs: make(map[*ast.Ident]types.Object)}
	conf := types.Config{Importer: importer.Default()}
	pkg, err := conf.Check("example.com/p", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Run(&analysis.Pass{
		Analyzer: a, Fset: fset, Pkg: pkg, Files: []*ast.File{file}, TypesInfo: info,
		ResultOf: map[*analysis.Analyzer]any{relevant.Analyzer: &relevant.Result{Kubernetes: true}},
		Report:   func(analysis.Diagnostic) { reported++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	return result.(*Outcome).Found(), reported
}
