package driver

import (
	"errors"
	"go/types"
	"os"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/packages"
)

// x/tools' loader type-checks all packages before the first one can be analysed, and
// what it notes about every expression in them is most of what a large operator takes in
// memory. Here each package is type-checked when it is analysed, and what was noted goes
// with its syntax. That is done only where nothing is the matter with any package: what
// to tell of errors, x/tools knows. So at the first one, all is loaded once more.

// listMode is what the go command tells of packages.
const listMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
	packages.NeedExportFile | packages.NeedTypesSizes | packages.NeedModule | packages.NeedForTest

// unchecked are packages that have been parsed, and not type-checked.
type unchecked struct {
	*source
	imports map[*packages.Package]map[string]*packages.Package // of the user's, which Imports do not keep
	failed  atomic.Bool                                        // that one has an error
}

// errNotListed says that packages must be loaded as a whole.
var errNotListed = errors.New("they must be loaded as a whole")

// canList reports whether packages may be type-checked one by one. Variants for tests
// make two of a package that others import.
func (opts LoadOptions) canList() bool {
	driver := os.Getenv("GOPACKAGESDRIVER")
	return opts.OneByOne && !opts.Tests && opts.FromSource == nil && (driver == "" || driver == "off")
}

// newUnchecked parses the packages that were listed, and reads what they import.
func newUnchecked(opts LoadOptions, pkgs []*packages.Package) (*unchecked, error) {
	u := &unchecked{source: newSource(opts), imports: make(map[*packages.Package]map[string]*packages.Package)}
	for _, pkg := range pkgs {
		// A package may have no files but tests: there is nothing in it then, and nothing wrong with it.
		if !isUserPackage(pkg) || isUnmatched(pkg) || !slices.Equal(pkg.GoFiles, pkg.CompiledGoFiles) {
			return nil, errNotListed
		}
		u.imports[pkg] = make(map[string]*packages.Package)
	}
	foreign, err := u.sort(pkgs)
	if err != nil {
		return nil, err
	}
	for _, pkg := range pkgs {
		u.declare(pkg)
		pkg.TypesInfo = new(types.Info) // to come
	}
	var group errgroup.Group
	group.Go(func() error { return u.parse(pkgs) })
	group.Go(func() error {
		for _, pkg := range foreign {
			if err := u.readOne(pkg); err != nil {
				return err
			}
		}
		return nil
	})
	return u, group.Wait()
}

// sort sorts what packages import: the user's, and those of others in the order in which
// they import each other.
func (u *unchecked) sort(pkgs []*packages.Package) (foreign []*packages.Package, err error) {
	needed := make(map[*packages.Package]bool)
	for _, pkg := range pkgs {
		for path, imported := range pkg.Imports {
			switch _, isUsers := u.imports[imported]; {
			case path != imported.PkgPath:
				return nil, errNotListed
			case isUsers:
				u.imports[pkg][path] = imported
			case path != "unsafe":
				needed[imported] = true
			}
		}
	}
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		_, isUsers := u.imports[pkg]
		if len(pkg.Errors) > 0 {
			err = errNotListed
		}
		for _, imported := range pkg.Imports {
			if _, ofUsers := u.imports[imported]; ofUsers && !isUsers {
				err = errNotListed // and what imports that
			}
		}
		if needed[pkg] {
			foreign = append(foreign, pkg)
		}
	})
	return foreign, err
}

func (u *unchecked) readOne(pkg *packages.Package) error {
	file, err := os.Open(pkg.ExportFile)
	if err != nil {
		return err
	}
	defer file.Close()
	return u.read(pkg.PkgPath, file)
}

// complete type-checks a package; false if anything is the matter with it, or was with
// another one.
func (u *unchecked) complete(pkg *packages.Package) bool {
	if u.failed.Load() {
		return false
	}
	if err := u.check(pkg, u.imports[pkg]); err != nil {
		u.failed.Store(true)
		return false
	}
	return true
}
