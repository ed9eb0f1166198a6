// Package paths answers two questions over SSA for all rules.
//
// Which object is this? [Resolver.Place] follows a value back to where the
// object was first seen: through locals, captured variables, conversions, type
// assertions, merges whose edges agree, fields of local structs that are stored
// once, elements of slices that stand in the function, and helpers that return
// their argument. An [Object] is that root and the
// fields that lead from it; a [Place] adds the part inside an API kind, so that
// x.Cluster.Status.Phase is the place Status.Phase of the object x.Cluster.
//
// What happens along the paths of a function? [NewGraph] lays it out as it runs:
// deferred calls stand before the returns, function literals where they are
// called. [Graph.Search] follows the paths until the rule's Visit says stop. A
// path carries what it has established: a condition has one value until it is
// computed again, an error is nil or not, a phi is what came in. A search that
// grows beyond its bounds (64 spliced literals, 60,000 states) finds nothing.
package paths

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Object is the identity of something in memory: the value that it was first
// seen as, and the fields that lead from there to it. Two places with equal
// objects are the same object; see [Resolver.Roots] for those that may be.
type Object struct {
	Root ssa.Value
	Path string // ".Cluster.Items.[]"
	// Index is the last index on the path, so that the elements of a list
	// that a loop visits are told apart.
	Index ssa.Value
}

// Listed is the path from a list of objects to an element.
const Listed = ".Items.[]"

// IsListed reports whether o is an element of a list of objects.
func (o Object) IsListed() bool { return strings.HasSuffix(o.Path, Listed) }

// LeadsTo reports whether o is a struct that leads to another object.
func (o Object) LeadsTo(inner Object) bool {
	return o.Root == inner.Root && o.Path != inner.Path && strings.HasPrefix(inner.Path, o.Path)
}

// Overlap reports whether one of two ways into an object leads to the other.
func Overlap(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

// Split returns the fields on a way that is written with dots.
func Split(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}

// Place is a part of an object: the object, and the fields inside it.
type Place struct {
	Object Object
	// Kind is the API kind of Object, if it is one: x.Cluster and x.Request
	// are two objects, x.Cluster.Status is a part of one.
	Kind *types.Named
	// Sub has the names of the fields inside the kind; "[]" is an element.
	Sub []string
}

// IsInside reports whether the place is a part of an API object, and not the whole.
func (p Place) IsInside() bool { return p.Kind != nil && len(p.Sub) > 0 }

// Aspect tells which part of an API object the place lies in.
func (p Place) Aspect() kubeapi.Aspect {
	if p.Kind == nil {
		return kubeapi.AspectOfUntyped(p.Sub)
	}
	return kubeapi.AspectOf(p.Kind, p.Sub)
}

// FullPath is the path from the root to the place.
func (p Place) FullPath() []string {
	var path []string
	if p.Object.Path != "" {
		path = strings.Split(strings.TrimPrefix(p.Object.Path, "."), ".")
	}
	return append(path, p.Sub...)
}

// Child is the place of a field of p. t is the type of the value that has the
// field.
func (p Place) Child(t types.Type, field string) Place {
	if p.Kind == nil {
		p.Kind = kubeapi.KindOf(t)
	}
	if p.Kind == nil {
		p.Object.Path += "." + field
		return p
	}
	if len(p.Sub) < maxPath {
		p.Sub = append(slices.Clip(p.Sub), field)
	}
	return p
}

// at is the place of the element of p, of type t, with the given index.
func (p Place) at(t types.Type, index ssa.Value) Place {
	p = p.Child(t, element)
	if p.Kind == nil {
		p.Object.Index = index
	}
	return p
}

// Descend is the place that path, as from [Place.FullPath], leads to from p;
// t is the type of p.
func (r *Resolver) Descend(p Place, t types.Type, path []string) Place {
	for _, field := range path {
		if stored := r.fieldOfLocal(p, field); stored != nil {
			p = r.Place(stored)
		} else {
			p = p.Child(t, field)
		}
		t = fieldType(t, field)
	}
	return p
}

// fieldOfLocal returns the reference that the field of a local struct holds,
// as [soleStore] does, or nil.
func (r *Resolver) fieldOfLocal(p Place, field string) ssa.Value {
	alloc, ok := p.Object.Root.(*ssa.Alloc)
	if !ok || p.Object.Path != "" || p.Kind != nil || alloc.Referrers() == nil {
		return nil
	}
	for addr := range blocks.UsesOf[*ssa.FieldAddr](alloc) {
		if f := calls.FieldOf(alloc.Type(), addr.Field); f != nil && f.Name() == field {
			return soleStore(addr)
		}
	}
	return nil
}

// TypeFrom is the type that path leads to from t.
func (Place) TypeFrom(t types.Type, path []string) types.Type {
	for _, field := range path {
		t = fieldType(t, field)
	}
	return t
}

func fieldType(t types.Type, field string) types.Type {
	if t == nil {
		return types.Typ[types.Invalid]
	}
	switch u := kubeapi.Deref(t).Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if f.Name() == field {
				return f.Type()
			}
		}
	case *types.Slice, *types.Array, *types.Map:
		return u.(interface{ Elem() types.Type }).Elem()
	}
	return types.Typ[types.Invalid]
}

