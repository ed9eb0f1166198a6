package kubeapi

import (
	"go/types"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/tools/go/ssa"
)

// Mutation is a change that a function makes to one of its operands.
type Mutation struct {
	Operand int      // the receiver, if any, is operand 0
	Path    []string // what it changes, from the operand; empty for itself
}

// mutators lists well-known functions that change what they are given.
var mutators = map[string][]Mutation{
	"k8s.io/apimachinery/pkg/api/meta.SetStatusCondition":    {{Operand: 0}},
	"k8s.io/apimachinery/pkg/api/meta.RemoveStatusCondition": {{Operand: 0}},

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil.AddFinalizer":              {{0, PathOf(Finalizers)}},
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil.AddFinalizerWithError":     {{0, PathOf(Finalizers)}},
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil.RemoveFinalizer":           {{0, PathOf(Finalizers)}},
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil.RemoveFinalizerWithError":  {{0, PathOf(Finalizers)}},
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil.SetControllerReference":    {{1, PathOf(OwnerReferences)}},
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil.SetOwnerReference":         {{1, PathOf(OwnerReferences)}},
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil.RemoveOwnerReference":      {{1, PathOf(OwnerReferences)}},
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil.RemoveControllerReference": {{1, PathOf(OwnerReferences)}},
	"k8s.io/apimachinery/pkg/apis/meta/v1.SetMetaDataAnnotation":                             {{0, PathOf(Annotations)}},
	"k8s.io/apimachinery/pkg/apis/meta/v1.SetMetaDataLabel":                                  {{0, PathOf(Labels)}},
}

// Mutations tells what a function of the ecosystem changes in its operands.
func Mutations(fn *types.Func) ([]Mutation, bool) {
	if found, ok := mutators[FullName(fn)]; ok {
		return found, true
	}
	if aspect, ok := MetadataSetter(fn); ok {
		return []Mutation{{0, PathOf(aspect)}}, true
	}
	if IsMetaSetter(fn, "SetResourceVersion") {
		return []Mutation{{0, []string{MetadataPath, "ResourceVersion"}}}, true
	}
	if setsConditions(fn) || isConditionHelper(fn) {
		return []Mutation{{0, PathOf(Status)}}, true
	}
	return nil, false
}

// setsConditions recognises the setter that libraries' condition interfaces
// have: SetConditions(…) on an object.
func setsConditions(fn *types.Func) bool {
	sig := fn.Signature()
	if sig.Recv() == nil || sig.Params().Len() != 1 || sig.Results().Len() != 0 || !IsObject(sig.Recv().Type()) {
		return false
	}
	slice, ok := sig.Params().At(0).Type().Underlying().(*types.Slice)
	if !ok {
		return false
	}
	elem := Named(slice.Elem())
	return elem != nil && strings.HasSuffix(elem.Obj().Name(), "Condition")
}

// isConditionHelper recognises the setters of condition libraries (cluster-api,
// fluxcd and the like): functions of a package named conditions whose first
// parameter is an object that can set conditions.
func isConditionHelper(fn *types.Func) bool {
	sig := fn.Signature()
	if sig.Recv() != nil || sig.Params().Len() == 0 || sig.Results().Len() != 0 || fn.Pkg() == nil || fn.Pkg().Name() != "conditions" {
		return false
	}
	t := sig.Params().At(0).Type()
	return IsObject(t) && HasAnyMethod(t, "SetConditions", "SetV1Beta1Conditions")
}

// IsDeepCopy reports whether fn is one of the generated copy methods, or a
// function with their names and shapes. What is called without a name (nil) is none.
func IsDeepCopy(fn *types.Func) bool {
	if fn == nil || fn.Signature().Recv() == nil {
		return false
	}
	sig := fn.Signature()
	switch fn.Name() {
	case "DeepCopy", "DeepCopyObject":
		return sig.Params().Len() == 0 && sig.Results().Len() == 1
	case "DeepCopyInto":
		return sig.Params().Len() == 1 && sig.Results().Len() == 0
	}
	return false
}

// IsClient reports whether a value of type t can write objects to the API
// server.
func IsClient(t types.Type) bool {
	if IsObject(t) {
		return false
	}
	return HasAnyMethod(t, "Update", "Patch", "Status", "UpdateStatus", "RESTClient", "GetClient", "Resource", "Discovery")
}

// readers are packages whose functions and methods read the objects that they
// are given and leave them alone.
var readers = []string{
	"fmt", "errors", "reflect", "log", "log/slog", "encoding/json", "context", "sort", "strings",
	"github.com/go-logr/logr", "k8s.io/klog/v2", "k8s.io/klog", "go.uber.org/zap", "github.com/sirupsen/logrus",
	"k8s.io/client-go/tools/record", "k8s.io/client-go/tools/events", "k8s.io/client-go/tools/reference",
	"k8s.io/apimachinery/pkg/api/equality", "k8s.io/apimachinery/third_party/forked/golang/reflect",
	"k8s.io/apimachinery/pkg/api/errors", "k8s.io/apimachinery/pkg/apis/meta/v1",
	"sigs.k8s.io/controller-runtime/pkg/log", "github.com/google/go-cmp/cmp",
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil",
	"sigs.k8s.io/yaml",
}

