package kubeapi

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const cachePath = "k8s.io/client-go/tools/cache"

// CacheSource is a kind of place that hands out objects of an informer's
// cache.
type CacheSource uint8

const (
	// NoCacheSource is the zero value.
	NoCacheSource CacheSource = iota
	// ListerObject is what a lister returns: generated, generic or dynamic.
	ListerObject
	// StoreObject is what the store or indexer of an informer returns.
	StoreObject
	// HandlerObject is what the handler of an informer, a predicate or a map
	// function is called with.
	HandlerObject
)

// CacheRead is a call that returns objects of a cache.
type CacheRead struct {
	Source CacheSource
	Result int // the index of the result
	// Slice tells that the result is a slice made for the caller, whose
	// elements are the objects.
	Slice bool
	// Store is the store that is read, for a StoreObject.
	Store ssa.Value
	// Doubtful tells that the lister's interface is one that anybody may have
	// written and implemented, with copies perhaps.
	Doubtful bool
}

// CacheReadOf recognises the calls that return objects of a cache, by their
// signatures: listers' Get and List, and the stores and indexers of client-go.
func CacheReadOf(fn *types.Func, recv ssa.Value) (CacheRead, bool) {
	sig := fn.Signature()
	if sig.Recv() == nil {
		return CacheRead{}, false
	}
	switch {
	case IsListerGet(fn):
		return CacheRead{Source: ListerObject, Doubtful: !isKnownLister(sig.Recv().Type())}, true
	case IsListerList(fn):
		return CacheRead{Source: ListerObject, Slice: true, Doubtful: !isKnownLister(sig.Recv().Type())}, true
	case isListerExpansion(fn):
		_, slice := sig.Results().At(0).Type().Underlying().(*types.Slice)
		return CacheRead{Source: ListerObject, Slice: slice}, true
	}
	if !IsStore(sig.Recv().Type()) {
		return CacheRead{}, false
	}
	switch fn.Name() {
	case "Get", "GetByKey":
		return CacheRead{Source: StoreObject, Store: recv}, sig.Results().Len() == 3 && isAny(sig.Results().At(0).Type())
	case "List", "ByIndex", "Index":
		return CacheRead{Source: StoreObject, Slice: true, Store: recv}, sig.Results().Len() > 0
	}
	return CacheRead{}, false
}

// isKnownLister reports whether a lister's type is one that lister-gen made,
// or one of client-go's own.
func isKnownLister(t types.Type) bool {
	if named := Named(t); named != nil && named.Obj().Pkg() != nil {
		path := PackagePath(named.Obj().Pkg())
		if strings.HasPrefix(path, "k8s.io/client-go/") || strings.HasPrefix(path, "k8s.io/kube-aggregator/") {
			return true
		}
	}
	iface, ok := t.Underlying().(*types.Interface)
	if !ok {
		return true // a type with a body of its own, outside the user's modules or generated
	}
	for embedded := range iface.EmbeddedTypes() {
		if isExpansion(embedded) {
			return true
		}
	}
	return false
}

// isExpansion recognises the interface that lister-gen embeds in each
// interface that it makes, for methods written by hand.
func isExpansion(t types.Type) bool {
	named := Named(t)
	return named != nil && types.IsInterface(named) && strings.HasSuffix(named.Obj().Name(), "ListerExpansion")
}

// isListerExpansion recognises the methods that are added to a generated
// lister by hand, such as PodDisruptionBudgetLister.GetPodPodDisruptionBudgets.
func isListerExpansion(fn *types.Func) bool {
	sig := fn.Signature()
	if !isExpansion(sig.Recv().Type()) || sig.Results().Len() != 2 || !IsError(sig.Results().At(1).Type()) {
		return false
	}
	t := sig.Results().At(0).Type()
	if slice, ok := t.Underlying().(*types.Slice); ok {
		t = slice.Elem()
	}
	_, pointer := t.Underlying().(*types.Pointer)
	return pointer && IsObject(t)
}

// IsStore recognises client-go's Store, Indexer and what has their methods.
func IsStore(t types.Type) bool {
	byKey, replace := method(t, "GetByKey"), method(t, "Replace")
	if byKey == nil || replace == nil || byKey.Params().Len() != 1 || byKey.Results().Len() != 3 {
		return false
	}
	return IsNamed(t, cachePath, "Store", "Indexer") || HasMethod(t, "ListKeys")
}