const (
	maxPath = 6  // fields that a path keeps
	maxWalk = 40 // steps from a value to its root
)

// element is the path step of an element of a slice, array or map.
const element = "[]"

// Resolver finds the places of values of one package.
type Resolver struct {
	graph *calls.Graph
	// returned tells which arguments a call's index-th result may be.
	returned func(call *ssa.Call, index int) []ssa.Value
}

// NewResolver makes a resolver. returned, which may be nil, tells which of
// its arguments a call returns as its index-th result; all others make an
// object of their own.
func NewResolver(graph *calls.Graph, returned func(call *ssa.Call, index int) []ssa.Value) *Resolver {
	if returned == nil {
		returned = func(*ssa.Call, int) []ssa.Value { return nil }
	}
	return &Resolver{graph: graph, returned: returned}
}

// Place returns the place that v, a pointer to it, an interface that holds
// such a pointer, or a value read from it, denotes.
func (r *Resolver) Place(v ssa.Value) Place {
	return r.place(v, 0)
}

func (r *Resolver) place(v ssa.Value, depth int) Place {
	self := Place{Object: Object{Root: v}}
	if depth > maxWalk {
		return self
	}
	next := func(x ssa.Value) Place { return r.place(x, depth+1) }
	switch v := v.(type) {
	case *ssa.ChangeInterface, *ssa.ChangeType, *ssa.MakeInterface, *ssa.TypeAssert:
		return next(kubeapi.Converted(v))
	case *ssa.Convert:
		return next(v.X)
	case *ssa.MultiConvert:
		return next(v.X)
	case *ssa.SliceToArrayPointer:
		return next(v.X)
	case *ssa.Slice:
		return next(v.X)
	case *ssa.FieldAddr:
		return r.field(next(v.X), v.X.Type(), v.Field)
	case *ssa.Field:
		return r.field(next(v.X), v.X.Type(), v.Field)
	case *ssa.IndexAddr:
		return next(v.X).at(v.X.Type(), v.Index)
	case *ssa.Index:
		return next(v.X).at(v.X.Type(), v.Index)
	case *ssa.Lookup:
		return next(v.X).at(v.X.Type(), v.Index)
	case *ssa.Extract:
		return r.extract(v, depth)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return r.load(v, depth)
		}
	case *ssa.Phi:
		return r.phi(v, depth)
	case *ssa.FreeVar:
		if binding := r.graph.Binding(v); binding != nil {
			return next(binding)
		}
	case *ssa.Parameter:
		if arg := r.argument(v); arg != nil {
			return next(arg)
		}
	case *ssa.Call:
		if of := r.resultOf(v, 0); of != nil {
			return next(of)
		}
		if part, ok := r.part(v, v, 0, depth); ok {
			return part
		}
	}
	return self
}

