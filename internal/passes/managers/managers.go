// Package managers tells what the cache of a controller-runtime manager holds,
// as far as the place where the manager is made says it: which kinds are limited to
// namespaces, labels or fields, which are trimmed, and which are not read from the
// cache at all.
//
// It knows the options of both generations: cache.Options with ByObject and
// DefaultNamespaces, client.CacheOptions; and Namespace, SelectorsByObject,
// MultiNamespacedCacheBuilder, BuilderWithOptions, ClientDisableCacheFor and
// delegating clients. Options that come from elsewhere, or are changed by something
// that is not understood, are unknown, and nothing may be concluded from them.
package managers

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Manager is what is known of a manager. It is small and goes into facts.
type Manager struct {
	// ID tells the managers of a program apart.
	ID string
	// Where is the place where it is made, such as "app/manager.go:12".
	Where string
	// Known tells that the options of its cache are all visible.
	Known bool
	// Namespaced tells that the cache is, or may be, limited to namespaces.
	Namespaced bool
	// Optional tells that it may do without, on some path through the function
	// that makes the manager: the program can watch all namespaces.
	Optional bool
	// Confined tells that it certainly is limited to namespaces, but for the kinds of
	// Limited; ConfinedKinds are those of them that are, too. See [Manager.Confines].
	Confined      bool
	ConfinedKinds []string
	// Selected tells that selectors, or a transform function that may drop
	// content, hold for all kinds.
	Selected bool
	// Limited are the kinds with namespaces, selectors or a transform function
	// of their own, sorted.
	Limited []string
	// LimitsUnknown tells that any kind may be limited.
	LimitsUnknown bool
	// Empty are entries for kinds which limit nothing.
	Empty []EmptyEntry
	// Disabled are the kinds that the client does not read from the cache,
	// sorted.
	Disabled []string
	// DisabledSometimes tells that they are so on some of the paths to the manager only.
	DisabledSometimes bool
	// ReadsUnknown tells that any kind may not be read from the cache.
	ReadsUnknown bool
	// Unstructured tells that unstructured objects are read from the cache, too.
	Unstructured bool
	// Older tells that the options are those of releases before 0.15, without
	// cache.ByObject.
	Older bool
	// HasSelectors and HasDisableFor tell that the release has options by which a cache keeps a part of a
	// kind, since 0.9, and a client reads a kind past it, since 0.8.
	HasSelectors, HasDisableFor bool
	// FailsOnMissing tells that reading a kind that nothing watches fails
	// instead of starting an informer.
	FailsOnMissing bool
}

// Alike reports whether the caches of two managers hold the same, as far as it is known.
func (m *Manager) Alike(other *Manager) bool {
	a, b := *m, *other
	a.ID, a.Where, b.ID, b.Where = "", "", "", ""
	a.Empty, b.Empty = nil, nil
	return m.Known && reflect.DeepEqual(a, b) &&
		slices.EqualFunc(m.Empty, other.Empty, func(a, b EmptyEntry) bool { return a.Kind == b.Kind })
}

// EmptyEntry is an entry of ByObject that limits nothing.
type EmptyEntry struct {
	Kind  string
	Where string
	Pos   token.Pos `json:"-"`
}

// Limits reports whether a kind's part of the cache is limited, or may be.
func (m *Manager) Limits(kind string) bool {
	return m.InNamespaces(kind) || m.Selects(kind)
}

// InNamespaces reports whether a kind is limited to namespaces, as all are, or may
// be: the program may be told to watch all of them.
func (m *Manager) InNamespaces(kind string) bool {
	return m.Namespaced && !kubeapi.InClusterScope(kind)
}

// Selects reports whether a kind's part of the cache is limited, or may be, in
// another way than all kinds are to namespaces.
func (m *Manager) Selects(kind string) bool {
	if !m.Known || m.Selected || m.LimitsUnknown {
		return true
	}
	_, found := slices.BinarySearch(m.Limited, kind)
	return found
}

// Disables reports whether a kind is not read from the cache, or may not be.
func (m *Manager) Disables(kind string) bool {
	return m.ReadsUnknown || m.DisablesFor(kind)
}

// DisablesFor reports whether a kind is certainly not read from the cache.
func (m *Manager) DisablesFor(kind string) bool {
	_, found := slices.BinarySearch(m.Disabled, kind)
	return found
}

// Reader reads the managers of one package.
type Reader struct {
	Calls *calls.Graph
	Fset  *token.FileSet
}

