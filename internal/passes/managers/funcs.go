package managers

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/kubeapi"
)

// newCache reads the function that makes the cache: a helper of the library, or
// a function of the user's that changes the options and calls cache.New.
func (o *options) newCache(s *literals.Struct) {
	for _, v := range nonZero(s.Values["NewCache"]) {
		optional := mayBeZero(v)
		if phi, ok := v.(*ssa.Phi); ok {
			edges := nonZero(phi.Edges)
			if len(edges) != 1 {
				o.m.Known = false
				return
			}
			v = edges[0]
		}
		if call, ok := v.(*ssa.Call); ok {
			switch fn := kubeapi.Callee(call.Common()); {
			case kubeapi.IsRuntimeCacheFunc(fn, "MultiNamespacedCacheBuilder"):
				o.namespaced(optional || o.optional(s, "NewCache"))
				continue
			case kubeapi.IsRuntimeCacheFunc(fn, "BuilderWithOptions") && len(call.Call.Args) == 1:
				o.cache(o.read.Read(call.Call.Args[0]))
				continue
			}
		}
		if fn, ok := v.(*ssa.Function); ok && fn.Pkg != o.r.Calls.Pkg {
			if obj, _ := fn.Object().(*types.Func); kubeapi.IsRuntimeCacheFunc(obj, "New") {
				continue
			}
		}
		if !o.constructors(v, "cache", "New", func(opts *literals.Struct) { o.cache(opts) }) {
			o.m.Known = false
		}
	}
	if s.Nested["NewCache"] != nil {
		o.m.Known = false
	}
}

// newClient reads the function that makes the manager's client.
func (o *options) newClient(values []ssa.Value) {
	for _, v := range nonZero(values) {
		if call, ok := v.(*ssa.Call); ok {
			fn := kubeapi.Callee(call.Common())
			if fn != nil && fn.Name() == "ClientBuilderWithOptions" && len(call.Call.Args) == 1 {
				o.clientCache(o.read.Read(call.Call.Args[0]))
				continue
			}
		}
		if fn, ok := v.(*ssa.Function); ok && fn.Name() == "DefaultNewClient" {
			continue
		}
		if !o.constructors(v, "client", "NewDelegatingClient", func(in *literals.Struct) {
			in.Values["CacheReader"] = nil
			o.clientCache(in)
		}) {
			o.m.ReadsUnknown = true
		}
	}
}

// constructors looks for the calls of a function of controller-runtime's in
// functions of the package, and hands the options to read: the last argument. The
// parameters of the function count as options that set nothing.
func (o *options) constructors(v ssa.Value, pkg, name string, read func(*literals.Struct)) bool {
	targets := o.r.Calls.FuncsOf(v)
	if !targets.Closed {
		return false
	}
	found := false
	for _, fn := range targets.Funcs {
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			callee := kubeapi.Callee(call.Common())
			if pkg == "cache" && !kubeapi.IsRuntimeCacheFunc(callee, name) || pkg == "client" && !kubeapi.IsRuntimeClientFunc(callee, name) {
				continue
			}
			args := call.Common().Args
			if len(args) == 0 {
				return false
			}
			given := o.read.Given
			if len(fn.Params) > 1 {
				o.read.Given = fn.Params[len(fn.Params)-1]
			}
			read(o.read.Read(args[len(args)-1]))
			o.read.Given = given
			found = true
		}
	}
	return found
}

// clientBuilder reads the builder of clients that some releases had:
// NewClientBuilder().WithUncached(…).
func (o *options) clientBuilder(values []ssa.Value) {
	for _, v := range nonZero(values) {
		for range 8 {
			if inner, ok := v.(*ssa.MakeInterface); ok {
				v = inner.X
			}
			call, ok := v.(*ssa.Call)
			if !ok {
				o.m.ReadsUnknown = true
				break
			}
			fn := kubeapi.Callee(call.Common())
			if fn == nil || fn.Name() != "WithUncached" {
				if fn == nil || fn.Name() != "NewClientBuilder" {
					o.m.ReadsUnknown = true
				}
				break
			}
			recv, args := kubeapi.Args(call.Common())
			if recv == nil || len(args) != 1 {
				o.m.ReadsUnknown = true
				break
			}
			o.disable(args[0])
			v = recv
		}
	}
}

// trims tells what a transform function may drop of objects: the kinds that
// it tells apart, or, if it does not, all. Managed fields, and metadata in
// general, are not worth a word.
func (o *options) trims(v ssa.Value) (kinds []string, all bool) {
	if call, ok := v.(*ssa.Call); ok && kubeapi.IsRuntimeCacheFunc(kubeapi.Callee(call.Common()), "TransformStripManagedFields") {
		return nil, false
	}
	targets := o.r.Calls.FuncsOf(v)
	if !targets.Closed {
		return nil, true
	}
	for _, fn := range targets.Funcs {
		for instr := range blocks.Instrs(fn) {
			switch instr := instr.(type) {
			case *ssa.TypeAssert:
				if kind := kubeapi.KindOf(instr.AssertedType); kind != nil {
					kinds = append(kinds, kubeapi.KindID(kind))
				} else if kubeapi.IsUnstructured(instr.AssertedType) {
					return nil, true
				}
			case ssa.CallInstruction:
				if !o.harmless(instr.Common()) {
					return nil, true
				}
			}
		}
	}
	return kinds, false
}