// part returns the place that a call's index-th result, which is result, points to, if
// what it runs returns nothing but that: a part of what it is given, as in
// func(x *T) *S { return &x.S }.
func (r *Resolver) part(result ssa.Value, call *ssa.Call, index, depth int) (Place, bool) {
	if _, isPointer := result.Type().Underlying().(*types.Pointer); !isPointer {
		return Place{}, false
	}
	targets := r.graph.Callees(call)
	if !targets.Closed || len(targets.Funcs) != 1 || len(targets.Funcs[0].Blocks) != 1 {
		return Place{}, false
	}
	fn := targets.Funcs[0]
	ret, ok := fn.Blocks[0].Instrs[len(fn.Blocks[0].Instrs)-1].(*ssa.Return)
	if !ok {
		return Place{}, false
	}
	var fields []*ssa.FieldAddr
	v := ret.Results[index]
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	for {
		addr, ok := v.(*ssa.FieldAddr)
		if !ok {
			break
		}
		fields, v = append(fields, addr), addr.X
	}
	given, ok := v.(*ssa.Parameter)
	operands := kubeapi.Operands(call.Common())
	if !ok || len(fields) == 0 || len(operands) != len(fn.Params) {
		return Place{}, false
	}
	at := r.place(operands[slices.Index(fn.Params, given)], depth+1)
	for _, field := range slices.Backward(fields) {
		at = r.field(at, field.X.Type(), field.Field)
	}
	return at, true
}

// resultOf returns what a call's index-th result is for sure: one of its
// arguments, or what a function literal returns that is called here; or nil.
func (r *Resolver) resultOf(call *ssa.Call, index int) ssa.Value {
	if args := r.returned(call, index); len(args) == 1 {
		return args[0]
	}
	literal := Literal(r.graph, call.Call.Value)
	if literal == nil || Outermost(literal) != Outermost(call.Parent()) {
		return nil
	}
	return r.graph.GivenBack(call, index)
}

func (r *Resolver) field(base Place, t types.Type, index int) Place {
	field := calls.FieldOf(t, index)
	if field == nil {
		return base
	}
	return base.Child(t, field.Name())
}

func (r *Resolver) extract(v *ssa.Extract, depth int) Place {
	switch tuple := v.Tuple.(type) {
	case *ssa.TypeAssert:
		if v.Index == 0 {
			return r.place(tuple.X, depth+1)
		}
	case *ssa.Lookup:
		if v.Index == 0 {
			return r.place(tuple.X, depth+1).at(tuple.X.Type(), tuple.Index)
		}
	case *ssa.Next:
		if rng, ok := tuple.Iter.(*ssa.Range); ok && v.Index == 2 {
			return r.place(rng.X, depth+1).at(rng.X.Type(), tuple)
		}
	case *ssa.Call:
		if of := r.resultOf(tuple, v.Index); of != nil {
			return r.place(of, depth+1)
		}
		if part, ok := r.part(v, tuple, v.Index, depth); ok {
			return part
		}
	}
	return Place{Object: Object{Root: v}}
}

// load resolves a read of memory: of a variable that holds a reference, what
// was stored into it; of a field, the field.
func (r *Resolver) load(v *ssa.UnOp, depth int) Place {
	addr := r.variable(v.X)
	switch addr := addr.(type) {
	case *ssa.Alloc:
		if !holdsReference(addr) {
			return r.place(addr, depth+1) // a struct variable: its value is its place
		}
		if stored := nonNil(calls.StoredInto(addr)); len(stored) == 1 {
			return r.place(stored[0], depth+1)
		}
		return Place{Object: Object{Root: addr, Path: ".*"}}
	case *ssa.FieldAddr:
		if stored := soleStore(addr); stored != nil && stored != v {
			return r.place(stored, depth+1)
		}
	case *ssa.IndexAddr:
		if stored := calls.SoleElement(addr); stored != nil {
			return r.place(stored, depth+1)
		}
	}
	return r.place(addr, depth+1)
}

// variable is the variable that the address of a captured one stands for; other
// addresses are themselves.
func (r *Resolver) variable(addr ssa.Value) ssa.Value {
	for range maxDepth {
		free, ok := addr.(*ssa.FreeVar)
		if !ok {
			break
		}
		binding := r.graph.Binding(free)
		if binding == nil {
			break
		}
		addr = binding
	}
	return addr
}

// holdsReference reports whether a variable holds a pointer, an interface, or
// another reference, so that reading it leads to a different object.
func holdsReference(a *ssa.Alloc) bool {
	switch a.Type().Underlying().(*types.Pointer).Elem().Underlying().(type) {
	case *types.Struct, *types.Array, *types.Basic:
		return false
	}
	return true
}