// Of returns what is known of the manager that a call makes; see
// [kubeapi.MakesManager].
func (r *Reader) Of(call ssa.CallInstruction) *Manager {
	m := &Manager{Where: syntax.Place(r.Fset, call.Pos()), Known: true}
	at := r.Fset.Position(call.Pos())
	m.ID = fmt.Sprintf("%s/%s:%d:%d", r.Calls.Pkg.Pkg.Path(), filepath.Base(at.Filename), at.Line, at.Column)
	args := call.Common().Args
	if len(args) != 2 {
		m.Known, m.ReadsUnknown = false, true
		return m
	}
	m.Older = !kubeapi.HasField(args[1].Type(), "Cache")
	m.HasSelectors = !m.Older || kubeapi.SelectsByObject(args[1].Type())
	m.HasDisableFor = !m.Older || kubeapi.HasField(args[1].Type(), "ClientDisableCacheFor")
	o := &options{m: m, r: r, call: call, read: &literals.Reader{Calls: r.Calls}}
	o.manager(o.read.Read(args[1]))
	slices.Sort(m.Limited)
	m.Limited = slices.Compact(m.Limited)
	slices.Sort(m.Disabled)
	m.Disabled = slices.Compact(m.Disabled)
	if m.Selected || m.LimitsUnknown {
		m.Empty = nil
	}
	return m
}

// options reads the options of one manager.
type options struct {
	m    *Manager
	r    *Reader
	call ssa.CallInstruction
	read *literals.Reader
}

// manager reads manager.Options.
func (o *options) manager(s *literals.Struct) {
	if s.Open {
		o.m.Known, o.m.ReadsUnknown = false, true
		return
	}
	o.namespace(s, "Namespace")
	if cache, ok := o.read.Field(s, "Cache"); ok {
		o.cache(cache)
	}
	if s.Set("NewCache") {
		o.newCache(s)
	}
	if client, ok := o.read.Field(s, "Client"); ok {
		o.client(client)
		o.m.DisabledSometimes = o.optional(s, "Client") || o.optional(client, "Cache")
	}
	for _, list := range nonZero(s.Values["ClientDisableCacheFor"]) {
		o.disable(list)
	}
	if s.Set("NewClient") {
		o.newClient(s.Values["NewClient"])
	}
	if s.Set("ClientBuilder") {
		o.clientBuilder(s.Values["ClientBuilder"])
	}
}

func nonZero(values []ssa.Value) []ssa.Value {
	return slices.DeleteFunc(slices.Clone(values), literals.IsZero)
}

// cache reads cache.Options.
func (o *options) cache(s *literals.Struct) {
	if s.Open {
		o.m.Known = false
		return
	}
	o.namespace(s, "Namespace")
	o.namespace(s, "Namespaces")
	o.namespaces(s, "DefaultNamespaces")
	for _, name := range []string{"DefaultLabelSelector", "DefaultFieldSelector", "DefaultSelector", "DefaultView", "NewInformer"} {
		o.m.Selected = o.m.Selected || s.Set(name)
	}
	o.m.FailsOnMissing = o.m.FailsOnMissing || s.Set("ReaderFailOnMissingInformer")
	for _, v := range nonZero(s.Values["DefaultTransform"]) {
		kinds, all := o.trims(v)
		o.m.Selected = o.m.Selected || all
		o.m.Limited = append(o.m.Limited, kinds...)
	}
	for _, name := range []string{"ByObject", "SelectorsByObject", "TransformByObject", "ViewByObject"} {
		o.byObject(s, name)
	}
}

// namespace reads a namespace, or a list of them.
func (o *options) namespace(s *literals.Struct, field string) {
	if !s.Set(field) {
		return
	}
	optional := o.optional(s, field)
	o.namespaced(optional)
	if values := s.Values[field]; !optional && field == "Namespace" && s.Nested[field] == nil {
		o.confined(values, o.call.Block())
	}
}

// namespaces reads a map of namespaces, which limits a cache unless it is just to
// all namespaces.
func (o *options) namespaces(s *literals.Struct, field string) {
	if !s.Set(field) && len(s.Loads[field]) == 0 {
		return
	}
	entries, known := o.read.Entries(append(nonZero(s.Values[field]), s.Loads[field]...)...)
	if !known {
		o.namespaced(o.optional(s, field))
		return
	}
	var limiting []ssa.Instruction
	for _, e := range entries {
		if key, isConst := kubeapi.ConstString(e.Key); !isConst || key != "" || !isZeroStruct(o.read, e.Value) {
			limiting = append(limiting, e.At)
		}
	}
	if len(limiting) > 0 {
		optional := o.optional(s, field) || o.avoidable(limiting)
		o.namespaced(optional)
		if keys, _ := o.keys(s, field); !optional && len(keys) == len(limiting) {
			o.confined(keys, limiting[0].Block())
		}
	}
}

