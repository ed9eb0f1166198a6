// Package entries tells where functions store entries into labels, annotations or data of
// objects, themselves or in functions that they call, and on which ways nothing has
// made the map before.
//
// A function that stores into a map of a parameter which it has not made says so in a
// fact, so that the calls in other packages count.
package entries

import (
	"go/types"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/passes/origins"
)

// Slot is a map of an object.
type Slot struct {
	object paths.Object
	Kind   *types.Named // of the object, nil if not known
	Path   []string     // from the object to the map
	// Unstructured tells that the object is an unstructured one, of whatever kind.
	Unstructured bool
}

// Field is the name of the map as it is written in manifests.
func (s Slot) Field() string {
	if len(s.Path) == 0 {
		return "entries"
	}
	name := s.Path[len(s.Path)-1]
	return strings.ToLower(name[:1]) + name[1:]
}

// Missing says what an object lacks whose map is nil: "annotations", or "annotations in
// spec.template" for those of the objects that it describes.
func (s Slot) Missing() string {
	around := slices.DeleteFunc(slices.Clone(s.Path[:max(len(s.Path)-1, 0)]), func(name string) bool { return name == kubeapi.MetadataPath })
	if len(around) == 0 {
		return s.Field()
	}
	for i, name := range around {
		around[i] = strings.ToLower(name[:1]) + name[1:]
	}
	return s.Field() + " in " + strings.Join(around, ".")
}

// IsData reports whether the map is the data of a ConfigMap or Secret.
func (s Slot) IsData() bool { return s.Field() != "labels" && s.Field() != "annotations" }

// Store is an instruction that stores an entry into a map.
type Store struct {
	Slot
	node *paths.Node     // in the function that is looked at
	At   ssa.Instruction // where it happens: there, or in a function that is called
	// Through are the calls that lead there.
	Through []ssa.CallInstruction
	// Fresh tells that the object is made in the function, without the map.
	Fresh bool
	// Elsewhere is the place, if At is the call of a function of another package that
	// does so.
	Elsewhere string
	key       ssa.Value // of the entry, as the function that is looked at has it
	copies    bool      // there are as many entries as another map has
}

// Copies reports whether what it finds in another map is stored, so that nothing is
// where that is empty.
func (s Store) Copies() bool { return s.copies || isOfMap(s.key) }

// isOfMap reports whether a key is one that a loop finds in a map.
func isOfMap(key ssa.Value) bool {
	if key == nil {
		return false
	}
	found, ok := calls.Behind(key).(*ssa.Extract)
	if !ok {
		return false
	}
	next, ok := found.Tuple.(*ssa.Next)
	return ok && !next.IsString
}

// need is a map that callers must have made: a path that leads from a
// parameter to it.
type need struct {
	param     int
	path      []string
	at        ssa.Instruction
	through   []ssa.CallInstruction
	elsewhere string
	key       int  // the parameter that is the entry's key, or -1
	copies    bool // see [Store.Copies]
}

// Needs is a fact about a function that stores entries into maps which it takes to be
// there.
type Needs struct{ List []Need }

// AFact marks Needs as a fact.
func (*Needs) AFact() {}

// IsZero reports whether nothing is known.
func (n *Needs) IsZero() bool { return len(n.List) == 0 }

// Need is a map that a function's parameter number Param (the receiver counted) leads
// to by the path, and the place of the store: "lib/labels.go:12". The key of what is stored
// is the parameter number Key, or none if that is negative.
type Need struct {
	Param int
	Path  []string
	Where string
	Key   int
}

// Analyzer finds the stores; its result is a *[Maps].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetentries",
	Doc:        "tell where entries are stored into maps of objects",
	Requires:   []*analysis.Analyzer{objects.Analyzer, entrypoints.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Maps](),
	FactTypes:  []analysis.Fact{new(Needs), new(Sends), new(Makes)},
}

// Maps answers for one package.
type Maps struct {
	*objects.Summaries
	pass    *analysis.Pass
	facts   *facts.Table[Needs, *Needs]
	sends   *facts.Table[Sends, *Sends]
	makers  *facts.Table[Makes, *Makes]
	origins *origins.Tracer

	mu      sync.Mutex // rules and drivers may ask at the same time
	needs   map[*ssa.Function][]need
	made    map[*ssa.Function][]Made
	read    map[*objects.Unit][]objects.Site
	reached map[search]map[*paths.Node]bool
	begin   map[ownerIn]beginning
}

