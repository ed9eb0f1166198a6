package kubeapi

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// IsTombstone reports whether t is cache.DeletedFinalStateUnknown, which
// client-go's informers hand to delete handlers, by value, in the place of an
// object whose deletion they have missed.
func IsTombstone(t types.Type) bool {
	_, isNamed := types.Unalias(t).(*types.Named)
	return isNamed && IsNamed(t, cachePath, "DeletedFinalStateUnknown")
}

// IsTombstonePointer reports whether t is a pointer to a tombstone, which no
// informer ever delivers.
func IsTombstonePointer(t types.Type) bool {
	ptr, ok := types.Unalias(t).(*types.Pointer)
	return ok && IsTombstone(ptr.Elem())
}

// HandlerField is a field of client-go's handler structs.
type HandlerField uint8

// The fields that analyzers ask for.
const (
	NoHandlerField HandlerField = iota
	DeleteFunc                  // of ResourceEventHandlerFuncs and ResourceEventHandlerDetailedFuncs
	UpdateFunc
	FilterFunc // of FilteringResourceEventHandler
	FilteredHandler
)

// HandlerFieldOf tells which field of client-go's handler structs the
// index-th field of t is. Structs of other libraries that have fields of the
// same names are no informer handlers, nor are the typed handlers of newer
// releases: these get a DeletedObject, which says what it is.
func HandlerFieldOf(t types.Type, index int) HandlerField {
	name := fieldName(t, index)
	switch {
	case IsNamed(t, cachePath, "ResourceEventHandlerFuncs", "ResourceEventHandlerDetailedFuncs"):
		switch name {
		case "DeleteFunc":
			return DeleteFunc
		case "UpdateFunc":
			return UpdateFunc
		}
	case IsNamed(t, cachePath, "FilteringResourceEventHandler"):
		switch name {
		case "FilterFunc":
			return FilterFunc
		case "Handler":
			return FilteredHandler
		}
	}
	return NoHandlerField
}

// IsInformerHandlerInterface reports whether t is client-go's interface for
// handlers of informers.
func IsInformerHandlerInterface(t types.Type) bool {
	return types.IsInterface(t) && IsNamed(t, cachePath, "ResourceEventHandler")
}

// HasHandlerMethods reports whether t has the methods of client-go's
// ResourceEventHandler: of the release that pkg uses, where that can be seen,
// else of any.
func HasHandlerMethods(pkg *types.Package, t types.Type) bool {
	if !isInformerHandler(t) {
		return false
	}
	cache := FindImport(pkg, cachePath)
	if cache == nil {
		return true
	}
	tn, ok := cache.Scope().Lookup("ResourceEventHandler").(*types.TypeName)
	if !ok {
		return true
	}
	iface, ok := tn.Type().Underlying().(*types.Interface)
	return !ok || types.Implements(t, iface) || types.Implements(types.NewPointer(t), iface)
}

// FindImport returns the package with a path that pkg imports, directly or
// not, as far as the driver has read it.
func FindImport(pkg *types.Package, path string) *types.Package {
	seen := make(map[*types.Package]bool)
	var visit func(p *types.Package) *types.Package
	visit = func(p *types.Package) *types.Package {
		if seen[p] {
			return nil
		}
		seen[p] = true
		if p.Path() == path {
			return p
		}
		for _, imported := range p.Imports() {
			if found := visit(imported); found != nil {
				return found
			}
		}
		return nil
	}
	return visit(pkg)
}

// HandlerOfFunc recognises a call that makes a handler out of one function,
// which it has called for all events, as knative's controller.HandleAll does,
// and returns that function.
func HandlerOfFunc(common *ssa.CallCommon) ssa.Value {
	fn := Callee(common)
	if fn == nil || fn.Signature().Results().Len() == 0 || !IsInformerHandlerInterface(fn.Signature().Results().At(0).Type()) {
		return nil
	}
	var found ssa.Value
	_, args := Args(common)
	for i, arg := range args {
		if !IsFuncType(arg.Type()) {
			continue
		}
		role, ok := ArgumentRole(fn, i)
		if !ok || role.Kind != EventHandler || found != nil {
			return nil // functions for events of several kinds
		}
		found = arg
	}
	return found
}

// TombstoneUse is what a library's function makes of a tombstone.
type TombstoneUse uint8

