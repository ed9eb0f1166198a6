package driver

import (
	"go/types"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

// late are packages of others that import the user's, as a library does that knows the
// user's API. What their export data tells of the user's packages would make a second
// package of each. So it is read when these have been type-checked, and finds them.
//
// Meanwhile others are type-checked. What is read then must not add anything to a package
// that they may look at: all that late packages import is complete before.
type late struct {
	*source
	imports map[*packages.Package]*lateImports // of all late packages
	needs   map[*packages.Package]*lateImports // of the user's packages that import some
	users   []*packages.Package

	mu    sync.Mutex                // guards the rest, and Types of the late packages
	known map[string]*types.Package // all packages by path; nil as long as none has been read
}

// lateImports are what a late package imports, directly or through others' packages.
type lateImports struct {
	users map[*packages.Package]bool
	late  []*packages.Package // each after what it imports
}

func findLate(s *source, users []*packages.Package, isUsers func(*packages.Package) bool) *late {
	l := &late{source: s, imports: make(map[*packages.Package]*lateImports), needs: make(map[*packages.Package]*lateImports), users: users}
	packages.Visit(users, nil, func(pkg *packages.Package) { // each after what it imports
		if isUsers(pkg) {
			if needs := l.of(pkg.Imports); len(needs.late) > 0 {
				l.needs[pkg] = needs
			}
			return
		}
		of := l.of(pkg.Imports)
		for _, imported := range pkg.Imports {
			if isUsers(imported) {
				of.users[imported] = true
			}
		}
		if len(of.users) > 0 {
			l.imports[pkg] = of
		}
	})
	return l
}

func (of *lateImports) add(pkg *packages.Package, imports *lateImports) {
	maps.Copy(of.users, imports.users)
	for _, p := range append(slices.Clip(imports.late), pkg) {
		if !slices.Contains(of.late, p) {
			of.late = append(of.late, p)
		}
	}
}

// of returns what some packages are late of, and through which others.
func (l *late) of(imports map[string]*packages.Package) *lateImports {
	of := &lateImports{users: make(map[*packages.Package]bool)}
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		if through := l.imports[imports[path]]; through != nil {
			of.add(imports[path], through)
		}
	}
	return of
}

// before returns the user's packages that must have been type-checked before what is late
// among a package's imports can be read.
func (l *late) before(pkg *packages.Package) []*packages.Package {
	needs := l.needs[pkg]
	if needs == nil {
		return nil
	}
	return slices.SortedFunc(maps.Keys(needs.users), func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
}

// read reads what is late among a package's imports, unless that has been done.
func (l *late) read(pkg *packages.Package) error {
	needs := l.needs[pkg]
	if needs == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = maps.Clone(l.foreign)
		for _, pkg := range l.users {
			l.known[pkg.PkgPath] = pkg.Types
		}
	}
	for _, pkg := range needs.late {
		if pkg.Types != nil {
			continue
		}
		if err := l.source.read(pkg.PkgPath, pkg.ExportFile, l.known); err != nil {
			return err
		}
		pkg.Types = l.known[pkg.PkgPath]
	}
	return nil
}