// harmless reports whether a call in a transform function leaves all but an
// object's metadata alone.
func (o *options) harmless(common *ssa.CallCommon) bool {
	if _, builtin := common.Value.(*ssa.Builtin); builtin {
		return true
	}
	fn := kubeapi.Callee(common)
	if fn == nil || o.r.Calls.SameModule(fn.Pkg()) {
		return false
	}
	return kubeapi.ChangesOnlyMetadata(fn) || kubeapi.OnlyReads(fn)
}

// UntypedKind names the kind of an Unstructured object, or of a
// PartialObjectMetadata, that is given its kind in the package where it is made;
// empty if that is not seen.
func UntypedKind(read *literals.Reader, v ssa.Value) string {
	if call, ok := v.(*ssa.Call); ok {
		return madeKind(read, call)
	}
	alloc, ok := v.(*ssa.Alloc)
	if !ok || alloc.Referrers() == nil {
		return ""
	}
	for _, call := range methodCalls(alloc) {
		if kind := setKind(read, call); kind != "" {
			return kind
		}
	}
	s := read.Read(alloc)
	meta := s.Nested["TypeMeta"]
	if meta == nil {
		if inner, ok := read.Field(s, "TypeMeta"); ok {
			meta = inner
		}
	}
	if meta == nil || len(meta.Values["Kind"]) != 1 || len(meta.Values["APIVersion"]) != 1 {
		return ""
	}
	kind, _ := kubeapi.ConstString(meta.Values["Kind"][0])
	version, _ := kubeapi.ConstString(meta.Values["APIVersion"][0])
	return fromAPIVersion(version, kind)
}

func fromAPIVersion(apiVersion, kind string) string {
	if kind == "" || apiVersion == "" {
		return ""
	}
	if group, version, ok := strings.Cut(apiVersion, "/"); ok {
		return kubeapi.KindIDOf(group, version, kind)
	}
	return kubeapi.KindIDOf("", apiVersion, kind)
}

// madeKind names the kind of what a function of the package makes.
func madeKind(read *literals.Reader, call *ssa.Call) string {
	targets := read.Calls.Callees(call)
	if !targets.Closed || len(targets.Funcs) != 1 {
		return ""
	}
	kind := ""
	for ret := range blocks.Returns(targets.Funcs[0]) {
		if len(ret.Results) != 1 {
			continue
		}
		made, ok := ret.Results[0].(*ssa.Alloc)
		if !ok {
			return ""
		}
		found := UntypedKind(read, made)
		if found == "" || kind != "" && kind != found {
			return ""
		}
		kind = found
	}
	return kind
}

// methodCalls returns the calls of methods of an object, also of those that
// are promoted from its TypeMeta.
func methodCalls(obj ssa.Value) []*ssa.Call {
	var calls []*ssa.Call
	for _, ref := range *obj.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Call:
			if recv, _ := kubeapi.Args(ref.Common()); recv == obj {
				calls = append(calls, ref)
			}
		case *ssa.FieldAddr:
			for call := range blocks.UsesOf[*ssa.Call](ref) {
				if recv, _ := kubeapi.Args(call.Common()); recv == ref {
					calls = append(calls, call)
				}
			}
		}
	}
	return calls
}

// setKind reads obj.SetGroupVersionKind(…).
func setKind(read *literals.Reader, call *ssa.Call) string {
	fn := kubeapi.Callee(call.Common())
	_, args := kubeapi.Args(call.Common())
	if fn == nil || fn.Name() != "SetGroupVersionKind" || len(args) != 1 {
		return ""
	}
	return gvkOf(read, args[0])
}

// gvkOf names the kind that a schema.GroupVersionKind is.
func gvkOf(read *literals.Reader, v ssa.Value) string {
	if call, ok := v.(*ssa.Call); ok {
		fn := kubeapi.Callee(call.Common())
		recv, args := kubeapi.Args(call.Common())
		if fn != nil && fn.Name() == "WithKind" && len(args) == 1 && recv != nil {
			kind, known := kubeapi.ConstString(args[0])
			load, isLoad := recv.(*ssa.UnOp)
			if !known || !isLoad {
				return ""
			}
			if global, isGlobal := load.X.(*ssa.Global); isGlobal && global.Pkg != nil {
				return global.Pkg.Pkg.Path() + "." + trimList(kind)
			}
			return groupVersion(read, load, kind)
		}
		return ""
	}
	s := read.Read(v)
	if s.Open {
		return ""
	}
	kind, version, group := one(s, "Kind"), one(s, "Version"), one(s, "Group")
	if kind == "" || version == "" || group == "" && len(s.Values["Group"]) > 0 && !literals.IsZero(s.Values["Group"][0]) {
		return ""
	}
	return kubeapi.KindIDOf(group, version, kind)
}

func groupVersion(read *literals.Reader, v ssa.Value, kind string) string {
	s := read.Read(v)
	if s.Open || one(s, "Version") == "" {
		return ""
	}
	return kubeapi.KindIDOf(one(s, "Group"), one(s, "Version"), kind)
}

func trimList(kind string) string {
	if len(kind) > 4 && kind[len(kind)-4:] == "List" {
		return kind[:len(kind)-4]
	}
	return kind
}

// one returns the constant that a field is always set to.
func one(s *literals.Struct, field string) string {
	if len(s.Values[field]) != 1 {
		return ""
	}
	value, _ := kubeapi.ConstString(s.Values[field][0])
	return value
}
