package reach

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/driver"
)

// world is the module of cases, its packages from source and all that they
// import from export data, which is read once for all changed packages.
type world struct {
	fset  *token.FileSet
	cases []*packages.Package
	types map[string]*types.Package
	byPkg map[string]*packages.Package

	aliases map[string]int // see alias
}

// load loads the packages that match the patterns in the module at dir.
func load(dir string, patterns ...string) (*world, error) {
	w := &world{fset: token.NewFileSet(), types: make(map[string]*types.Package), byPkg: make(map[string]*packages.Package), aliases: make(map[string]int)}
	cfg := &packages.Config{
		Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir, Fset: w.fset,
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			return parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		},
	}
	var err error
	if w.cases, err = packages.Load(cfg, patterns...); err != nil {
		return nil, fmt.Errorf("loading the cases: %w", err)
	}
	own := make(map[*packages.Package]bool)
	for _, pkg := range w.cases {
		if len(pkg.Errors) > 0 {
			return nil, fmt.Errorf("loading the cases: %w", pkg.Errors[0])
		}
		own[pkg] = true
		w.byPkg[pkg.PkgPath] = pkg
	}
	for _, pkg := range w.cases {
		w.know(pkg.Types)
		maps.DeleteFunc(pkg.Imports, func(_ string, imported *packages.Package) bool { return !own[imported] })
	}
	return w, nil
}

// know notes a package and all that it imports.
func (w *world) know(pkg *types.Package) {
	if known := w.types[pkg.Path()]; known != nil && (known == pkg || known.Complete()) {
		return
	}
	w.types[pkg.Path()] = pkg
	for _, imported := range pkg.Imports() {
		w.know(imported)
	}
}

// Import returns a package that some case imports.
func (w *world) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := w.types[path]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("no case imports %s", path)
}

// source is the text of a file.
type source struct{ name, text string }

func sourcesOf(w *world, pkg *packages.Package) ([]source, error) {
	var files []source
	for _, file := range pkg.Syntax {
		name := w.fset.File(file.FileStart).Name()
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, source{name, string(text)})
	}
	return files, nil
}

// check type-checks a package that is like another one but for its path and its
// files, and returns the places where it does not compile.
func (w *world) check(like *packages.Package, path string, files []source, imports map[string]*packages.Package) (*packages.Package, []types.Error) {
	pkg := &packages.Package{
		ID: path, PkgPath: path, Module: like.Module, Fset: w.fset, TypesSizes: like.TypesSizes,
		Imports: maps.Clone(like.Imports),
		TypesInfo: &types.Info{
			Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
			Uses: make(map[*ast.Ident]types.Object), Implicits: make(map[ast.Node]types.Object),
			Instances: make(map[*ast.Ident]types.Instance), Scopes: make(map[ast.Node]*types.Scope),
			Selections: make(map[*ast.SelectorExpr]*types.Selection), FileVersions: make(map[*ast.File]string),
		},
	}
	var errs []types.Error
	for _, f := range files {
		file, err := parser.ParseFile(w.fset, f.name, f.text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, []types.Error{{Fset: w.fset, Msg: err.Error(), Pos: file.Package}}
		}
		pkg.Syntax, pkg.GoFiles = append(pkg.Syntax, file), append(pkg.GoFiles, f.name)
		for _, spec := range file.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			if p := imports[imported]; p != nil {
				pkg.Imports[imported] = p
			} else if p := w.byPkg[imported]; p != nil {
				pkg.Imports[imported] = p
			}
		}
	}
	conf := types.Config{
		Importer: importerFunc(func(path string) (*types.Package, error) {
			if p := imports[path]; p != nil {
				return p.Types, nil
			}
			return w.Import(path)
		}),
		Sizes: like.TypesSizes, GoVersion: "go" + like.Module.GoVersion,
		Error: func(err error) {
			if err := err.(types.Error); !strings.HasSuffix(err.Msg, "imported and not used") && !strings.Contains(err.Msg, "imported as") {
				errs = append(errs, err)
			}
		},
	}
	pkg.Types, _ = conf.Check(path, w.fset, pkg.Syntax, pkg.TypesInfo)
	pkg.Name = like.Name
	return pkg, errs
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// analyse runs an analyzer over packages and those of the cases that they
// import, and returns its findings by package.
func (w *world) analyse(a *analysis.Analyzer, pkgs []*packages.Package) (map[string][]driver.Finding, error) {
	var all []*packages.Package
	seen := make(map[*packages.Package]bool)
	var visit func(pkg *packages.Package)
	visit = func(pkg *packages.Package) {
		if seen[pkg] {
			return
		}
		seen[pkg] = true
		for _, imported := range pkg.Imports {
			visit(imported)
		}
		all = append(all, pkg)
	}
	for _, pkg := range pkgs {
		visit(pkg)
	}
	prog, err := driver.NewProgram(all)
	if err != nil {
		return nil, err
	}
	result, err := prog.Analyze([]*analysis.Analyzer{a})
	if err != nil {
		return nil, err
	}
	if len(result.Problems) > 0 {
		return nil, fmt.Errorf("%s: %s", a.Name, strings.Join(result.Problems, "\n"))
	}
	found := make(map[string][]driver.Finding)
	for _, f := range result.Findings {
		found[f.PackageID] = append(found[f.PackageID], f)
	}
	return found, nil
}