// IsInformerStore reports whether fn returns the store or indexer of an
// informer.
func IsInformerStore(fn *types.Func) bool {
	sig := fn.Signature()
	return sig.Recv() != nil && (fn.Name() == "GetStore" || fn.Name() == "GetIndexer") && sig.Params().Len() == 0 &&
		sig.Results().Len() == 1 && IsStore(sig.Results().At(0).Type()) && HasMethod(sig.Recv().Type(), "HasSynced")
}

// NewsInformerStore reports whether fn makes an informer and returns its store
// first.
func NewsInformerStore(fn *types.Func) bool {
	results := fn.Signature().Results()
	return newsOfCache(fn) && strings.Contains(fn.Name(), "Informer") && results.Len() == 2 && IsStore(results.At(0).Type())
}

// NewsStore reports whether fn makes a store that belongs to the caller.
func NewsStore(fn *types.Func) bool {
	results := fn.Signature().Results()
	return newsOfCache(fn) && results.Len() == 1 && IsStore(results.At(0).Type())
}

// newsOfCache reports whether fn is a constructor of client-go's package cache.
func newsOfCache(fn *types.Func) bool {
	return fn.Pkg() != nil && IsCachePackage(fn.Pkg()) && fn.Signature().Recv() == nil && strings.HasPrefix(fn.Name(), "New")
}

// ReflectsInto returns the store that a call of client-go fills from the API
// server, such as NewReflector's, as the index of the argument, or -1.
func ReflectsInto(fn *types.Func) int {
	if fn.Pkg() == nil || !IsCachePackage(fn.Pkg()) || fn.Signature().Recv() != nil || !strings.Contains(fn.Name(), "Reflector") {
		return -1
	}
	params := fn.Signature().Params()
	for i := range params.Len() {
		if t := params.At(i).Type(); IsStore(t) || IsNamed(t, cachePath, "ReflectorStore") {
			return i
		}
	}
	return -1
}

// IsCachePackage reports whether pkg is client-go's package of informers and stores.
func IsCachePackage(pkg *types.Package) bool {
	return isAt(pkg, cachePath)
}

// ObjectsCallback reports whether a function calls its index-th argument once for each object
// of its first one (a store, a slice, a map or a list), as cache.ListAll does. The objects are
// those parameters of the callback that have the elements' type.
func ObjectsCallback(fn *types.Func, index int) bool {
	if fn.Pkg() == nil || !takesFunc(fn.Signature(), index) {
		return false
	}
	path := packagePath(fn)
	return IsCachePackage(fn.Pkg()) && strings.HasPrefix(fn.Name(), "ListAll") ||
		path == "k8s.io/apimachinery/pkg/api/meta" && strings.HasPrefix(fn.Name(), "EachListItem") ||
		index > 0 && slices.Contains(elementPackages, path)
}

// elementPackages have functions that take a slice or map and call a function
// for each element.
var elementPackages = []string{"slices", "maps", "golang.org/x/exp/slices", "golang.org/x/exp/maps", "github.com/samber/lo"}

// SharesElements reports whether fn, outside the user's modules, returns a new
// container with the elements of its first argument: a shallow copy.
func SharesElements(fn *types.Func) bool {
	if fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return false
	}
	switch path := packagePath(fn); {
	case path == "slices" || path == "maps" || strings.HasPrefix(path, "golang.org/x/exp/"):
		return slices.Contains([]string{"Clone", "Concat", "Collect", "Sorted", "SortedFunc", "SortedStableFunc", "Values", "All", "Backward"}, fn.Name())
	case path == "github.com/samber/lo":
		return slices.Contains([]string{"Filter", "Reject", "Values", "UniqBy", "Uniq", "PickBy", "OmitBy", "Flatten", "Compact"}, fn.Name())
	}
	return false
}

// Aliases returns the operand whose memory the result of fn, outside the
// user's modules, is a part of, or -1: getters of API objects, accessors,
// functions that find an element.
func Aliases(fn *types.Func) int {
	sig := fn.Signature()
	if sig.Recv() == nil {
		switch FuncKey(fn) {
		case "k8s.io/apimachinery/pkg/api/meta.Accessor", "k8s.io/apimachinery/pkg/api/meta.CommonAccessor", "k8s.io/apimachinery/pkg/api/meta.TypeAccessor",
			"k8s.io/apimachinery/pkg/api/meta.FindStatusCondition",
			"k8s.io/apimachinery/pkg/apis/meta/v1.GetControllerOfNoCopy",
			"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured.NestedFieldNoCopy",
			"k8s.io/utils/ptr.Deref", "sort.Reverse", "slices.Clip", "slices.Compact", "slices.CompactFunc", "slices.Delete", "slices.DeleteFunc",
			"slices.Insert", "slices.Replace", "slices.Grow":
			return 0
		}
		return -1
	}
	if sig.Params().Len() > 0 || sig.Results().Len() != 1 || !IsObject(sig.Recv().Type()) && !IsObjectMeta(sig.Recv().Type()) && !IsTypeMeta(sig.Recv().Type()) {
		return -1
	}
	// The getters of an Unstructured copy, but for this one.
	if copies := IsUnstructured(sig.Recv().Type()); !copies && strings.HasPrefix(fn.Name(), "Get") || copies && fn.Name() == "UnstructuredContent" {
		return 0
	}
	return -1
}