func isZeroStruct(read *literals.Reader, v ssa.Value) bool {
	if literals.IsZero(v) {
		return true
	}
	s := read.Read(v)
	return !s.Open && len(s.Names()) == 0
}

// byObject reads the options for single kinds.
func (o *options) byObject(s *literals.Struct, field string) {
	if !s.Set(field) && len(s.Loads[field]) == 0 {
		return
	}
	entries, known := o.read.Entries(append(nonZero(s.Values[field]), s.Loads[field]...)...)
	if !known {
		o.m.LimitsUnknown = true
	}
	for _, e := range entries {
		kind := o.kind(e.Key)
		if kind == "" {
			o.m.LimitsUnknown = true
			continue
		}
		limits, empty := o.entry(e.Value)
		switch {
		case limits:
			o.m.ConfinedKinds = slices.DeleteFunc(o.m.ConfinedKinds, func(other string) bool { return other == kind })
			if !slices.Contains(o.m.Limited, kind) && !o.optional(s, field) && o.confinesOwn(e) {
				o.m.ConfinedKinds = append(o.m.ConfinedKinds, kind)
			}
			o.m.Limited = append(o.m.Limited, kind)
		case empty:
			o.m.Empty = append(o.m.Empty, EmptyEntry{Kind: kind, Where: syntax.Place(o.r.Fset, e.At.Pos()), Pos: e.At.Pos()})
		}
	}
}

// entry tells whether an entry for one kind limits what is kept of it, and
// whether it has nothing in it at all.
func (o *options) entry(v ssa.Value) (limits, empty bool) {
	if _, isFunc := v.Type().Underlying().(*types.Signature); isFunc {
		kinds, all := o.trims(v)
		return all || len(kinds) > 0, false
	}
	if literals.IsZero(v) {
		return false, true
	}
	s := o.read.Read(v)
	if s.Open {
		return true, false
	}
	empty = true
	for _, name := range s.Names() {
		empty = false
		switch name {
		case "UnsafeDisableDeepCopy", "EnableWatchBookmarks", "SyncPeriod":
		case "Transform":
			for _, fn := range nonZero(s.Values[name]) {
				kinds, all := o.trims(fn)
				limits = limits || all || len(kinds) > 0
			}
		default:
			limits = true
		}
	}
	return limits, empty
}

// kind names the kind of the object that is the key of an entry, or an element
// of a list.
func (o *options) kind(v ssa.Value) string {
	if inner, ok := v.(*ssa.MakeInterface); ok {
		v = inner.X
	}
	if kind := kubeapi.KindOf(v.Type()); kind != nil && !kubeapi.IsPartialMetadata(v.Type()) {
		return kubeapi.KindID(kind)
	}
	if kubeapi.IsUnstructured(v.Type()) || kubeapi.IsPartialMetadata(v.Type()) {
		return UntypedKind(o.read, v)
	}
	return ""
}

// client reads client.Options.
func (o *options) client(s *literals.Struct) {
	if s.Open {
		o.m.ReadsUnknown = true
		return
	}
	if cache, ok := o.read.Field(s, "Cache"); ok {
		o.clientCache(cache)
	}
}

// clientCache reads client.CacheOptions, and what was called so before.
func (o *options) clientCache(s *literals.Struct) {
	if s.Open || s.Set("Reader") {
		o.m.ReadsUnknown = true
		return
	}
	for _, name := range []string{"DisableFor", "UncachedObjects"} {
		for _, list := range nonZero(s.Values[name]) {
			o.disable(list)
		}
	}
	o.m.Unstructured = o.m.Unstructured || s.Set("Unstructured") || s.Set("CacheUnstructured")
}

// disable notes the kinds of a list of objects that are not read from the cache.
func (o *options) disable(list ssa.Value) {
	elements, known := o.read.Elements(list)
	if !known {
		o.m.ReadsUnknown = true
	}
	for _, e := range elements {
		if kind := o.kind(e); kind != "" {
			o.m.Disabled = append(o.m.Disabled, kind)
		} else {
			o.m.ReadsUnknown = true
		}
	}
}
