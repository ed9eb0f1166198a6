package kubeapi

import (
	"go/types"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

const (
	runtimeRoot = "sigs.k8s.io/controller-runtime"

	builderPath     = runtimePath + "builder"
	runtimeClient   = runtimePath + "client"
	runtimeCache    = runtimePath + "cache"
	runtimeSource   = runtimePath + "source"
	runtimeManager  = runtimePath + "manager"
	runtimePredPath = runtimePath + "predicate"
)

// beneathRuntime are modules that controller-runtime is made of, and that import nothing
// of it.
var beneathRuntime = []string{"k8s.io/api", "k8s.io/apimachinery", "k8s.io/client-go"}

// ReachesRuntime reports whether a package imports controller-runtime, directly or
// not: others have nothing of its types.
func ReachesRuntime(pass *analysis.Pass) bool {
	known := runtimeReached.Load()
	if known == nil {
		known = new(sync.Map)
	}
	var reaches func(p *types.Package) bool
	reaches = func(p *types.Package) bool {
		if told, ok := known.Load(p); ok {
			return told.(bool)
		}
		found := !isBelow(p.Path(), beneathRuntime) && (isOrBelow(p.Path(), runtimeRoot) || slices.ContainsFunc(p.Imports(), reaches))
		known.Store(p, found)
		return found
	}
	return slices.ContainsFunc(Imports(pass), reaches)
}

// runtimeReached has the packages of which that is known, while it is remembered.
var runtimeReached atomic.Pointer[sync.Map]

// callsEither reports whether a function is called that one package declares
// and another keeps in a variable, as controller-runtime's short names are.
func callsEither(common *ssa.CallCommon, path, name, variablePath, variable string) bool {
	return IsFunc(Callee(common), path, name) || callsVariable(common, variablePath, variable)
}

// SelectsByObject reports whether a release of controller-runtime before 0.15, of which t is the
// type of a manager's options, has the option SelectorsByObject, which came with 0.9.
func SelectsByObject(t types.Type) bool {
	return anyField(structOf(t), func(f *types.Var) bool {
		named := Named(f.Type())
		return f.Name() == "NewCache" && named != nil && named.Obj().Pkg().Scope().Lookup("SelectorsByObject") != nil
	})
}

// MakesManager recognises manager.New and ctrl.NewManager.
func MakesManager(common *ssa.CallCommon) bool {
	return callsEither(common, runtimeManager, "New", runtimeRoot, "NewManager")
}

// ElectsLeader recognises the functions of client-go by which a program takes part in an
// election.
func ElectsLeader(common *ssa.CallCommon) bool {
	const path = "k8s.io/client-go/tools/leaderelection"
	return IsFunc(Callee(common), path, "RunOrDie", "NewLeaderElector")
}

// MakesControllerBuilder recognises builder.ControllerManagedBy and its short
// name: the builder belongs to the manager, which is the first argument.
func MakesControllerBuilder(common *ssa.CallCommon) bool {
	return callsEither(common, builderPath, "ControllerManagedBy", runtimeRoot, "NewControllerManagedBy") ||
		IsFunc(Callee(common), builderPath, "TypedControllerManagedBy")
}

// IsControllerBuilder reports whether t is controller-runtime's builder of
// controllers.
func IsControllerBuilder(t types.Type) bool {
	return IsNamed(t, builderPath, "Builder", "TypedBuilder")
}

// IsManager reports whether t is a manager, or a cluster, of
// controller-runtime, or an interface or type with their methods.
func IsManager(t types.Type) bool {
	return HasMethod(t, "GetClient") && HasMethod(t, "GetCache") && HasMethod(t, "GetAPIReader")
}

// IsReader reports whether t reads objects as controller-runtime's clients and
// caches do.
func IsReader(t types.Type) bool {
	get := method(t, "Get")
	return get != nil && get.Params().Len() >= 3 && IsContext(get.Params().At(0).Type()) &&
		isNamespacedName(get.Params().At(1).Type()) && IsObject(get.Params().At(2).Type())
}

// IsInjector reports whether a method takes the manager's client as releases of
// controller-runtime before 0.15 inject it, by an interface that no code mentions.
func IsInjector(fn *ssa.Function) bool {
	return fn.Name() == "InjectClient" && fn.Signature.Params().Len() == 1 && fn.Signature.Results().Len() == 1 && IsError(fn.Signature.Results().At(0).Type())
}

// IsWriterInterface reports whether t is an interface that changes objects as
// controller-runtime's clients do.
func IsWriterInterface(t types.Type) bool {
	if !types.IsInterface(t) {
		return false
	}
	for _, name := range []string{"Create", "Update", "Patch", "Delete"} {
		m := method(t, name)
		if m != nil && m.Params().Len() >= 2 && IsContext(m.Params().At(0).Type()) && IsObject(m.Params().At(1).Type()) {
			return true
		}
	}
	return false
}

// IsObjectInterface reports whether t is an interface for API objects or
// their lists.
func IsObjectInterface(t types.Type) bool {
	return types.IsInterface(t) && HasMethod(t, "DeepCopyObject")
}

// IsRuntimeClientFunc reports whether fn is the function name of
// controller-runtime's package client.
func IsRuntimeClientFunc(fn *types.Func, name string) bool { return IsFunc(fn, runtimeClient, name) }

// IsRuntimeCacheFunc reports whether fn is the function name of
// controller-runtime's package cache.
func IsRuntimeCacheFunc(fn *types.Func, name string) bool { return IsFunc(fn, runtimeCache, name) }

// KeepsReader recognises functions that put something around a client, which
// goes on reading as before; the client is the first argument.
func KeepsReader(fn *types.Func) bool {
	return IsFunc(fn, runtimeClient, "NewNamespacedClient", "NewDryRunClient", "WithFieldOwner", "WithFieldValidation")
}

// CacheUse is what a call makes a cache do.
type CacheUse uint8

// The uses.
const (
	NoCacheUse CacheUse = iota
	// WatchFor, WatchOwns and WatchOther are the watches of a controller.
	WatchFor
	WatchOwns
	WatchOther
	// WatchMetadata is a watch that keeps the metadata only.
	WatchMetadata
	// InformerUse asks for an informer, or registers an index.
	InformerUse
)

var builderUses = map[string]CacheUse{"For": WatchFor, "Owns": WatchOwns, "Watches": WatchOther, "WatchesMetadata": WatchMetadata}

// CacheUseOf recognises the calls that make a cache watch a kind: the
// controller builder's, sources, informers that are asked for, and indexes. The
// object is the operand (the receiver counted); what the use belongs to (a
// builder, cache, or indexer) is the operand owner, or -1.
func CacheUseOf(common *ssa.CallCommon) (use CacheUse, object, owner int) {
	fn := Callee(common)
	if fn == nil {
		return NoCacheUse, 0, 0
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		switch {
		case IsFunc(fn, runtimeSource, "Kind", "TypedKind"):
			return WatchOther, 1, 0
		case IsFunc(fn, runtimeSource, "NewKindWithCache"):
			return WatchOther, 0, 1
		}
		return NoCacheUse, 0, 0
	}
	params := fn.Signature().Params()
	switch {
	case IsControllerBuilder(recv.Type()) && params.Len() > 0:
		if use := builderUses[fn.Name()]; use != NoCacheUse {
			return use, 1, 0
		}
	case fn.Name() == "GetInformer" && params.Len() >= 2 && IsContext(params.At(0).Type()) && IsObject(params.At(1).Type()):
		return InformerUse, 2, 0
	case fn.Name() == "IndexField" && params.Len() == 4 && IsObject(params.At(1).Type()):
		return InformerUse, 2, 0
	}
	return NoCacheUse, 0, 0
}

// IsOnlyMetadata reports whether an option of the builder's makes a watch keep
// the metadata only.
func IsOnlyMetadata(option ssa.Value) bool {
	return IsVariable(stripInterfaces(option), builderPath, "OnlyMetadata")
}

// IsPredicateFunc reports whether fn is the function name of controller-runtime's
// package predicate.
func IsPredicateFunc(fn *types.Func, name string) bool { return IsFunc(fn, runtimePredPath, name) }

// IsWithPredicates reports whether fn is builder.WithPredicates.
func IsWithPredicates(fn *types.Func) bool { return IsFunc(fn, builderPath, "WithPredicates") }

// IsSourceKind reports whether t is the source of older releases, a struct
// with the object in its field Type.
func IsSourceKind(t types.Type) bool { return IsNamed(t, runtimeSource, "Kind") }

// IsPartialMetadata reports whether t is the metadata of an object, or a list of
// such.
func IsPartialMetadata(t types.Type) bool {
	return IsNamed(t, metav1Path, "PartialObjectMetadata", "PartialObjectMetadataList")
}

// ListElem returns the kind of which t is, or points to, a list: a struct with
// TypeMeta, ListMeta and Items; nil for anything else.
func ListElem(t types.Type) *types.Named {
	s := structOf(t)
	if s == nil {
		return nil
	}
	isList := false
	var items types.Type
	for field := range s.Fields() {
		if field.Embedded() && IsNamed(field.Type(), metav1Path, "ListMeta") {
			isList = true
		}
		if field.Name() == "Items" {
			if slice, ok := field.Type().Underlying().(*types.Slice); ok {
				items = slice.Elem()
			}
		}
	}
	if !isList || items == nil {
		return nil
	}
	return KindOf(items)
}

// KindID is the name by which a kind is known across packages: the path of the
// package that declares its Go type, and the type's name.
func KindID(kind *types.Named) string {
	if kind.Obj().Pkg() == nil {
		return kind.Obj().Name()
	}
	return PackagePath(kind.Obj().Pkg()) + "." + kind.Obj().Name()
}

// ownGroups are the groups of Kubernetes' own API, with the folder of k8s.io/api that has
// their types. Projects beside it have groups under k8s.io, too: autoscaling.k8s.io is
// not autoscaling.
var ownGroups = map[string]string{
	"": "core", "apps": "apps", "autoscaling": "autoscaling", "batch": "batch", "extensions": "extensions", "policy": "policy",
	"admissionregistration.k8s.io": "admissionregistration", "authentication.k8s.io": "authentication",
	"authorization.k8s.io": "authorization", "certificates.k8s.io": "certificates", "coordination.k8s.io": "coordination",
	"discovery.k8s.io": "discovery", "events.k8s.io": "events", "flowcontrol.apiserver.k8s.io": "flowcontrol",
	"internal.apiserver.k8s.io": "apiserverinternal", "networking.k8s.io": "networking", "node.k8s.io": "node",
	"rbac.authorization.k8s.io": "rbac", "resource.k8s.io": "resource", "scheduling.k8s.io": "scheduling",
	"storage.k8s.io": "storage", "storagemigration.k8s.io": "storagemigration",
}

// KindIDOf is [KindID] for a group, version and kind, as far as Kubernetes'
// own groups go; others get a name of their own.
func KindIDOf(group, version, kind string) string {
	kind = strings.TrimSuffix(kind, "List")
	if folder, ok := ownGroups[group]; ok {
		return "k8s.io/api/" + folder + "/" + version + "." + kind
	}
	return group + "/" + version + "." + kind
}

// bulkyKinds are those of which a cluster has so many, or so large ones, that
// caches of all of them kill operators.
var bulkyKinds = map[string]bool{
	"k8s.io/api/core/v1.Secret": true, "k8s.io/api/core/v1.ConfigMap": true, "k8s.io/api/core/v1.Pod": true,
	"k8s.io/api/core/v1.Event": true, "k8s.io/api/events/v1.Event": true, "k8s.io/api/core/v1.Node": true,
}

// IsBulky reports whether a cluster has so many objects of a kind, or so large
// ones, that caching all of them costs a lot of memory.
func IsBulky(kindID string) bool { return bulkyKinds[kindID] }

// clusterKinds are the kinds of k8s.io/api without a namespace.
var clusterKinds = map[string]bool{"Node": true, "Namespace": true, "PersistentVolume": true, "ClusterRole": true, "ClusterRoleBinding": true, "StorageClass": true}

// InClusterScope reports whether a kind of Kubernetes' own has no namespace, so that
// limiting a cache to namespaces does not concern it.
func InClusterScope(kindID string) bool {
	name, ok := strings.CutPrefix(kindID, "k8s.io/api/")
	return ok && clusterKinds[name[strings.LastIndex(name, ".")+1:]]
}