// readerFuncs are single functions of that sort.
var readerFuncs = map[string]bool{
	"sigs.k8s.io/controller-runtime/pkg/client.ObjectKeyFromObject":                       true,
	"sigs.k8s.io/controller-runtime/pkg/client.MergeFrom":                                 true,
	"sigs.k8s.io/controller-runtime/pkg/client.MergeFromWithOptions":                      true,
	"sigs.k8s.io/controller-runtime/pkg/client.StrategicMergeFrom":                        true,
	"k8s.io/apimachinery/pkg/api/meta.FindStatusCondition":                                true,
	"k8s.io/apimachinery/pkg/api/meta.IsStatusConditionTrue":                              true,
	"k8s.io/apimachinery/pkg/api/meta.IsStatusConditionFalse":                             true,
	"k8s.io/apimachinery/pkg/api/meta.IsStatusConditionPresentAndEqual":                   true,
	"k8s.io/apimachinery/pkg/api/meta.Accessor":                                           true,
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil.ContainsFinalizer":      true,
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil.HasControllerReference": true,
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil.HasOwnerReference":      true,
	"k8s.io/client-go/tools/cache.MetaNamespaceKeyFunc":                                   true,
	"k8s.io/client-go/tools/cache.DeletionHandlingMetaNamespaceKeyFunc":                   true,
	"encoding/json.Unmarshal":                                                             false, // changes its second argument
}

// HasClient reports whether a struct has a field, at any small depth, through
// which objects can be written.
func HasClient(t types.Type) bool {
	known := clientsKnown.Load()
	if known == nil {
		return hasClient(t, 0)
	}
	named := Named(t)
	if named == nil {
		return false
	}
	has, ok := known.Load(named)
	if !ok {
		has, _ = known.LoadOrStore(named, hasClient(named, 0))
	}
	return has.(bool)
}

// clientsKnown has which types have a client; nil to forget them. To tell is to look at
// the fields of all that they are made of.
var clientsKnown atomic.Pointer[sync.Map] // *types.Named -> bool

func hasClient(t types.Type, depth int) bool {
	named := Named(t)
	if named == nil || depth > 3 {
		return false
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for field := range s.Fields() {
		if IsClient(field.Type()) || hasClient(field.Type(), depth+1) {
			return true
		}
	}
	return false
}

// loggers are packages whose functions and methods only print.
var loggers = map[string]bool{
	"fmt": true, "log": true, "log/slog": true, "github.com/go-logr/logr": true, "k8s.io/klog": true,
	"go.uber.org/zap": true, "github.com/sirupsen/logrus": true, "sigs.k8s.io/controller-runtime/pkg/log": true,
}

// Logs reports whether fn prints its operands and does nothing else.
func Logs(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && loggers[packagePath(fn)]
}

// Prints reports whether fn prints its operands and keeps none of them: an error that is made of
// others has them inside.
func Prints(fn *types.Func) bool { return Logs(fn) && !MakesError(fn) }

// IsPrinting reports whether a method of this name is one that printers, or what reads again what was
// printed, ask values for.
func IsPrinting(name string) bool {
	switch name {
	case "String", "GoString", "Format", "Error", "Scan",
		"MarshalJSON", "MarshalText", "MarshalYAML", "MarshalLog", "MarshalLogObject", "MarshalLogArray", "LogValue":
		return true
	}
	return false
}

// packagePath is the path of a function's package without major version.
func packagePath(fn *types.Func) string {
	return strings.TrimSuffix(withoutMajor(fn.Pkg().Path()+"."), ".")
}

// OnlyReads reports whether a function or method outside the user's modules
// is known to leave its operands alone: loggers, event recorders,
// comparisons, and the getters of objects.
func OnlyReads(fn *types.Func) bool {
	if known, ok := readerFuncs[FullName(fn)]; ok {
		return known
	}
	if fn.Pkg() == nil {
		return true // error.Error
	}
	sig := fn.Signature()
	if recv := sig.Recv(); recv != nil && sig.Params().Len() == 0 && sig.Results().Len() > 0 {
		return true // a getter
	}
	return slices.Contains(readers, fn.Pkg().Path()) || slices.Contains(readers, packagePath(fn))
}

// KindOfResult is the kind of the first object among the results of a function; nil if there
// is none.
func KindOfResult(sig *types.Signature) *types.Named {
	for result := range sig.Results().Variables() {
		if kind := KindOf(result.Type()); kind != nil {
			return kind
		}
	}
	return nil
}

// VersionSet returns the resourceVersion that an instruction gives an object, or its
// metadata; nil if it gives none.
func VersionSet(instr ssa.Instruction) (version, object ssa.Value) {
	switch instr := instr.(type) {
	case *ssa.Call:
		recv, args := Args(instr.Common())
		if IsMetaSetter(Callee(instr.Common()), "SetResourceVersion") && recv != nil && len(args) == 1 {
			return args[0], recv
		}
	case *ssa.Store:
		if addr, ok := instr.Addr.(*ssa.FieldAddr); ok && IsMetaField(addr, "ResourceVersion") {
			return instr.Val, addr.X
		}
	}
	return nil, nil
}

// IsMetaField reports whether an address is that of the field with a name of an
// ObjectMeta.
func IsMetaField(addr *ssa.FieldAddr, name string) bool {
	return IsObjectMeta(addr.X.Type()) && fieldName(addr.X.Type(), addr.Field) == name
}
