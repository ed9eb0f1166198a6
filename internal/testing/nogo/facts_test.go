package nogo

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"go/types"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/objectpath"
)

// factSet holds the facts that the passes over one package see and make. As in
// nogo, and unlike in the other drivers, a fact belongs to its type and not to
// an analyzer.
type factSet struct {
	pkg *types.Package

	mu    sync.Mutex
	facts map[factKey]analysis.Fact
}

type factKey struct {
	pkg    *types.Package
	object types.Object // nil for facts about the package
	kind   reflect.Type
}

// storedFact is a fact in a file.
type storedFact struct {
	Package string
	Object  objectpath.Path
	Fact    analysis.Fact
}

// readFacts reads the files of facts of what pkg imports directly.
func readFacts(pkg *types.Package, files map[string][]byte) (*factSet, error) {
	set := &factSet{pkg: pkg, facts: make(map[factKey]analysis.Fact)}
	known := mentioned(pkg.Imports())
	for _, imported := range pkg.Imports() {
		file := files[imported.Path()]
		if len(file) == 0 {
			continue // of the standard library, say
		}
		var stored []storedFact
		if err := gob.NewDecoder(bytes.NewReader(file)).Decode(&stored); err != nil {
			return nil, fmt.Errorf("reading the facts of %s: %w", imported.Path(), err)
		}
		for _, s := range stored {
			key := factKey{pkg: known[s.Package], kind: reflect.TypeOf(s.Fact)}
			if key.pkg == nil {
				continue
			}
			if s.Object != "" {
				object, err := objectpath.Object(key.pkg, s.Object)
				if err != nil {
					continue // unexported, so nothing of it is in the export data
				}
				key.object = object
			}
			set.facts[key] = s.Fact
		}
	}
	return set, nil
}

// encode makes the file of facts. It has those of the package itself and, of
// the others, those about fields, methods and types: the rest is read from the
// files of direct imports only.
func (s *factSet) encode() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	paths := new(objectpath.Encoder)
	var stored []storedFact
	for key, fact := range s.facts {
		if key.pkg != s.pkg && !travels(key.object) {
			continue
		}
		var path objectpath.Path
		if key.object != nil {
			var err error
			if path, err = paths.For(key.object); err != nil {
				continue // out of reach for other packages
			}
		}
		stored = append(stored, storedFact{key.pkg.Path(), path, fact})
	}
	if len(stored) == 0 {
		return nil, nil
	}
	var file bytes.Buffer
	if err := gob.NewEncoder(&file).Encode(stored); err != nil {
		return nil, fmt.Errorf("writing the facts of %s: %w", s.pkg.Path(), err)
	}
	return file.Bytes(), nil
}

func travels(object types.Object) bool {
	if object == nil {
		return false
	}
	_, isType := object.(*types.TypeName)
	return isType || object.Parent() != object.Pkg().Scope()
}

func (s *factSet) importObject(object types.Object, fact analysis.Fact) bool {
	return s.get(factKey{object.Pkg(), object, reflect.TypeOf(fact)}, fact)
}

func (s *factSet) importPackage(pkg *types.Package, fact analysis.Fact) bool {
	return s.get(factKey{pkg, nil, reflect.TypeOf(fact)}, fact)
}

func (s *factSet) get(key factKey, to analysis.Fact) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	fact, ok := s.facts[key]
	if ok {
		reflect.ValueOf(to).Elem().Set(reflect.ValueOf(fact).Elem())
	}
	return ok
}

func (s *factSet) exportObject(object types.Object, fact analysis.Fact) {
	if object.Pkg() != s.pkg {
		panic(fmt.Sprintf("a fact about %s, of another package than %s", object, s.pkg.Path()))
	}
	s.put(factKey{s.pkg, object, reflect.TypeOf(fact)}, fact)
}

func (s *factSet) exportPackage(fact analysis.Fact) {
	s.put(factKey{s.pkg, nil, reflect.TypeOf(fact)}, fact)
}

func (s *factSet) put(key factKey, fact analysis.Fact) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.facts[key] = fact
}

func (s *factSet) allObjects(kinds map[reflect.Type]bool) []analysis.ObjectFact {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []analysis.ObjectFact
	for key, fact := range s.facts {
		if key.object != nil && kinds[key.kind] {
			all = append(all, analysis.ObjectFact{Object: key.object, Fact: fact})
		}
	}
	return all
}

func (s *factSet) allPackages(kinds map[reflect.Type]bool) []analysis.PackageFact {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []analysis.PackageFact
	for key, fact := range s.facts {
		if key.object == nil && kinds[key.kind] {
			all = append(all, analysis.PackageFact{Package: key.pkg, Fact: fact})
		}
	}
	return all
}

// mentioned returns the packages that the API of some packages mentions, by
// path: facts about others are lost.
func mentioned(pkgs []*types.Package) map[string]*types.Package {
	m := mentions{packages: make(map[string]*types.Package), objects: make(map[types.Object]bool), named: make(map[types.Type]bool)}
	for _, pkg := range pkgs {
		m.packages[pkg.Path()] = pkg
		for _, name := range pkg.Scope().Names() {
			m.object(pkg.Scope().Lookup(name))
		}
	}
	return m.packages
}

type mentions struct {
	packages map[string]*types.Package
	objects  map[types.Object]bool
	named    map[types.Type]bool
}

func (m mentions) object(object types.Object) {
	if m.objects[object] {
		return
	}
	m.objects[object] = true
	if pkg := object.Pkg(); pkg != nil {
		m.packages[pkg.Path()] = pkg
	}
	m.visit(object.Type())
}

func (m mentions) visit(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		m.arguments(t.TypeArgs())
		if origin := t.Origin(); m.isNew(origin) {
			m.object(origin.Obj())
			m.parameters(origin.TypeParams())
			m.visit(origin.Rhs())
		}
	case *types.Named:
		m.arguments(t.TypeArgs())
		if origin := t.Origin(); m.isNew(origin) {
			m.object(origin.Obj())
			m.parameters(origin.TypeParams())
			m.visit(origin.Underlying())
			for method := range origin.Methods() {
				m.object(method)
			}
		}
	case *types.TypeParam:
		if m.isNew(t) {
			m.object(t.Obj())
			m.visit(t.Constraint())
		}
	case *types.Map:
		m.visit(t.Key())
		m.visit(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		m.visit(t.Elem())
	case *types.Signature:
		m.visit(t.Params())
		m.visit(t.Results())
		m.parameters(t.TypeParams())
	case *types.Tuple:
		for v := range t.Variables() {
			m.object(v)
		}
	case *types.Struct:
		for field := range t.Fields() {
			m.object(field)
		}
	case *types.Interface:
		for method := range t.Methods() {
			m.object(method)
		}
		for embedded := range t.EmbeddedTypes() {
			m.visit(embedded)
		}
	case *types.Union:
		for term := range t.Terms() {
			m.visit(term.Type())
		}
	}
}

func (m mentions) isNew(t types.Type) bool {
	seen := m.named[t]
	m.named[t] = true
	return !seen
}

func (m mentions) arguments(list *types.TypeList) {
	for t := range list.Types() {
		m.visit(t)
	}
}

func (m mentions) parameters(list *types.TypeParamList) {
	for t := range list.TypeParams() {
		m.visit(t)
	}
}
