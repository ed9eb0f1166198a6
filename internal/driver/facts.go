package driver

import (
	"fmt"
	"go/types"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// factStore holds the facts of all packages. Since packages are analysed in
// dependency order, a package finds those about what it imports.
type factStore struct {
	mu       sync.RWMutex
	packages map[*analysis.Analyzer]map[*types.Package]*packageFacts

	imports sync.Map // *packages.Package -> map[*types.Package]bool, transitively
}

// packageFacts are the facts that one analyzer exported from one package.
type packageFacts struct {
	objects map[objectKey]analysis.Fact
	own     map[reflect.Type]analysis.Fact
}

type objectKey struct {
	object types.Object
	fact   reflect.Type
}

func newFactStore() *factStore {
	return &factStore{packages: make(map[*analysis.Analyzer]map[*types.Package]*packageFacts)}
}

// visibleTo returns which packages' facts a package may see: its own and those
// of what it imports, directly or not.
func (s *factStore) visibleTo(pkg *packages.Package) func(*types.Package) bool {
	all := map[*types.Package]bool{pkg.Types: true}
	for _, imported := range pkg.Imports {
		if known, ok := s.imports.Load(imported); ok {
			for p := range known.(map[*types.Package]bool) {
				all[p] = true
			}
		}
	}
	s.imports.Store(pkg, all)
	return func(p *types.Package) bool { return all[p] }
}

// of returns an analyzer's facts of a package, which only the package's own
// analysis changes.
func (s *factStore) of(a *analysis.Analyzer, pkg *types.Package, create bool) *packageFacts {
	s.mu.RLock()
	facts := s.packages[a][pkg]
	s.mu.RUnlock()
	if facts == nil && create {
		facts = &packageFacts{objects: make(map[objectKey]analysis.Fact), own: make(map[reflect.Type]analysis.Fact)}
		s.mu.Lock()
		if s.packages[a] == nil {
			s.packages[a] = make(map[*types.Package]*packageFacts)
		}
		s.packages[a][pkg] = facts
		s.mu.Unlock()
	}
	return facts
}

// factView is what one pass sees of the facts.
type factView struct {
	store    *factStore
	analyzer *analysis.Analyzer
	pkg      *types.Package
	visible  func(*types.Package) bool
	check    bool
}

func (v *factView) importObject(obj types.Object, fact analysis.Fact) bool {
	if obj == nil {
		panic("ImportObjectFact: nil object")
	}
	if obj.Pkg() == nil || !v.visible(obj.Pkg()) {
		return false
	}
	facts := v.store.of(v.analyzer, obj.Pkg(), false)
	if facts == nil {
		return false
	}
	return copyFact(fact, facts.objects[objectKey{obj, reflect.TypeOf(fact)}])
}

func (v *factView) exportObject(obj types.Object, fact analysis.Fact) {
	if obj.Pkg() != v.pkg {
		panic(fmt.Sprintf("ExportObjectFact: %s belongs to another package", obj))
	}
	v.store.of(v.analyzer, v.pkg, true).objects[objectKey{obj, reflect.TypeOf(fact)}] = v.checked(fact)
}

func (v *factView) importPackage(pkg *types.Package, fact analysis.Fact) bool {
	if pkg == nil {
		panic("ImportPackageFact: nil package")
	}
	facts := v.store.of(v.analyzer, pkg, false)
	if facts == nil || !v.visible(pkg) {
		return false
	}
	return copyFact(fact, facts.own[reflect.TypeOf(fact)])
}

func (v *factView) exportPackage(fact analysis.Fact) {
	v.store.of(v.analyzer, v.pkg, true).own[reflect.TypeOf(fact)] = v.checked(fact)
}

func (v *factView) allObjects() []analysis.ObjectFact {
	var all []analysis.ObjectFact
	v.each(func(pkg *types.Package, facts *packageFacts) {
		for key, fact := range facts.objects {
			if pkg == v.pkg || isExported(key.object) {
				all = append(all, analysis.ObjectFact{Object: key.object, Fact: fact})
			}
		}
	})
	return all
}

func (v *factView) allPackages() []analysis.PackageFact {
	var all []analysis.PackageFact
	v.each(func(pkg *types.Package, facts *packageFacts) {
		for _, fact := range facts.own {
			all = append(all, analysis.PackageFact{Package: pkg, Fact: fact})
		}
	})
	return all
}

func (v *factView) each(f func(*types.Package, *packageFacts)) {
	v.store.mu.RLock()
	visible := make(map[*types.Package]*packageFacts)
	for pkg, facts := range v.store.packages[v.analyzer] {
		if v.visible(pkg) {
			visible[pkg] = facts
		}
	}
	v.store.mu.RUnlock()
	for pkg, facts := range visible {
		f(pkg, facts)
	}
}

func (v *factView) checked(fact analysis.Fact) analysis.Fact {
	if !v.check {
		return fact
	}
	decoded, err := recode(fact)
	if err != nil {
		panic(err)
	}
	return decoded
}

func copyFact(to, from analysis.Fact) bool {
	if from == nil {
		return false
	}
	reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from).Elem())
	return true
}

// isExported reports whether facts about obj can reach other packages when
// packages are analysed by separate processes.
func isExported(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Func:
		return obj.Exported() || obj.Signature().Recv() != nil
	case *types.Var:
		return obj.Exported() || obj.IsField()
	case *types.TypeName, *types.Const:
		return true
	}
	return false
}