// IsTypeMeta reports whether t is the kind and version of an object.
func IsTypeMeta(t types.Type) bool { return IsNamed(t, metav1Path, "TypeMeta") }

// FuncKey is the full name of a function, a vendored copy's as the original's.
func FuncKey(fn *types.Func) string {
	full := FullName(fn)
	if fn.Signature().Recv() != nil {
		return full
	}
	return strings.TrimPrefix(full, vendorPrefix(full))
}

// How a function changes its operand, see [MemoryWrite].
const (
	WriteSet     = "writes to"
	WriteSort    = "reorders"
	WriteDelete  = "deletes from"
	WriteDecode  = "decodes into"
	WriteOverlap = "overwrites"
)

// MemoryWrite is a change that a function outside the user's modules makes in
// the memory that an operand refers to.
type MemoryWrite struct {
	Operand int // the receiver, if any, is operand 0
	How     string
	// Deep is the path of a reference behind which it writes, too: an entry
	// that is there already is changed where it lies.
	Deep string
}

// deepWrites are the paths of references that functions write behind.
var deepWrites = map[string]string{
	"k8s.io/apimachinery/pkg/api/meta.SetStatusCondition":        "*",
	"k8s.io/apimachinery/pkg/apis/meta/v1.SetMetaDataAnnotation": "Annotations.*",
	"k8s.io/apimachinery/pkg/apis/meta/v1.SetMetaDataLabel":      "Labels.*",
}

// memoryWrites lists functions that change what an operand refers to, beside
// those of [Mutations].
var memoryWrites = map[string]MemoryWrite{
	"sort.Slice": {Operand: 0, How: WriteSort}, "sort.SliceStable": {Operand: 0, How: WriteSort}, "sort.Sort": {Operand: 0, How: WriteSort}, "sort.Stable": {Operand: 0, How: WriteSort},
	"sort.Strings": {Operand: 0, How: WriteSort}, "sort.Ints": {Operand: 0, How: WriteSort}, "sort.Float64s": {Operand: 0, How: WriteSort},
	"slices.Sort": {Operand: 0, How: WriteSort}, "slices.SortFunc": {Operand: 0, How: WriteSort}, "slices.SortStableFunc": {Operand: 0, How: WriteSort}, "slices.Reverse": {Operand: 0, How: WriteSort},
	"slices.Delete": {Operand: 0, How: WriteDelete}, "slices.DeleteFunc": {Operand: 0, How: WriteDelete}, "slices.Compact": {Operand: 0, How: WriteDelete},
	"slices.CompactFunc": {Operand: 0, How: WriteDelete}, "slices.Replace": {Operand: 0, How: WriteOverlap},
	"maps.Copy": {Operand: 0, How: WriteOverlap}, "maps.Insert": {Operand: 0, How: WriteOverlap}, "maps.DeleteFunc": {Operand: 0, How: WriteDelete},
	"github.com/samber/lo.Reverse": {Operand: 0, How: WriteSort}, "github.com/samber/lo.Shuffle": {Operand: 0, How: WriteSort},

	"encoding/json.Unmarshal": {Operand: 1, How: WriteDecode}, "(*encoding/json.Decoder).Decode": {Operand: 1, How: WriteDecode},
	"sigs.k8s.io/yaml.Unmarshal": {Operand: 1, How: WriteDecode}, "sigs.k8s.io/yaml.UnmarshalStrict": {Operand: 1, How: WriteDecode},
	"gopkg.in/yaml.v2.Unmarshal": {Operand: 1, How: WriteDecode}, "gopkg.in/yaml.v3.Unmarshal": {Operand: 1, How: WriteDecode},
	"k8s.io/apimachinery/pkg/util/json.Unmarshal":                               {Operand: 1, How: WriteDecode},
	"k8s.io/apimachinery/pkg/runtime.DecodeInto":                                {Operand: 2, How: WriteDecode},
	"(*k8s.io/apimachinery/pkg/util/yaml.YAMLOrJSONDecoder).Decode":             {Operand: 1, How: WriteDecode},
	"(k8s.io/apimachinery/pkg/runtime.UnstructuredConverter).FromUnstructured":  {Operand: 2, How: WriteDecode},
	"(*k8s.io/apimachinery/pkg/runtime.unstructuredConverter).FromUnstructured": {Operand: 2, How: WriteDecode},
	"(*k8s.io/apimachinery/pkg/runtime.Scheme).Default":                         {Operand: 1, How: WriteSet},

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured.SetNestedField":       {Operand: 0, How: WriteSet},
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured.SetNestedMap":         {Operand: 0, How: WriteSet},
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured.SetNestedSlice":       {Operand: 0, How: WriteSet},
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured.SetNestedStringMap":   {Operand: 0, How: WriteSet},
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured.SetNestedStringSlice": {Operand: 0, How: WriteSet},
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured.RemoveNestedField":    {Operand: 0, How: WriteDelete},
	"github.com/imdario/mergo.Merge":                                         {Operand: 0, How: WriteOverlap}, "dario.cat/mergo.Merge": {Operand: 0, How: WriteOverlap},
}