// nonNil returns the different values that are not nil, up to as many as any
// question needs.
func nonNil(vs []ssa.Value) []ssa.Value {
	var found []ssa.Value
	for _, v := range vs {
		if c, ok := v.(*ssa.Const); !ok || c.Value != nil {
			if !slices.Contains(found, v) {
				found = append(found, v)
			}
		}
		if len(found) == maxSources {
			break
		}
	}
	return found
}

// maxSources bounds the values that a variable or merge is followed to; beyond
// it, Roots has as many as it returns anyway.
const maxSources = 4 * maxRoots

// soleStore returns the reference that is stored into a field of a local
// struct, if nothing else is.
func soleStore(addr *ssa.FieldAddr) ssa.Value {
	alloc, ok := addr.X.(*ssa.Alloc)
	if !ok || !isReference(kubeapi.Deref(addr.Type())) {
		return nil
	}
	stored := calls.StoredInField(alloc, addr.Field)
	if len(stored) == 0 || calls.IsNil(stored[0]) || slices.ContainsFunc(stored, func(v ssa.Value) bool { return v != stored[0] }) {
		return nil
	}
	return stored[0]
}

func isReference(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	}
	return false
}

// phi resolves a merge whose edges all denote one place; other merges are a
// root of their own.
func (r *Resolver) phi(v *ssa.Phi, depth int) Place {
	self := Place{Object: Object{Root: v}}
	var only *Place
	edges := nonNil(v.Edges)
	if len(edges) == maxSources {
		return self
	}
	for _, edge := range edges {
		if edge == v || depth > maxWalk/2 {
			continue
		}
		p := r.place(edge, depth+8)
		if only != nil && !p.equal(*only) {
			return self
		}
		only = &p
	}
	if only == nil {
		return self
	}
	return *only
}

func (p Place) equal(q Place) bool {
	return p.Object == q.Object && slices.Equal(p.Sub, q.Sub)
}

// argument returns what a function literal's parameter is bound to if the
// literal is called at one place only, or handed to a function there that calls it.
func (r *Resolver) argument(p *ssa.Parameter) ssa.Value {
	fn := p.Parent()
	if fn.Parent() == nil {
		return nil
	}
	callers := r.graph.Callers(fn)
	if len(callers) != 1 {
		return nil
	}
	common := callers[0].Common()
	if common.IsInvoke() || len(common.Args) != len(fn.Params) {
		return nil
	}
	if Outermost(callers[0].Parent()) != Outermost(fn) {
		// A helper that was handed the literal: its objects are its own, but for those
		// that it was handed as well.
		return r.graph.Given(p)
	}
	return common.Args[slices.Index(fn.Params, p)]
}

// Outermost is the declared function that a literal stands in, or fn itself.
func Outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// Roots returns the objects that o may be: itself, and if it came out of a
// merge or a variable that is assigned several times, what went in.
func (r *Resolver) Roots(o Object) []Object {
	var found []Object
	var visit func(o Object)
	visit = func(o Object) {
		if slices.Contains(found, o) || len(found) >= maxRoots {
			return
		}
		found = append(found, o)
		var sources []ssa.Value
		rest := o.Path
		switch root := o.Root.(type) {
		case *ssa.Phi:
			sources = root.Edges
		case *ssa.Alloc:
			if after, ok := strings.CutPrefix(o.Path, ".*"); ok {
				sources, rest = calls.StoredInto(root), after
			} else if elements, after := ListOf(o); elements != nil {
				sources, rest = elements, after
			}
		}
		for _, source := range nonNil(sources) {
			if len(found) == maxRoots {
				return
			}
			p := r.Place(source)
			visit(Object{Root: p.Object.Root, Path: p.Object.Path + rest})
		}
	}
	visit(o)
	return found
}

const maxRoots = 16

// MayBe reports whether two objects may be the same. Two elements of one list
// may be.
func (r *Resolver) MayBe(a, b Object) bool {
	a.Index, b.Index = nil, nil
	if a == b {
		return true
	}
	bs := r.Roots(b)
	return slices.ContainsFunc(r.Roots(a), func(x Object) bool { return slices.Contains(bs, x) })
}
