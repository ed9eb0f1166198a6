package reads

import (
	"cmp"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/managers"
)

// origin is a place, or a label, that a value may come from.
type origin struct{ place string }

// sources returns where a client, manager, builder or object may come from.
func (g *gatherer) sources(v ssa.Value) []origin {
	t := &tracer{gatherer: g, seen: make(map[ssa.Value]bool)}
	t.visit(v)
	return t.found
}

// tracer follows one value back within a function and its literals.
type tracer struct {
	*gatherer
	seen  map[ssa.Value]bool
	found []origin
}

func (t *tracer) add(place string) {
	if place == "" {
		place = labelUnknown
	}
	if !slices.Contains(t.found, origin{place}) {
		t.found = append(t.found, origin{place})
	}
}

func (t *tracer) visit(v ssa.Value) {
	if t.seen[v] {
		return
	}
	t.seen[v] = true
	// A switch of its own: each end becomes a place in the graph of the whole program.
	switch v := v.(type) {
	case *ssa.Const:
	case *ssa.Parameter:
		fn := v.Parent()
		i := slices.Index(fn.Params, v)
		t.add(paramPlace(fn, i))
		if fn.Signature.Recv() != nil && (i == 0 || kubeapi.IsInjector(fn)) {
			t.add(labelOwn) // nobody gives a receiver, and controller-runtime injects the manager's
		}
	case *ssa.Phi:
		for _, edge := range v.Edges {
			t.visit(edge)
		}
	case *ssa.ChangeInterface:
		t.visit(v.X)
	case *ssa.ChangeType:
		t.visit(v.X)
	case *ssa.TypeAssert:
		t.visit(v.X)
	case *ssa.MakeInterface:
		t.concrete(v)
	case *ssa.UnOp:
		t.load(v.X)
	case *ssa.Field:
		t.add(fieldPlace(v.X.Type(), v.Field))
	case *ssa.FreeVar:
		t.captured(v, t.visit)
	case *ssa.Extract:
		// A switch of its own: what is taken out of a container comes from where that does.
		switch tuple := v.Tuple.(type) {
		case *ssa.Call:
			t.result(tuple, v.Index)
		case *ssa.TypeAssert:
			t.visit(tuple.X)
		case *ssa.Lookup:
			t.visit(tuple.X)
		case *ssa.Next:
			if over, ok := tuple.Iter.(*ssa.Range); ok {
				t.visit(over.X)
				return
			}
			t.add(labelUnknown)
		default:
			t.add(labelUnknown)
		}
	case *ssa.Call:
		t.result(v, 0)
	case *ssa.Lookup:
		t.visit(v.X)
	case *ssa.MakeMap:
		for update := range blocks.UsesOf[*ssa.MapUpdate](v) {
			t.visit(update.Value)
		}
	case *ssa.MakeSlice:
	case *ssa.Slice:
		if array, ok := v.X.(*ssa.Alloc); ok {
			t.elements(array)
			return
		}
		t.visit(v.X)
	case *ssa.Alloc:
		t.kindOf(v) // an object that is no interface: the receiver of a promoted method
	default:
		t.add(labelUnknown)
	}
}

func (t *tracer) elements(array *ssa.Alloc) {
	for _, v := range elementsOf(array) {
		t.visit(v)
	}
}

// captured visits what a captured variable is bound to.
func (t *tracer) captured(v *ssa.FreeVar, visit func(ssa.Value)) {
	binding := t.calls.Binding(v)
	if binding == nil {
		t.add(labelUnknown)
		return
	}
	visit(binding)
}

// load visits what is stored at an address.
func (t *tracer) load(addr ssa.Value) {
	// A switch of its own: what is stored at an address is a place of its own, or is followed.
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		t.add(fieldPlace(addr.X.Type(), addr.Field))
	case *ssa.Global:
		t.add(variablePlace(addr))
	case *ssa.Alloc:
		if t.escapes(addr) {
			t.add(labelUnknown)
		}
		for _, v := range calls.StoredInto(addr) {
			t.visit(v)
		}
	case *ssa.FreeVar:
		if t.seen[addr] {
			return
		}
		t.seen[addr] = true
		t.captured(addr, t.load)
	case *ssa.IndexAddr:
		if array, ok := addr.X.(*ssa.Alloc); ok {
			t.elements(array)
			return
		}
		t.visit(addr.X)
	default:
		t.add(labelUnknown)
	}
}

// escapes reports whether the address of a variable is handed to a function.
func (t *tracer) escapes(addr *ssa.Alloc) bool {
	for call := range blocks.UsesOf[ssa.CallInstruction](addr) {
		if slices.Contains(call.Common().Args, ssa.Value(addr)) {
			return true
		}
	}
	return false
}

// concrete visits a value that is put into an interface.
func (t *tracer) concrete(v *ssa.MakeInterface) {
	if t.kindOf(v.X) {
		return
	}
	// A reconciler, or a wrapper, with the client embedded.
	name := "Get"
	if kubeapi.IsManager(v.X.Type()) {
		name = "GetClient"
	}
	if place := promotedFrom(v.X.Type(), name); place != "" {
		t.add(place)
		return
	}
	t.add(labelUnknown)
}

