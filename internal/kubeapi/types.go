package kubeapi

import (
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const metav1Path = "k8s.io/apimachinery/pkg/apis/meta/v1"

// IsNamed reports whether t, or what it points to, is a named type of the package with the
// given path that has one of the names. A vendored copy counts.
func IsNamed(t types.Type, path string, names ...string) bool {
	named := Named(t)
	if named == nil || !slices.Contains(names, named.Obj().Name()) || named.Obj().Pkg() == nil {
		return false
	}
	return isAt(named.Obj().Pkg(), path)
}

// isAt reports whether a package, or what it is a vendored copy of, has a path.
func isAt(pkg *types.Package, path string) bool {
	return pkg.Path() == path || strings.HasSuffix(pkg.Path(), "/vendor/"+path)
}

// Named returns the named type that t is or points to, or nil; a generic
// instance is replaced by its origin.
func Named(t types.Type) *types.Named {
	t = types.Unalias(t)
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	named, _ := t.(*types.Named)
	if named == nil {
		return nil
	}
	return named.Origin()
}

// IsContext reports whether t is context.Context.
func IsContext(t types.Type) bool { return IsNamed(t, "context", "Context") }

// IsObjectMeta reports whether t is metav1.ObjectMeta or a pointer to it.
func IsObjectMeta(t types.Type) bool { return IsNamed(t, metav1Path, "ObjectMeta") }

// IsError reports whether t is the error type.
func IsError(t types.Type) bool {
	// Not types.Identical: it panics on what package ssa made the type of
	// iterators before x/tools v0.52, which gopls is built without.
	return types.Unalias(t) == types.Universe.Lookup("error").Type()
}

// IsErrorStruct reports whether t is, or points to, a struct that is an error.
func IsErrorStruct(t types.Type) bool {
	named := Named(t)
	if named == nil {
		return false
	}
	if _, ok := named.Underlying().(*types.Struct); !ok {
		return false
	}
	return types.Implements(types.NewPointer(named), types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

// KindOf returns the API kind that t is or points to: a struct with
// metav1.TypeMeta and metav1.ObjectMeta embedded. It returns nil for anything
// else, also for wrappers that embed a kind, and for list types.
func KindOf(t types.Type) *types.Named {
	named := Named(t)
	if named == nil {
		return nil
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var typeMeta, objectMeta bool
	for field := range s.Fields() {
		if !field.Embedded() {
			continue
		}
		typeMeta = typeMeta || IsNamed(field.Type(), metav1Path, "TypeMeta")
		objectMeta = objectMeta || IsNamed(field.Type(), metav1Path, "ObjectMeta")
	}
	if !typeMeta || !objectMeta {
		return nil
	}
	return named
}

// KindOfValue returns the kind that v is, or points to, seen through the
// interfaces that it was put into here; nil if it is not known.
func KindOfValue(v ssa.Value) *types.Named {
	for {
		if kind := KindOf(v.Type()); kind != nil {
			return kind
		}
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		default:
			return nil
		}
	}
}

// KindBehind returns the kind that v is, or points to, seen through whatever it was
// converted or asserted from; nil if it is not known.
func KindBehind(v ssa.Value) *types.Named {
	for v != nil {
		if kind := KindOf(v.Type()); kind != nil {
			return kind
		}
		v = Converted(v)
	}
	return nil
}

// IsObject reports whether a value of type t is an API object as clients take
// it: a pointer to a kind, an Unstructured, an interface such as client.Object
// or runtime.Object, or a type parameter constrained by one.
func IsObject(t types.Type) bool {
	if KindOf(t) != nil {
		return true
	}
	if types.IsInterface(t) {
		return HasAnyMethod(t, "DeepCopyObject", "GetResourceVersion")
	}
	return HasMethod(t, "DeepCopyObject") && HasMethod(t, "GetResourceVersion")
}

// HasMethod reports whether the method set of t has an exported method of
// that name.
func HasMethod(t types.Type, name string) bool {
	return methodNamed(t, name) != nil
}

// HasAnyMethod reports whether the method set of t has an exported method of one of the names.
func HasAnyMethod(t types.Type, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return HasMethod(t, name) })
}

// jsonName returns the name under which encoding/json stores the field.
func jsonName(s *types.Struct, i int) string {
	name, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
	return name
}

// KeepsEmpty reports whether encoding/json writes the field when its list or map
// is empty: it has a JSON name, and no omitempty nor omitzero. What was stored
// empty is read back empty then, and not nil.
func KeepsEmpty(s *types.Struct, i int) bool {
	name, options, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
	return name != "" && name != "-" && !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero")
}

// IsComposite reports whether a kind is a claim or a composite resource of Crossplane, which
// makes its CRD, with a status subresource, of an XRD: it says so in fields of its spec.
func IsComposite(kind *types.Named) bool {
	spec := jsonField(kind, "spec")
	if spec == nil {
		return false
	}
	return slices.ContainsFunc([]string{"compositionRef", "compositionSelector", "compositionRevisionRef", "compositionUpdatePolicy"}, func(name string) bool {
		return jsonField(spec.Type(), name) != nil
	})
}

// StatusField returns the field of a kind that the API serves as its status,
// or nil. It is told by its JSON name, as the API server does.
func StatusField(kind *types.Named) *types.Var {
	return jsonField(kind, "status")
}

// jsonField returns the field of a struct, or of what a pointer to one points to, that has a JSON name, or nil.
func jsonField(t types.Type, name string) *types.Var {
	s := structOf(t)
	if s == nil {
		return nil
	}
	for i := range s.NumFields() {
		if jsonName(s, i) == name {
			return s.Field(i)
		}
	}
	return nil
}

// Aspect is a part of an API object that is written through an endpoint of
// its own or guarded by rules of its own.
type Aspect uint16

// The aspects, one bit each: a change may concern several.
const (
	Status Aspect = 1 << iota
	Spec
	Finalizers
	Labels
	Annotations
	OwnerReferences
	OtherMetadata // name, namespace, resourceVersion and the like
	Whole         // the whole object at once
)

// Metadata is what the status endpoint drops although users mean to store it.
const Metadata = Finalizers | Labels | Annotations | OwnerReferences

// String names the aspects for messages, such as "status and labels".
func (a Aspect) String() string {
	var names []string
	for _, n := range []struct {
		aspect Aspect
		name   string
	}{
		{Status, "status"}, {Spec, "spec"}, {Finalizers, "finalizers"}, {Labels, "labels"},
		{Annotations, "annotations"}, {OwnerReferences, "owner references"}, {OtherMetadata, "metadata"}, {Whole, "object"},
	} {
		if a&n.aspect != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, " and ")
}

var metadataAspects = map[string]Aspect{
	"finalizers":      Finalizers,
	"labels":          Labels,
	"annotations":     Annotations,
	"ownerReferences": OwnerReferences,
}

// AspectOf tells which part of a kind a field path (Go names, outermost first)
// lies in; the empty path is the whole object.
func AspectOf(kind *types.Named, path []string) Aspect {
	if len(path) == 0 {
		return Whole
	}
	s, ok := kind.Underlying().(*types.Struct)
	if !ok {
		return 0
	}
	for i := range s.NumFields() {
		field := s.Field(i)
		if field.Name() != path[0] {
			continue
		}
		if field.Embedded() && IsNamed(field.Type(), metav1Path, "ObjectMeta") {
			return metadataAspect(field.Type(), path[1:])
		}
		switch jsonName(s, i) {
		case "status":
			return Status
		case "metadata":
			return OtherMetadata
		default:
			// Kinds without a spec (ConfigMap, Role) keep theirs at the top.
			return Spec
		}
	}
	return 0
}

func metadataAspect(objectMeta types.Type, path []string) Aspect {
	if len(path) == 0 {
		return OtherMetadata
	}
	s, ok := objectMeta.Underlying().(*types.Struct)
	if !ok {
		return 0
	}
	for i := range s.NumFields() {
		if s.Field(i).Name() == path[0] {
			if aspect, ok := metadataAspects[jsonName(s, i)]; ok {
				return aspect
			}
			return OtherMetadata
		}
	}
	return 0
}

// metadataSetters are the methods of metav1.Object and metav1.Type that change metadata.
var metadataSetters = map[string]Aspect{
	"SetFinalizers":      Finalizers,
	"SetLabels":          Labels,
	"SetAnnotations":     Annotations,
	"SetOwnerReferences": OwnerReferences,

	"SetName": OtherMetadata, "SetNamespace": OtherMetadata, "SetGenerateName": OtherMetadata, "SetUID": OtherMetadata,
	"SetResourceVersion": OtherMetadata, "SetGeneration": OtherMetadata, "SetSelfLink": OtherMetadata, "SetManagedFields": OtherMetadata,
	"SetCreationTimestamp": OtherMetadata, "SetDeletionTimestamp": OtherMetadata, "SetDeletionGracePeriodSeconds": OtherMetadata,
	"SetAPIVersion": OtherMetadata, "SetKind": OtherMetadata, "SetGroupVersionKind": OtherMetadata,
}

// MetadataSetter tells which aspect of its receiver a method sets, if it is
// one of metav1.Object's setters (on whatever type or interface) of an aspect
// that is told apart.
func MetadataSetter(fn *types.Func) (Aspect, bool) {
	aspect, ok := setsMetadata(fn)
	return aspect, ok && aspect != OtherMetadata
}

// MetadataEntry is what sets one label or annotation.
type MetadataEntry struct {
	Meta, Key, Value ssa.Value
	Part             Aspect
}

// MetadataEntryOf recognises the functions of apimachinery that set one label or annotation.
func MetadataEntryOf(common *ssa.CallCommon) (entry MetadataEntry, ok bool) {
	fn := Callee(common)
	switch {
	case IsFunc(fn, metav1Path, "SetMetaDataAnnotation"):
		entry.Part = Annotations
	case IsFunc(fn, metav1Path, "SetMetaDataLabel"):
		entry.Part = Labels
	default:
		return entry, false
	}
	if len(common.Args) != 3 {
		return entry, false
	}
	entry.Meta, entry.Key, entry.Value = common.Args[0], common.Args[1], common.Args[2]
	return entry, true
}

func setsMetadata(fn *types.Func) (Aspect, bool) {
	aspect, sig := metadataSetters[fn.Name()], fn.Signature()
	if aspect == 0 || sig.Recv() == nil || sig.Params().Len() != 1 || sig.Results().Len() != 0 {
		return 0, false
	}
	return aspect, HasAnyMethod(sig.Recv().Type(), "GetResourceVersion", "GroupVersionKind")
}

// AspectOfUntyped is [AspectOf] for an object whose kind is not known, such as
// a client.Object: only its metadata and, by convention, its status can be
// told, from the paths under which this package's tables record them.
func AspectOfUntyped(path []string) Aspect {
	switch {
	case len(path) == 0:
		return Whole
	case path[0] == StatusPath:
		return Status
	case path[0] == MetadataPath && len(path) > 1:
		for aspect, name := range metadataPaths {
			if path[1] == name {
				return aspect
			}
		}
		return OtherMetadata
	}
	return 0
}

// The names of the fields under which changes made through interfaces are
// recorded: those that kinds have.
const (
	MetadataPath = "ObjectMeta"
	StatusPath   = "Status"
)

var metadataPaths = map[Aspect]string{
	Finalizers:      "Finalizers",
	Labels:          "Labels",
	Annotations:     "Annotations",
	OwnerReferences: "OwnerReferences",
}

// PathOf returns the path of a metadata aspect inside a kind.
func PathOf(aspect Aspect) []string {
	if name, ok := metadataPaths[aspect]; ok {
		return []string{MetadataPath, name}
	}
	return []string{StatusPath}
}

// IsList reports whether t is, or points to, a list of objects as the API serves
// them: a struct with the metadata of lists and the field Items.
func IsList(t types.Type) bool {
	s := structOf(t)
	return s != nil && HasField(t, "Items") && (HasField(t, "ListMeta") || IsUnstructuredList(t))
}

// IsMap reports whether t is a map, under whatever name.
func IsMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// CanFail reports whether the last result of a function or call is an error.
func CanFail(sig *types.Signature) bool {
	results := sig.Results()
	return results.Len() > 0 && IsError(results.At(results.Len()-1).Type())
}

// IsBool reports whether t is a bool, under whatever name.
func IsBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool
}

// IsFuncType reports whether t is the type of functions, under whatever name.
func IsFuncType(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// PackagePath is the path of a package, a vendored copy's as the original's.
func PackagePath(pkg *types.Package) string {
	path := pkg.Path()
	return strings.TrimPrefix(path, vendorPrefix(path))
}

// IsInteger reports whether t is an integer, under whatever name.
func IsInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// IsPointer reports whether t is a pointer, under whatever name.
func IsPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}