func run(pass *analysis.Pass) (any, error) {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	m := &Maps{
		Summaries: sums, pass: pass,
		origins: &origins.Tracer{Calls: sums.Calls, Entries: pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result)},
		needs:   make(map[*ssa.Function][]need),
		made:    make(map[*ssa.Function][]Made),
		read:    make(map[*objects.Unit][]objects.Site),
		reached: make(map[search]map[*paths.Node]bool),
		begin:   make(map[ownerIn]beginning),
	}
	if sums.Calls.Pkg == nil {
		return m, nil
	}
	m.facts = facts.New[Needs](pass, sums.Calls)
	m.sends = facts.New[Sends](pass, sums.Calls)
	m.makers = facts.New[Makes](pass, sums.Calls)
	for _, fn := range sums.Units() {
		if obj, ok := fn.Object().(*types.Func); !ok || obj.Pkg() != pass.Pkg || !obj.Exported() {
			continue
		}
		m.exportMade(fn)
		m.export(fn)
		m.exportSent(fn)
	}
	m.facts.Export()
	m.sends.Export()
	m.makers.Export()
	return m, nil
}

// export notes for other packages what a function that they can call takes to be there.
func (m *Maps) export(fn *ssa.Function) {
	for _, n := range m.needsOf(fn, 0) {
		where := n.elsewhere
		if n.copies {
			continue // of which there may be none
		}
		if where == "" {
			where = syntax.Place(m.pass.Fset, n.at.Pos())
		}
		fact := m.facts.Note(fn)
		fact.List = append(fact.List, Need{n.param, n.path, where, n.key})
	}
}

// Of returns the stores of a unit, in the order of its graph.
func (m *Maps) Of(u *objects.Unit) []Store {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stores(u, 0)
}

// From returns the node from which a store is reached with the map as the API server
// has sent it, nil for the beginning of the function, or with that of an object that the
// function makes without it; ok is false if there is none.
func (m *Maps) From(u *objects.Unit, s *Store) (from *paths.Node, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	begin := m.beginnings(u, s.Slot)
	s.Fresh = begin.fresh
	for _, from := range begin.nodes {
		if m.reaches(u, from, *s) {
			return from, true
		}
	}
	return nil, false
}

// beginning is where maps of an object come into a function.
type beginning struct {
	nodes []*paths.Node // see From
	fresh bool          // they are made there
}

type ownerIn struct {
	unit  *objects.Unit
	owner paths.Object
	kind  *types.Named
}

func (m *Maps) beginnings(u *objects.Unit, s Slot) beginning {
	key := ownerIn{u, s.object, s.Kind}
	begin, ok := m.begin[key]
	if !ok {
		if begin.nodes = m.reads(u, s); len(begin.nodes) == 0 {
			begin = beginning{m.freshAt(u, s), true}
		}
		m.begin[key] = begin
	}
	return begin
}

// maxCalls bounds how far stores are followed to callers.
const maxCalls = 4

// slotOf tells which map of an object a value is.
func (m *Maps) slotOf(v ssa.Value) (Slot, bool) {
	v = calls.Behind(v)
	switch v := v.(type) {
	case *ssa.UnOp:
		field, ok := v.X.(*ssa.FieldAddr)
		if !ok || !kubeapi.IsMetadataMap(field.X.Type(), field.Field) && !kubeapi.IsDataMap(field.X.Type(), field.Field) {
			return Slot{}, false
		}
		return asSlot(m.Resolve.Place(field)), true
	case *ssa.Call:
		if object, path, ok := kubeapi.MetadataMapOf(v.Common()); ok {
			return m.below(object, path), true
		}
	}
	return Slot{}, false
}

// slotOrGiven tells which map of an object a value is, or that it is a map which the function is given.
func (m *Maps) slotOrGiven(v ssa.Value) (Slot, bool) {
	if s, ok := m.slotOf(v); ok {
		return s, true
	}
	p, ok := calls.Behind(v).(*ssa.Parameter)
	return Slot{object: paths.Object{Root: p}}, ok
}

func asSlot(p paths.Place) Slot {
	if p.Kind == nil {
		// The metadata alone is at hand: what is below the root is the path.
		path := p.FullPath()
		return Slot{object: paths.Object{Root: p.Object.Root}, Path: path}
	}
	return Slot{object: p.Object, Kind: p.Kind, Path: p.Sub}
}