// promotedFrom returns the field of a struct from which a method is promoted.
func promotedFrom(typ types.Type, name string) string {
	_, index, _ := types.LookupFieldOrMethod(typ, true, nil, name)
	if len(index) < 2 {
		return ""
	}
	for i, field := range index[:len(index)-1] {
		if i == len(index)-2 {
			return fieldPlace(typ, field)
		}
		next := calls.FieldOf(typ, field)
		if next == nil {
			return ""
		}
		typ = next.Type()
	}
	return ""
}

// kindOf notes the kind of an object, or list, of a Go type.
func (t *tracer) kindOf(v ssa.Value) bool {
	form, id := Typed, ""
	switch typ := v.Type(); {
	case kubeapi.IsPartialMetadata(typ):
		form, id = Metadata, managers.UntypedKind(t.read, v)
	case kubeapi.IsUnstructured(typ), kubeapi.IsUnstructuredList(typ):
		form, id = Unstructured, managers.UntypedKind(t.read, v)
	default:
		kind := cmp.Or(kubeapi.KindOf(typ), kubeapi.ListElem(typ))
		if kind == nil {
			return false
		}
		id = kubeapi.KindID(kind)
	}
	t.found = append(t.found, origin{labelKind + string(form) + "|" + id})
	return true
}

// result visits the index-th result of a call.
func (t *tracer) result(call *ssa.Call, index int) {
	common := call.Common()
	if kubeapi.MakesManager(common) {
		t.add(t.manager(call))
		return
	}
	if inner := t.calls.Inner(call); inner != nil && kubeapi.MakesManager(inner.Common()) {
		t.result(inner, index)
		return
	}
	if kubeapi.MakesControllerBuilder(common) && len(common.Args) > 0 {
		t.visit(common.Args[0])
		return
	}
	fn := kubeapi.Callee(common)
	recv, args := kubeapi.Args(common)
	if fn != nil && recv != nil && t.accessor(fn, recv) {
		return
	}
	if fn != nil && recv == nil && t.constructor(fn, args) {
		return
	}
	if common.IsInvoke() {
		if isObject(call.Type()) && (fn.Name() == "DeepCopyObject" || kubeapi.IsDeepCopy(fn)) {
			t.visit(recv)
			return
		}
		place := methodResult(fn.Name(), fn.Signature().Params().Len(), index)
		t.add(place)
		if t.isByKey(fn) {
			t.add(labelKeyed + place)
		}
		return
	}
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		if builtin.Name() == "append" {
			for _, arg := range common.Args {
				t.visit(arg)
			}
			return
		}
		t.add(labelUnknown)
		return
	}
	callee := common.StaticCallee()
	if callee == nil {
		if sig, ok := common.Value.Type().Underlying().(*types.Signature); ok {
			t.add(funcResult(sig, index))
		}
		return
	}
	declared, abstract := calls.Unwrap(callee)
	switch {
	case abstract != nil:
		t.add(methodResult(abstract.Name(), abstract.Signature().Params().Len(), index))
	case t.isUsers(declared):
		t.add(resultPlace(declared, index))
	default:
		t.add(labelUnknown)
	}
}

// accessor visits what a method of a manager, or of a builder, returns.
func (t *tracer) accessor(fn *types.Func, recv ssa.Value) bool {
	switch {
	case kubeapi.IsControllerBuilder(recv.Type()):
		t.visit(recv)
		return true
	case !kubeapi.IsManager(recv.Type()) || fn.Pkg() != nil && t.calls.SameModule(fn.Pkg()):
		return false
	}
	switch fn.Name() {
	case "GetClient", "GetCache", "GetFieldIndexer":
		t.visit(recv)
		t.add(labelOwn)
	case "GetAPIReader":
		t.add(labelLive)
	default:
		return false
	}
	return true
}

// isByKey reports whether a method of the project's own gives something for a key, as a
// registry of clients does.
func (t *tracer) isByKey(fn *types.Func) bool {
	if fn.Pkg() == nil || !t.calls.SameModule(fn.Pkg()) {
		return false
	}
	return kubeapi.AnyIs(fn.Signature().Params(), func(t types.Type) bool {
		return !kubeapi.IsContext(t) && !isFollowed(t) && !kubeapi.IsRESTConfig(t)
	})
}

// constructor visits what a function of controller-runtime's package client makes.
func (t *tracer) constructor(fn *types.Func, args []ssa.Value) bool {
	switch {
	case kubeapi.KeepsReader(fn) && len(args) > 0:
		t.visit(args[0])
		return true
	case kubeapi.IsRuntimeClientFunc(fn, "NewWithWatch"):
		t.add(labelLive)
		return true
	case kubeapi.IsRuntimeClientFunc(fn, "New") && len(args) == 2:
		t.newClient(args[1])
		return true
	}
	return false
}

// newClient visits the cache that a client made with client.New reads from, if
// any.
func (t *tracer) newClient(options ssa.Value) {
	s := t.read.Read(options)
	cache, ok := t.read.Field(s, "Cache")
	if !s.Open && (!ok || !cache.Open && !cache.Set("Reader")) {
		t.add(labelLive)
		return
	}
	if s.Open || cache.Open || cache.Set("DisableFor") {
		t.add(labelUnknown)
		return
	}
	for _, reader := range cache.Values["Reader"] {
		if !literals.IsZero(reader) {
			t.visit(reader)
		}
	}
}

// storePlace names what a store writes to, if others can read it there.
func storePlace(addr ssa.Value) string {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		return fieldPlace(addr.X.Type(), addr.Field)
	case *ssa.Global:
		return variablePlace(addr)
	}
	return ""
}
