package driver

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// source reads packages of the user's from source, and what they import of others' from
// export data, where the loader of x/tools would do more than is wanted.
type source struct {
	opts    LoadOptions
	fset    *token.FileSet
	foreign map[string]*types.Package // of others, by path: those that were read, and what they tell of
	bare    sync.Map                  // *token.File -> true: files in which functions have lost their bodies
}

func newSource(opts LoadOptions) *source {
	return &source{opts: opts, fset: token.NewFileSet(), foreign: make(map[string]*types.Package)}
}

// declare gives a package what it has before it is parsed and type-checked.
func (s *source) declare(pkg *packages.Package) {
	pkg.Fset, pkg.Types = s.fset, types.NewPackage(pkg.PkgPath, pkg.Name)
}

// isRead reports whether the export data of a package has been read.
func (s *source) isRead(path string) bool {
	pkg := s.foreign[path]
	return pkg != nil && pkg.Complete()
}

// read reads the export data of a package into those that are known by their paths. That
// completes packages that others have told of, so all is read before anything is
// type-checked; but see [late].
func (s *source) read(path, name string, known map[string]*types.Package) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	r, err := gcexportdata.NewReader(file)
	if err != nil {
		return err
	}
	pkg, err := gcexportdata.Read(r, s.fset, known, path)
	if err == nil && !pkg.Complete() {
		err = fmt.Errorf("the export data of %s is not complete", path)
	}
	return err
}

// parse parses packages.
func (s *source) parse(pkgs []*packages.Package) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0) + 1)
	for _, pkg := range pkgs {
		pkg.Syntax = make([]*ast.File, len(pkg.GoFiles))
		for i, name := range pkg.GoFiles {
			group.Go(func() error {
				src, err := os.ReadFile(name)
				if err != nil {
					return err
				}
				file, err := s.opts.parseFile(s.fset, name, src)
				if err == nil && s.dropMechanical(file) {
					s.bare.Store(s.fset.File(file.FileStart), true)
				}
				pkg.Syntax[i] = file
				return err
			})
		}
	}
	return group.Wait()
}

// dropMechanical takes the bodies of functions that [build] would leave out as soon as
// they are parsed. They are a third of the source of an operator with protobuf's and
// openapi's code for its API, and would be type-checked for nobody. So would the bytes
// of variables, such as descriptors: thousands of constants, of which each is noted
// by the type checker and stored by what initialises the package.
func (s *source) dropMechanical(file *ast.File) (dropped bool) {
	if !rule.IsGenerated(s.fset, file) {
		return false
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Body != nil && kubeapi.IsMechanical(decl) {
				decl.Body, dropped = nil, true
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.ValueSpec); ok {
					dropBytes(spec)
				}
			}
		}
	}
	return dropped
}

// dropBytes leaves of slices of bytes that are written out for variables what their types
// are.
func dropBytes(spec *ast.ValueSpec) {
	for _, value := range spec.Values {
		literal, ok := value.(*ast.CompositeLit)
		if !ok {
			continue
		}
		if slice, ok := literal.Type.(*ast.ArrayType); ok && slice.Len == nil && isBytes(slice.Elt) {
			literal.Elts = slices.DeleteFunc(literal.Elts, func(elt ast.Expr) bool { _, ok := elt.(*ast.BasicLit); return ok })
		}
	}
}

func isBytes(elem ast.Expr) bool {
	name, ok := elem.(*ast.Ident)
	return ok && (name.Name == "byte" || name.Name == "uint8")
}

// isBare reports whether an error is that a file imports what only bodies use that it has
// lost.
func (s *source) isBare(err error) bool {
	var found types.Error
	if !errors.As(err, &found) || !found.Soft {
		return false
	}
	_, ok := s.bare.Load(s.fset.File(found.Pos))
	return ok
}

// check type-checks a package, whose imports must be those of the user's: what others'
// are made of is known by their paths.
func (s *source) check(pkg *packages.Package, imports map[string]*packages.Package) error {
	// Maps that are large enough from the beginning need not grow.
	n := sourceIn(pkg.Syntax)
	pkg.TypesInfo = &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue, n/10), Defs: make(map[*ast.Ident]types.Object, n/50), Uses: make(map[*ast.Ident]types.Object, n/13),
		Implicits: make(map[ast.Node]types.Object), Instances: make(map[*ast.Ident]types.Instance),
		Selections: make(map[*ast.SelectorExpr]*types.Selection, n/70), FileVersions: make(map[*ast.File]string),
	}
	var failed error
	cfg := &types.Config{
		Importer: importerFunc(func(path string) (*types.Package, error) {
			switch imported := imports[path]; {
			case path == "unsafe":
				return types.Unsafe, nil
			case imported != nil:
				return imported.Types, nil
			case s.isRead(path):
				return s.foreign[path], nil
			}
			return nil, fmt.Errorf("%s was not listed", path)
		}),
		Sizes: pkg.TypesSizes,
		Error: func(err error) {
			if failed == nil && !s.isBare(err) {
				failed = err
			}
		},
	}
	if pkg.Module != nil && pkg.Module.GoVersion != "" {
		cfg.GoVersion = "go" + pkg.Module.GoVersion
	}
	if err := types.NewChecker(cfg, s.fset, pkg.Types, pkg.TypesInfo).Files(pkg.Syntax); !s.isBare(err) {
		return cmp.Or(failed, err)
	}
	return failed
}

// sourceIn returns how many bytes the functions of files have. In operators one expression comes with ten
// or eleven of them, one use of a name with thirteen or fourteen.
func sourceIn(files []*ast.File) (bytes int) {
	const declaration = 40
	for _, file := range files {
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				bytes += declaration
				if fn.Body != nil {
					bytes += int(fn.Body.End() - fn.Body.Pos())
				}
			}
		}
	}
	return bytes
}

type importerFunc func(string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }
