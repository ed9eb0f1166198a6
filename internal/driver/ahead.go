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

// unchecked are packages that have been listed, and not type-checked.
type unchecked struct {
	*source
	imports map[*packages.Package]map[string]*packages.Package // of the user's, which Imports do not keep
	late    *late
	failed  atomic.Bool // that one has an error
}

// errNotListed says that packages must be loaded as a whole.
var errNotListed = errors.New("they must be loaded as a whole")

// canList reports whether packages may be type-checked one by one. Variants for tests
// make two of a package that others import.
func (opts LoadOptions) canList() bool {
	driver := os.Getenv("GOPACKAGESDRIVER")
	return opts.OneByOne && !opts.Tests && opts.FromSource == nil && (driver == "" || driver == "off")
}

// newUnchecked takes packages that were listed, and reads what they import.
func newUnchecked(opts LoadOptions, pkgs []*packages.Package) (*unchecked, error) {
	u := &unchecked{source: newSource(opts), imports: make(map[*packages.Package]map[string]*packages.Package)}
	for _, pkg := range pkgs {
		// A package may have no files but tests: there is nothing in it then, and nothing wrong with it.
		if !isUserPackage(pkg) || isUnmatched(pkg) || !slices.Equal(pkg.GoFiles, pkg.CompiledGoFiles) {
			return nil, errNotListed
		}
		u.imports[pkg] = make(map[string]*packages.Package)
	}
	foreign := u.sort(pkgs)
	if foreign == nil {
		return nil, errNotListed
	}
	for _, pkg := range pkgs {
		u.declare(pkg)
		pkg.TypesInfo = new(types.Info) // to come
	}
	return u, u.begin(pkgs, foreign)
}

// begin reads others' packages, one after the other. Meanwhile as many of the user's are
// parsed as can be; the rest when their turn comes, so that they are not in memory before.
func (u *unchecked) begin(pkgs, foreign []*packages.Package) error {
	var group errgroup.Group
	var done atomic.Bool
	group.Go(func() error {
		defer done.Store(true)
		for _, pkg := range foreign {
			if err := u.read(pkg.PkgPath, pkg.ExportFile, u.foreign); err != nil {
				return err
			}
		}
		return nil
	})
	var inOrder []*packages.Package
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		if u.imports[pkg] != nil {
			inOrder = append(inOrder, pkg)
		}
	})
	for _, pkg := range inOrder {
		if done.Load() {
			break
		}
		if err := u.parse([]*packages.Package{pkg}); err != nil {
			_ = group.Wait()
			return err
		}
	}
	return group.Wait()
}

// sort sorts what packages import: the user's, and those of others in the order in which
// they import each other. It returns nil if the packages must be loaded as a whole.
func (u *unchecked) sort(pkgs []*packages.Package) (foreign []*packages.Package) {
	isUsers := func(pkg *packages.Package) bool { return u.imports[pkg] != nil }
	u.late = findLate(u.source, pkgs, isUsers)
	needed := make(map[*packages.Package]bool)
	for _, pkg := range pkgs {
		for path, imported := range pkg.Imports {
			switch {
			case path != imported.PkgPath:
				return nil
			case isUsers(imported), u.late.imports[imported] != nil:
				u.imports[pkg][path] = imported
			default:
				needed[imported] = true
			}
		}
	}
	for pkg := range u.late.imports {
		for _, imported := range pkg.Imports {
			needed[imported] = needed[imported] || !isUsers(imported) && u.late.imports[imported] == nil
		}
	}
	foreign, wrong := []*packages.Package{}, false
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		wrong = wrong || len(pkg.Errors) > 0
		if needed[pkg] && pkg.PkgPath != "unsafe" {
			foreign = append(foreign, pkg)
		}
	})
	if wrong {
		return nil
	}
	return foreign
}

// before returns what must have been type-checked before a package, beside what it
// imports of the user's.
func (u *unchecked) before(pkg *packages.Package) []*packages.Package {
	if u == nil {
		return nil
	}
	return u.late.before(pkg)
}

// complete parses and type-checks a package; false if anything is the matter with it, or was with
// another one.
func (u *unchecked) complete(pkg *packages.Package) bool {
	if u.failed.Load() {
		return false
	}
	err := u.late.read(pkg)
	if err == nil && pkg.Syntax == nil {
		err = u.parse([]*packages.Package{pkg})
	}
	if err == nil {
		err = u.check(pkg, u.imports[pkg])
	}
	if err != nil {
		u.failed.Store(true)
	}
	return err == nil
}
