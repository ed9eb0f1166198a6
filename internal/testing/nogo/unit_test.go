package nogo

import (
	"encoding/gob"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"runtime"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/gcexportdata"

	"github.com/opvet/opvet/internal/report/guard"
)

// unit is what one run of nogo is given: a package and what is known of those
// that it imports.
type unit struct {
	path      string
	files     []string          // from the working directory, the exec root
	importMap map[string]string // import path in the source -> package path
	exports   map[string]string // package path -> export data
	facts     map[string][]byte // package path -> facts, of direct imports

	// goVersion is that of the SDK; rules_go tells it since v0.61.0. Without
	// it, there are no versions of files either.
	goVersion string
	// factsOnly is set for packages out of nogo's scope, such as those from
	// other repositories: only passes that have facts are run.
	factsOnly bool
	// renamed tells what the compiler has called the files of other packages.
	renamed func(file string) string
}

// outcome is what one run of nogo writes.
type outcome struct {
	fset     *token.FileSet
	findings []finding
	facts    []byte
	results  map[*analysis.Analyzer]any
	made     *factSet
}

type finding struct {
	analyzer   *analysis.Analyzer
	diagnostic analysis.Diagnostic
}

// run analyses the package.
func (u *unit) run(suite []*analysis.Analyzer) (*outcome, error) {
	registerFacts(suite)
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range u.files {
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	info := &types.Info{
		Types:      make(map[ast.Expr]types.TypeAndValue),
		Defs:       make(map[*ast.Ident]types.Object),
		Uses:       make(map[*ast.Ident]types.Object),
		Implicits:  make(map[ast.Node]types.Object),
		Instances:  make(map[*ast.Ident]types.Instance),
		Scopes:     make(map[ast.Node]*types.Scope),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	if u.goVersion != "" {
		info.FileVersions = make(map[*ast.File]string)
	}
	conf := types.Config{GoVersion: u.goVersion, Importer: &importer{unit: u, fset: fset, packages: make(map[string]*types.Package), seen: make(map[*token.File]bool)}}
	pkg, err := conf.Check(u.path, fset, files, info)
	if err != nil {
		return nil, err
	}
	facts, err := readFacts(pkg, u.facts)
	if err != nil {
		return nil, err
	}
	out := &outcome{fset: fset, made: facts, results: make(map[*analysis.Analyzer]any)}
	roots := suite
	if u.factsOnly {
		roots = withFacts(suite)
	}
	run := func(a *analysis.Analyzer) error {
		inputs, kinds := make(map[*analysis.Analyzer]any), make(map[reflect.Type]bool)
		for _, required := range a.Requires {
			inputs[required] = out.results[required]
		}
		for _, fact := range a.FactTypes {
			kinds[reflect.TypeOf(fact)] = true
		}
		result, err := a.Run(&analysis.Pass{
			Analyzer: a, Fset: fset, Files: files, Pkg: pkg, TypesInfo: info, TypesSizes: types.SizesFor("gc", runtime.GOARCH),
			ResultOf:          inputs,
			Report:            func(d analysis.Diagnostic) { out.findings = append(out.findings, finding{a, d}) },
			ImportObjectFact:  facts.importObject,
			ExportObjectFact:  facts.exportObject,
			ImportPackageFact: facts.importPackage,
			ExportPackageFact: facts.exportPackage,
			AllObjectFacts:    func() []analysis.ObjectFact { return facts.allObjects(kinds) },
			AllPackageFacts:   func() []analysis.PackageFact { return facts.allPackages(kinds) },
		})
		if err != nil {
			return fmt.Errorf("%s on %s: %w", a.Name, u.path, err)
		}
		if got := reflect.TypeOf(result); got != a.ResultType {
			return fmt.Errorf("%s on %s: result of type %v instead of %v", a.Name, u.path, got, a.ResultType)
		}
		out.results[a] = result
		return nil
	}
	for _, a := range guard.Passes(roots) {
		if err := run(a); err != nil {
			return nil, err
		}
	}
	out.facts, err = facts.encode()
	return out, err
}

// importer reads types from export data, afresh in each run.
type importer struct {
	unit     *unit
	fset     *token.FileSet
	packages map[string]*types.Package
	seen     map[*token.File]bool
}

func (i *importer) Import(path string) (*types.Package, error) {
	if mapped, ok := i.unit.importMap[path]; ok {
		path = mapped
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := i.packages[path]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	file, err := os.Open(i.unit.exports[path])
	if err != nil {
		return nil, fmt.Errorf("no export data of %s: %w", path, err)
	}
	defer file.Close()
	r, err := gcexportdata.NewReader(file)
	if err != nil {
		return nil, err
	}
	pkg, err := gcexportdata.Read(r, i.fset, i.packages, path)
	if err != nil {
		return nil, err
	}
	i.fset.Iterate(func(f *token.File) bool {
		if _, own := i.unit.ownFile(f.Name()); !own && !i.seen[f] && f.Size() > 0 {
			f.AddLineInfo(0, i.unit.renamed(f.Name()), 1)
		}
		i.seen[f] = true
		return true
	})
	return pkg, nil
}

func (u *unit) ownFile(name string) (int, bool) {
	for i, file := range u.files {
		if file == name {
			return i, true
		}
	}
	return 0, false
}

// withFacts returns those of the closure that have facts.
func withFacts(suite []*analysis.Analyzer) []*analysis.Analyzer {
	var producers []*analysis.Analyzer
	for _, a := range guard.Passes(suite) {
		if len(a.FactTypes) > 0 {
			producers = append(producers, a)
		}
	}
	return producers
}

func registerFacts(suite []*analysis.Analyzer) {
	for _, a := range guard.Passes(suite) {
		for _, fact := range a.FactTypes {
			gob.Register(fact)
		}
	}
}
