package fuzz

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"runtime"
	"strings"

	"golang.org/x/tools/go/packages"
)

// checked is a program that compiles, but for variables, imports and labels
// that are not used.
type checked struct {
	program *program
	pkgs    []*packages.Package // in the order of the program
}

var sizes = types.SizesFor("gc", runtime.GOARCH)

// check parses the packages of a program and checks their types, those before
// the one at index from being taken from old.
func (p *program) check(old *checked, from int) (*checked, error) {
	c := &checked{program: p}
	done := make(map[string]*packages.Package)
	for i, source := range p.pkgs {
		var pkg *packages.Package
		if i < from {
			pkg = old.pkgs[i]
		} else {
			var err error
			if pkg, err = p.checkPackage(source, done); err != nil {
				c.forget(from)
				return nil, err
			}
		}
		done[source.path] = pkg
		c.pkgs = append(c.pkgs, pkg)
	}
	return c, nil
}

// forget takes the files of the packages from an index on out of the file set,
// which would grow with each execution.
func (c *checked) forget(from int) {
	for _, pkg := range c.pkgs[min(from, len(c.pkgs)):] {
		forgetFiles(pkg.Fset, pkg.Syntax)
	}
}

func forgetFiles(fset *token.FileSet, files []*ast.File) {
	for _, file := range files {
		if f := fset.File(file.FileStart); f != nil {
			fset.RemoveFile(f)
		}
	}
}

func (p *program) checkPackage(source *pkgSource, done map[string]*packages.Package) (_ *packages.Package, err error) {
	pkg := &packages.Package{
		ID: source.path, PkgPath: source.path, Module: p.module, Fset: p.fset, TypesSizes: sizes,
		Imports: make(map[string]*packages.Package),
		TypesInfo: &types.Info{
			Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
			Uses: make(map[*ast.Ident]types.Object), Implicits: make(map[ast.Node]types.Object),
			Instances: make(map[*ast.Ident]types.Instance), Scopes: make(map[ast.Node]*types.Scope),
			Selections: make(map[*ast.SelectorExpr]*types.Selection), FileVersions: make(map[*ast.File]string),
		},
	}
	defer func() {
		if err != nil {
			forgetFiles(p.fset, pkg.Syntax)
		}
	}()
	for _, source := range source.files {
		file, err := parser.ParseFile(p.fset, source.name, source.text, parser.ParseComments|parser.SkipObjectResolution)
		if file != nil {
			pkg.Syntax = append(pkg.Syntax, file)
		}
		if err != nil {
			return nil, err
		}
		pkg.Name = file.Name.Name
		pkg.GoFiles = append(pkg.GoFiles, source.name)
	}
	conf := types.Config{
		GoVersion: "go" + p.module.GoVersion,
		Sizes:     sizes,
		Importer: importer(func(path string) (*types.Package, error) {
			if own := done[path]; own != nil {
				pkg.Imports[path] = own
				return own.Types, nil
			}
			return p.Import(path)
		}),
		Error: func(found error) {
			if e := (types.Error{}); errors.As(found, &e) && strings.Contains(e.Msg, "and not used") {
				pkg.TypeErrors = append(pkg.TypeErrors, e)
			} else {
				err = errors.Join(err, found)
			}
		},
	}
	pkg.Types, _ = conf.Check(source.path, p.fset, pkg.Syntax, pkg.TypesInfo) // err has what counts
	return pkg, err
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
