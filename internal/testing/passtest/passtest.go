// Package passtest helps to test the shared passes, which report nothing: it
// runs them over packages or over a snippet of source, and reads what the
// cases say that a pass should find.
package passtest

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/report/guard"
)

// Result is what a pass has made of one package.
type Result[T any] struct {
	Package *packages.Package
	Value   T
}

// Run loads the packages that match the patterns in dir from syntax and all
// others from export data, as the drivers do, and runs a pass over them, with
// facts flowing between them. The results are keyed by package path.
func Run[T any](t *testing.T, a *analysis.Analyzer, dir string, patterns ...string) map[string]Result[T] {
	t.Helper()
	results := make(map[string]Result[T])
	for _, act := range analyze(t, a, dir, patterns) {
		results[act.Package.PkgPath] = Result[T]{act.Package, act.Result.(T)}
	}
	return results
}

func analyze(t *testing.T, a *analysis.Analyzer, dir string, patterns []string) []*checker.Action {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(pkgs) > 0 {
		t.Fatalf("the packages %v of %s do not compile", patterns, dir)
	}
	roots := make(map[*packages.Package]bool)
	for _, pkg := range pkgs {
		roots[pkg] = true
	}
	for _, pkg := range pkgs {
		maps.DeleteFunc(pkg.Imports, func(_ string, imported *packages.Package) bool { return !roots[imported] })
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{a}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Fatal(act.Err)
		}
		if failure := guard.Of(act.Package.Types, a); failure != nil {
			t.Fatalf("%s: %v", failure.Pass, failure)
		}
	}
	return graph.Roots
}

// stdlib gives the snippets the standard library, which is read once.
var (
	stdlibFset = token.NewFileSet()
	stdlib     = sync.OnceValue(func() types.Importer { return importer.ForCompiler(stdlibFset, "gc", nil) })
	stdlibLock sync.Mutex
)

// Source runs a pass, and what it requires, over one package of a single file
// without going through the go command. The package counts as one that uses
// Kubernetes; the snippet begins after the package clause, which names it p.
func Source[T any](t *testing.T, a *analysis.Analyzer, src string) T {
	t.Helper()
	stdlibLock.Lock()
	defer stdlibLock.Unlock()
	file, err := parser.ParseFile(stdlibFset, "p.go", "package p\n"+src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
		Uses: make(map[*ast.Ident]types.Object), Implicits: make(map[ast.Node]types.Object),
		Instances: make(map[*ast.Ident]types.Instance), Scopes: make(map[ast.Node]*types.Scope),
		Selections: make(map[*ast.SelectorExpr]*types.Selection), FileVersions: make(map[*ast.File]string),
	}
	conf := types.Config{Importer: stdlib()}
	pkg, err := conf.Check("example.com/p", stdlibFset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	machinery := types.NewPackage("k8s.io/apimachinery/pkg/runtime", "runtime")
	machinery.MarkComplete()
	pkg.SetImports(append(pkg.Imports(), machinery))

	pass := &analysis.Pass{
		Fset: stdlibFset, Files: []*ast.File{file}, Pkg: pkg, TypesInfo: info, ResultOf: make(map[*analysis.Analyzer]any),
		// There are no other packages of the user's that could have facts, or
		// read them.
		ExportObjectFact:  func(types.Object, analysis.Fact) {},
		ImportObjectFact:  func(types.Object, analysis.Fact) bool { return false },
		ExportPackageFact: func(analysis.Fact) {},
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		AllObjectFacts:    func() []analysis.ObjectFact { return nil },
		AllPackageFacts:   func() []analysis.PackageFact { return nil },
	}
	var run func(a *analysis.Analyzer) any
	run = func(a *analysis.Analyzer) any {
		for _, required := range a.Requires {
			if _, done := pass.ResultOf[required]; !done {
				pass.ResultOf[required] = run(required)
			}
		}
		pass.Analyzer = a
		result, err := guard.Run(pass)
		if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", a.Name, err))
		}
		return result
	}
	return run(a).(T)
}

// Expectations are what the cases of a package say, by the name of the
// function or type (methods as Type.Method): its "want" lines in order,
// without that word. Declarations without such lines are left out.
type Expectations map[string][]string

// Wants reads the expectations of a package: lines "// want …" in the
// documentation of functions and types.
func Wants(pkg *packages.Package) Expectations {
	wants := make(Expectations)
	note := func(name string, doc *ast.CommentGroup) {
		if doc == nil {
			return
		}
		for _, c := range doc.List {
			if want, ok := strings.CutPrefix(c.Text, "// want "); ok {
				wants[name] = append(wants[name], want)
			}
		}
	}
	for _, file := range pkg.Syntax {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				name := decl.Name.Name
				if decl.Recv != nil {
					name = typeName(decl.Recv.List[0].Type) + "." + name
				}
				note(name, decl.Doc)
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok {
						note(spec.Name.Name, decl.Doc)
						note(spec.Name.Name, spec.Doc)
					}
				}
			}
		}
	}
	return wants
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// FuncName is the name of a function as [Wants] has it.
func FuncName(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return fn.Name()
	}
	t := types.Unalias(recv.Type())
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj().Name() + "." + fn.Name()
	}
	return fn.Name()
}

// Add appends what was found for a name.
func (e Expectations) Add(name string, found ...string) {
	if len(found) > 0 {
		e[name] = append(e[name], found...)
	}
}