// MemoryWriteOf tells what fn, outside the user's modules, changes in the
// memory that one of its operands refers to.
func MemoryWriteOf(fn *types.Func) (MemoryWrite, bool) {
	key := FuncKey(fn)
	if found, ok := memoryWrites[key]; ok {
		return found, true
	}
	if found, ok := memoryWrites[strings.TrimPrefix(key, "golang.org/x/exp/")]; ok {
		return found, true
	}
	if effects, ok := Mutations(fn); ok {
		return MemoryWrite{effects[0].Operand, WriteSet, deepWrites[key]}, true
	}
	sig := fn.Signature()
	if recv := sig.Recv(); recv != nil && sig.Params().Len() > 0 && sig.Results().Len() == 0 && isSetter(fn.Name()) && isObjectPart(recv.Type()) {
		return MemoryWrite{Operand: 0, How: WriteSet}, true
	}
	return MemoryWrite{}, false
}

// sortedTests tell whether there is anything to sort.
var sortedTests = newNameTable(
	"sort.StringsAreSorted", "sort.IntsAreSorted", "sort.Float64sAreSorted", "sort.IsSorted", "sort.SliceIsSorted",
	"slices.IsSorted", "slices.IsSortedFunc", "golang.org/x/exp/slices.IsSorted", "golang.org/x/exp/slices.IsSortedFunc",
)

// TellsSorted reports whether fn tells if a slice is sorted.
func TellsSorted(fn *types.Func) bool { return sortedTests.match(fn) }

// SetsDefaults reports whether fn, outside the user's modules, fills in what an
// object leaves out.
func SetsDefaults(fn *types.Func) bool {
	return FuncKey(fn) == "(*k8s.io/apimachinery/pkg/runtime.Scheme).Default"
}

func isSetter(name string) bool {
	rest, ok := strings.CutPrefix(name, "Set")
	return ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z'
}

// isObjectPart reports whether t is an API object or its metadata, behind a
// pointer or an interface.
func isObjectPart(t types.Type) bool {
	if _, pointer := types.Unalias(t).(*types.Pointer); !pointer && !types.IsInterface(t) {
		return false
	}
	return IsObject(t) || IsObjectMeta(t) || IsTypeMeta(t) || IsNamed(t, "k8s.io/apimachinery/pkg/runtime/schema", "ObjectKind")
}

// PointsToTrue reports whether v is a pointer to the constant true: &t, new(true),
// ptr.To(true).
func PointsToTrue(v ssa.Value) bool { return pointsTo(v, true) }

// PointsToFalse is [PointsToTrue] for the constant false.
func PointsToFalse(v ssa.Value) bool { return pointsTo(v, false) }

func pointsTo(v ssa.Value, wanted bool) bool {
	is := func(v ssa.Value) bool {
		value, ok := ConstBool(v)
		return ok && value == wanted
	}
	switch v := v.(type) {
	case *ssa.Call:
		return len(v.Call.Args) == 1 && is(v.Call.Args[0])
	case *ssa.Alloc:
		stored := storedAt(v)
		return len(stored) > 0 && is(stored[0])
	}
	return false
}