// What can become of a tombstone.
const (
	UnknownTombstoneUse TombstoneUse = iota
	// RefusesTombstone functions return an error: MetaNamespaceKeyFunc.
	RefusesTombstone
	// KnowsTombstone functions take it for what it stands for:
	// DeletionHandlingMetaNamespaceKeyFunc.
	KnowsTombstone
)

// kcpCachePath is the package of kcp's keys, which have the logical cluster as well.
const kcpCachePath = "github.com/kcp-dev/apimachinery/v2/pkg/cache"

// tombstoneUses lists functions whose first argument may be a tombstone, with
// the function of the same package that can take one, if there is one.
var tombstoneUses = map[string]struct {
	use    TombstoneUse
	better string
}{
	cachePath + ".MetaNamespaceKeyFunc":                 {RefusesTombstone, "DeletionHandlingMetaNamespaceKeyFunc"},
	cachePath + ".ObjectToName":                         {RefusesTombstone, "DeletionHandlingObjectToName"},
	cachePath + ".MetaNamespaceIndexFunc":               {RefusesTombstone, ""},
	cachePath + ".DeletionHandlingMetaNamespaceKeyFunc": {KnowsTombstone, ""},
	cachePath + ".DeletionHandlingObjectToName":         {KnowsTombstone, ""},
	kcpCachePath + ".MetaClusterNamespaceKeyFunc":       {RefusesTombstone, "DeletionHandlingMetaClusterNamespaceKeyFunc"},
	"k8s.io/apimachinery/pkg/api/meta.Accessor":         {RefusesTombstone, ""},
	"k8s.io/apimachinery/pkg/api/meta.CommonAccessor":   {RefusesTombstone, ""},
	"k8s.io/apimachinery/pkg/api/meta.TypeAccessor":     {RefusesTombstone, ""},
}

// TombstoneUseOf tells what fn makes of a tombstone that it gets as its first
// argument, and for a function that refuses it the name of the one in the same
// package that does not, if there is one.
func TombstoneUseOf(fn *types.Func) (use TombstoneUse, better string) {
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return UnknownTombstoneUse, ""
	}
	row := tombstoneUses[PackagePath(fn.Pkg())+"."+fn.Name()]
	return row.use, row.better
}