// below is the map that a path leads to from a value.
func (m *Maps) below(v ssa.Value, path []string) Slot {
	v = kubeapi.Unboxed(v)
	p := m.Resolve.Place(v)
	kind := kubeapi.KindBehind(v)
	if p.Kind == nil && kind == nil && kubeapi.IsObject(v.Type()) {
		return Slot{object: p.Object, Path: path, Unstructured: kubeapi.IsUnstructured(v.Type())}
	}
	if len(path) > 0 && path[0] == kubeapi.MetadataPath && kubeapi.IsObjectMeta(v.Type()) {
		path = path[1:] // a method of the embedded ObjectMeta
	}
	if p.Kind == nil && kind != nil {
		return Slot{object: p.Object, Kind: kind, Path: path}
	}
	return asSlot(m.Resolve.Descend(p, v.Type(), path))
}

// stores returns what stores entries into maps of objects in a function, itself
// or through functions of the package that it calls.
func (m *Maps) stores(u *objects.Unit, depth int) []Store {
	var found []Store
	add := func(n *paths.Node, into, key ssa.Value, at ssa.Instruction) {
		s := Store{node: n, At: at, key: key, copies: key == nil}
		var ok bool
		if s.Slot, ok = m.slotOrGiven(into); ok {
			found = append(found, s)
		}
	}
	for _, n := range u.Graph.Nodes {
		if n.Joins != nil {
			continue
		}
		switch instr := n.Instr.(type) {
		case *ssa.MapUpdate:
			add(n, instr.Map, instr.Key, instr)
		case *ssa.Call:
			if into, _, ok := kubeapi.CopiesEntries(instr.Common()); ok {
				add(n, into, nil, instr)
			} else if depth < maxCalls {
				found = append(found, m.throughCall(n, instr, depth)...)
			}
		}
	}
	return found
}

func keyOf(s Store) ssa.Value {
	if s.key == nil {
		return nil
	}
	return calls.Behind(s.key)
}

// throughCall returns the stores that a call makes.
func (m *Maps) throughCall(n *paths.Node, call *ssa.Call, depth int) []Store {
	if paths.Literal(m.Calls, call.Call.Value) != nil {
		return nil
	}
	var found []Store
	operands := kubeapi.Operands(call.Common())
	for _, need := range m.needsAt(call, depth) {
		if need.param >= len(operands) {
			continue
		}
		s := Store{node: n, At: need.at, Through: append([]ssa.CallInstruction{call}, need.through...), Elsewhere: need.elsewhere, copies: need.copies}
		if need.key >= 0 && need.key < len(operands) {
			s.key = operands[need.key]
		}
		if need.at == nil {
			s.At, s.Through = call, nil
		}
		ok := true
		if len(need.path) > 0 {
			s.Slot = m.below(operands[need.param], need.path)
		} else {
			s.Slot, ok = m.slotOrGiven(operands[need.param])
		}
		if ok {
			found = append(found, s)
		}
	}
	return found
}

// needsAt tells what the function that a call runs takes to be there.
func (m *Maps) needsAt(call *ssa.Call, depth int) []need {
	targets := m.Calls.Callees(call)
	if targets.Closed && len(targets.Funcs) == 1 {
		return m.needsOf(targets.Funcs[0], depth+1)
	}
	if len(targets.Funcs) > 0 {
		return nil
	}
	fact := m.facts.Elsewhere(call)
	if fact == nil {
		return nil
	}
	var found []need
	for _, n := range fact.List {
		found = append(found, need{param: n.Param, path: n.Path, elsewhere: n.Where, key: n.Key})
	}
	return found
}

// needsOf tells into which maps of its parameters a function stores entries
// without having looked whether they are there.
func (m *Maps) needsOf(fn *ssa.Function, depth int) []need {
	if known, ok := m.needs[fn]; ok {
		return known
	}
	m.needs[fn] = nil // what calls itself needs nothing
	if len(fn.Blocks) == 0 || fn.Parent() != nil {
		return nil
	}
	var found []need
	u := m.Unit(fn)
	for _, s := range m.stores(u, depth) {
		p, ok := m.source(s.object).(*ssa.Parameter) // or a copy of what it leads to
		if !ok || p.Parent() != fn || s.object.Path != "" || !m.reaches(u, nil, s) {
			continue
		}
		key := -1
		if p, ok := keyOf(s).(*ssa.Parameter); ok {
			key = slices.Index(fn.Params, p)
		}
		found = append(found, need{slices.Index(fn.Params, p), s.Path, s.At, s.Through, s.Elsewhere, key, s.Copies()})
	}
	m.needs[fn] = found
	return found
}