// idle lists functions that leave nothing behind but a line in a log, a
// number in a metric or a lock that is held: a handler that does nothing else
// with an object has ignored it.
var idle = newNameTable(
	"fmt.*", "log.*", "(*log.*", "log/slog.*", "(*log/slog.*", "k8s.io/klog*", "(k8s.io/klog*", "(*k8s.io/klog*",
	"github.com/go-logr/*", "(github.com/go-logr/*", "(*github.com/go-logr/*", "go.uber.org/zap*", "(go.uber.org/zap*", "(*go.uber.org/zap*",
	"github.com/sirupsen/logrus.*", "(github.com/sirupsen/logrus.*", "(*github.com/sirupsen/logrus.*",
	"github.com/rs/zerolog*", "(github.com/rs/zerolog*", "(*github.com/rs/zerolog*", "github.com/golang/glog.*", "(github.com/golang/glog.*",
	"github.com/go-kit/log*", "(github.com/go-kit/log*", "knative.dev/pkg/logging.*", "sigs.k8s.io/controller-runtime/pkg/log.*",
	"k8s.io/apimachinery/pkg/util/runtime.*",
	"(k8s.io/client-go/tools/record.EventRecorder).*", "(k8s.io/client-go/tools/events.EventRecorder).*",
	"github.com/prometheus/client_golang/*", "(github.com/prometheus/client_golang/*", "(*github.com/prometheus/client_golang/*",
	"k8s.io/component-base/metrics*", "(k8s.io/component-base/metrics*", "(*k8s.io/component-base/metrics*",
	"go.opentelemetry.io/otel*", "(go.opentelemetry.io/otel*", "go.opencensus.io*", "(go.opencensus.io*", "expvar.*", "(*expvar.*",
	"github.com/VictoriaMetrics/metrics*", "(*github.com/VictoriaMetrics/metrics*", "github.com/armon/go-metrics*", "(*github.com/armon/go-metrics*",
	"(*sync.Mutex).*", "(*sync.RWMutex).*", "(sync.Locker).*", "(*sync.WaitGroup).*", "(*sync.Once).*", "(*sync.Map).Load", "(*sync.Map).Range",
	"strings.*", "(*strings.*", "strconv.*", "bytes.*", "(*bytes.*", "errors.*", "github.com/pkg/errors.*", "(error).Error", "time.Now", "time.Since", "(time.*",
	"context.*", "(context.Context).*", "reflect.*", "(reflect.*", "encoding/json.Marshal*", "sort.*", "slices.*", "maps.*", "unicode*", "math.*",
	"regexp.*", "(*regexp.*", "os.Getenv", "os.LookupEnv", "runtime.*", "runtime/debug.*", "path.*", "path/filepath.*",
	"k8s.io/apimachinery/pkg/api/*", "(k8s.io/apimachinery/pkg/api/*", "(*k8s.io/apimachinery/pkg/api/*",
	"k8s.io/apimachinery/pkg/labels.*", "(k8s.io/apimachinery/pkg/labels.*", "k8s.io/apimachinery/pkg/fields.*", "(k8s.io/apimachinery/pkg/fields.*",
	"k8s.io/apimachinery/pkg/types.*", "(k8s.io/apimachinery/pkg/types.*",
	"k8s.io/apimachinery/pkg/apis/meta/v1.*", "(k8s.io/apimachinery/pkg/apis/meta/v1.*", "(*k8s.io/apimachinery/pkg/apis/meta/v1.*",
	"k8s.io/apimachinery/pkg/runtime/schema.*", "(k8s.io/apimachinery/pkg/runtime/schema.*", "(*k8s.io/apimachinery/pkg/runtime/schema.*",
	"k8s.io/apimachinery/pkg/util/sets.New*", "(k8s.io/apimachinery/pkg/util/sets.*",
	"(*k8s.io/apimachinery/pkg/runtime.*",
	cachePath+".MetaNamespaceKeyFunc", cachePath+".DeletionHandling*", cachePath+".SplitMetaNamespaceKey", cachePath+".ObjectToName",
	cachePath+".WaitFor*", cachePath+".NewObjectName", cachePath+".ParseObjectName", "("+cachePath+".ObjectName).*",
)

// LeavesNothing reports whether a call changes nothing that lasts: logging,
// events, metrics, locks, getters, reading from caches and the API server, and
// giving an item of a workqueue back.
func LeavesNothing(common *ssa.CallCommon) bool {
	fn := Callee(common)
	if fn == nil {
		return false
	}
	return leavesNothing(fn) || ReadsCache(common) || isReadOp(common)
}

// LeavesNothingFunc is [LeavesNothing] for a function that is called through a
// variable.
func LeavesNothingFunc(fn *types.Func) bool { return fn != nil && leavesNothing(fn) }

func leavesNothing(fn *types.Func) bool {
	if idle.match(fn) || Logs(fn) || IsDeepCopy(fn) || IsListerGet(fn) || IsListerList(fn) || NarrowsLister(fn) || IsTypedList(fn) {
		return true
	}
	sig := fn.Signature()
	recv := sig.Recv()
	if recv == nil {
		return false
	}
	if IsQueue(recv.Type()) {
		switch fn.Name() {
		case "Forget", "Done", "Len", "NumRequeues", "ShuttingDown", "Get":
			return true
		}
		return false
	}
	if isAccessor(fn) {
		return true
	}
	switch fn.Name() {
	case "HasSynced", "HasSyncedChecker", "Lister", "Informer", "GetIndexer", "GetStore", "GetByKey", "ByIndex", "IndexKeys", "ListKeys", "ListIndexFuncValues":
		return true
	}
	// A getter: nothing in, one thing out.
	return sig.Params().Len() == 0 && sig.Results().Len() == 1 && !IsError(sig.Results().At(0).Type()) && isGetterName(fn.Name())
}

func isGetterName(name string) bool {
	return startsWith(name, []string{"Get", "Is", "Has", "String", "Name", "Namespace", "Kind", "Key", "Len", "Size", "UID", "ID", "Type", "Group", "Object"})
}

// isReadOp reports whether a call only asks the API server, or a cache in its
// place, for objects.
func isReadOp(common *ssa.CallCommon) bool {
	op, ok := ClientOp(common)
	return ok && op.Verb.Reads()
}
