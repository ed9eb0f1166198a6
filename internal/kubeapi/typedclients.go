package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// TypedCall is a call of a typed client, which sends one request.
type TypedCall struct {
	// Kind is what the client is for; nil if the client is for a subresource alone, and
	// Resource, of the core group, is what that belongs to.
	Kind     *types.Named
	Resource string
	// Verb is what the API server authorises, such as "deletecollection".
	Verb string
	// Sub is the subresource, or empty; it is "?" if it is not known.
	Sub string
	// Given is the parameter of the function around, such as subresources ...string, that
	// is handed on as the subresource, or nil.
	Given *ssa.Parameter
}

// typedMethods are the methods that client-gen makes, and those that are written by
// hand for Kubernetes' own kinds, with their verbs and subresources.
var typedMethods = map[string][2]string{
	"Get": {"get"}, "List": {"list"}, "Watch": {"watch"}, "Create": {"create"}, "Update": {"update"}, "UpdateStatus": {"update", "status"},
	"Patch": {"patch"}, "Apply": {"patch"}, "ApplyStatus": {"patch", "status"}, "Delete": {"delete"}, "DeleteCollection": {"deletecollection"},
	"GetScale": {"get", "scale"}, "UpdateScale": {"update", "scale"}, "ApplyScale": {"patch", "scale"},
	"CreateToken": {"create", "token"}, "Evict": {"create", "eviction"}, "EvictV1": {"create", "eviction"}, "EvictV1beta1": {"create", "eviction"},
	"GetLogs": {"get", "log"}, "Bind": {"create", "binding"}, "UpdateApproval": {"update", "approval"}, "UpdateResize": {"update", "resize"},
	"UpdateEphemeralContainers": {"update", "ephemeralcontainers"}, "Finalize": {"update", "finalize"}, "ProxyGet": {"get", "proxy"},
	"PatchStatus": {"patch", "status"}, "CreateWithEventNamespace": {"create"}, "UpdateWithEventNamespace": {"update"}, "PatchWithEventNamespace": {"patch"},
}

// TypedCallOf recognises the calls of typed clients by the methods of the client's
// type, which tell its kind.
func TypedCallOf(common *ssa.CallCommon) (TypedCall, bool) {
	fn := Callee(common)
	if fn == nil || fn.Signature().Recv() == nil {
		return TypedCall{}, false
	}
	what, ok := typedMethods[fn.Name()]
	if !ok {
		return TypedCall{}, false
	}
	recv, args := Args(common)
	if recv == nil {
		return TypedCall{}, false
	}
	kind := TypedClientKind(recv.Type())
	if kind == nil {
		// PolicyV1().Evictions(namespace) has no other method than this.
		if fn.Name() == "Evict" && len(args) > 0 && isEviction(args[len(args)-1].Type()) {
			return TypedCall{Resource: "pods", Verb: "create", Sub: "eviction"}, true
		}
		return TypedCall{}, false
	}
	call := TypedCall{Kind: kind, Verb: what[0], Sub: what[1]}
	if argument(args, namesResource) != nil {
		call.Sub = "?" // the scale of whatever the caller names
		return call, true
	}
	if sig := fn.Signature(); sig.Variadic() && call.Sub == "" && len(args) > 0 {
		call.Sub, call.Given = subresource(args)
	}
	return call, true
}

// namesResource recognises what tells the resource of a call for any of them.
func namesResource(t types.Type) bool {
	return IsNamed(t, schemePath+"/schema", "GroupResource", "GroupVersionResource")
}

// isEviction recognises the Eviction of any version.
func isEviction(t types.Type) bool {
	named := Named(t)
	return named != nil && named.Obj().Name() == "Eviction" && KindOf(t) != nil
}

// TypedClientKind returns the kind that a typed client is for, or nil.
func TypedClientKind(t types.Type) *types.Named {
	for _, name := range []string{"Get", "Create"} {
		sig := method(t, name)
		if sig == nil || sig.Results().Len() != 2 || !IsError(sig.Results().At(1).Type()) || !hasOptions(sig.Params(), name+"Options") && !takesOnlyObject(sig) {
			continue
		}
		if _, pointer := sig.Results().At(0).Type().(*types.Pointer); !pointer {
			continue
		}
		if kind := KindOf(sig.Results().At(0).Type()); kind != nil {
			return kind
		}
	}
	return nil
}

// takesOnlyObject recognises Create as releases before 0.18 have it.
func takesOnlyObject(sig *types.Signature) bool {
	return sig.Params().Len() == 1 && types.Identical(sig.Params().At(0).Type(), sig.Results().At(0).Type())
}

// AsksOneNamespace reports whether a call is one of a client that was made for a namespace, as
// by Pods(namespace) of a typed client or by Namespace(name) of a dynamic one. A constant
// empty name stands for all of them.
func AsksOneNamespace(common *ssa.CallCommon) bool {
	recv, _ := Args(common)
	client, ok := recv.(*ssa.Call)
	if !ok {
		return false
	}
	_, args := Args(client.Common())
	if len(args) != 1 || !types.Identical(args[0].Type(), types.Typ[types.String]) {
		return false
	}
	name, constant := ConstString(args[0])
	return !constant || name != ""
}

// InformedKind returns the kind of which a call asks a generated factory for the
// informer or the lister, or nil: it will be listed and watched.
func InformedKind(common *ssa.CallCommon) *types.Named {
	fn := Callee(common)
	if fn == nil || fn.Signature().Recv() == nil || fn.Name() != "Informer" && fn.Name() != "Lister" || fn.Signature().Params().Len() != 0 {
		return nil
	}
	recv, _ := Args(common)
	if recv == nil || !HasMethod(recv.Type(), "Informer") {
		return nil
	}
	lister := method(recv.Type(), "Lister")
	if lister == nil || lister.Results().Len() != 1 {
		return nil
	}
	list := method(lister.Results().At(0).Type(), "List")
	if list == nil || list.Results().Len() != 2 {
		return nil
	}
	slice, ok := list.Results().At(0).Type().Underlying().(*types.Slice)
	if !ok {
		return nil
	}
	return KindOf(slice.Elem())
}

// DynamicCall is a call of a dynamic or metadata client.
type DynamicCall struct {
	// Resource is the schema.GroupVersionResource; nil if it is not seen.
	Resource ssa.Value
	Verb     string
	Sub      string // as in [TypedCall]
}

var dynamicMethods = map[string]string{
	"Get": "get", "List": "list", "Watch": "watch", "Create": "create", "Update": "update", "UpdateStatus": "update", "Patch": "patch", "Apply": "patch",
	"ApplyStatus": "patch", "Delete": "delete", "DeleteCollection": "deletecollection",
}

// DynamicCallOf recognises calls of what a dynamic or metadata client gives out for a
// resource.
func DynamicCallOf(common *ssa.CallCommon) (DynamicCall, bool) {
	fn := Callee(common)
	if fn == nil || fn.Signature().Recv() == nil {
		return DynamicCall{}, false
	}
	verb, ok := dynamicMethods[fn.Name()]
	recv, args := Args(common)
	if !ok || recv == nil || !isDynamicResource(recv.Type()) {
		return DynamicCall{}, false
	}
	call := DynamicCall{Verb: verb}
	if strings.HasSuffix(fn.Name(), "Status") {
		call.Sub = "status"
	} else if fn.Signature().Variadic() && len(args) > 0 {
		call.Sub, _ = subresource(args)
	}
	for range 4 { // Resource(gvr).Namespace(ns)
		from, isCall := stripInterfaces(recv).(*ssa.Call)
		if !isCall {
			break
		}
		made := Callee(from.Common())
		if made == nil {
			break
		}
		inner, given := Args(from.Common())
		if made.Name() == "Resource" && len(given) == 1 && IsNamed(given[0].Type(), schemePath+"/schema", "GroupVersionResource") {
			call.Resource = given[0]
			break
		}
		if made.Name() != "Namespace" || inner == nil {
			break
		}
		recv = inner
	}
	return call, true
}

// isDynamicResource recognises dynamic.ResourceInterface and metadata's.
func isDynamicResource(t types.Type) bool {
	list := method(t, "List")
	if list == nil || list.Results().Len() != 2 || !HasMethod(t, "DeleteCollection") && !HasMethod(t, "Watch") {
		return false
	}
	result := list.Results().At(0).Type()
	return IsUnstructuredList(result) || IsPartialMetadata(result)
}

// RecorderGroup tells to which group the events go of a recorder that a call makes; ok
// is false if it makes none.
func RecorderGroup(common *ssa.CallCommon) (group string, ok bool) {
	fn := Callee(common)
	if fn == nil || fn.Signature().Recv() == nil {
		return "", false
	}
	switch fn.Name() {
	case "GetEventRecorderFor":
		return "", fn.Signature().Params().Len() == 1
	case "GetEventRecorder":
		return "events.k8s.io", fn.Signature().Params().Len() == 1
	case "StartRecordingToSink":
		if fn.Pkg() != nil && strings.HasSuffix(fn.Pkg().Path(), "k8s.io/client-go/tools/events") {
			return "events.k8s.io", true
		}
		return "", true
	}
	return "", false
}

// IsMetricsFilter reports whether v is the filter of controller-runtime that asks the
// API server who may read metrics.
func IsMetricsFilter(v ssa.Value) bool {
	fn, ok := v.(*ssa.Function)
	if !ok {
		return false
	}
	obj, _ := fn.Object().(*types.Func)
	return IsFunc(obj, runtimePath+"metrics/filters", "WithAuthenticationAndAuthorization")
}

// otherClusters are functions that read how to reach a cluster from what is no file
// or environment of the process.
var otherClusters = newNameTable(
	"k8s.io/client-go/tools/clientcmd.RESTConfigFromKubeConfig", "k8s.io/client-go/tools/clientcmd.NewClientConfigFromBytes",
	"k8s.io/client-go/tools/clientcmd.Load", "k8s.io/client-go/tools/clientcmd.NewDefaultClientConfig",
	"sigs.k8s.io/controller-runtime/pkg/cluster.New",
)

// ReachesOtherClusters reports whether a call makes, or may make, a client of another
// cluster than the one that the program runs in, or of another user.
func ReachesOtherClusters(common *ssa.CallCommon, own func(*types.Package) bool) bool {
	fn := Callee(common)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	if otherClusters.match(fn) {
		return true
	}
	if own(fn.Pkg()) || isKubernetes(fn.Pkg().Path()) {
		return false
	}
	// A function of another project that hands out clients without being given one.
	makes := AnyIs(fn.Signature().Results(), func(t types.Type) bool { return reachesCluster(t) && ClientKindOf(t) != Manager })
	return makes && argument(Operands(common), reachesCluster) == nil
}

// HandsClientOn reports whether a call gives a client, a manager or a configuration to a
// function of another project, which may ask for anything with it.
func HandsClientOn(common *ssa.CallCommon, own func(*types.Package) bool) bool {
	fn := Callee(common)
	_, args := Args(common)
	return fn != nil && fn.Pkg() != nil && !own(fn.Pkg()) && !isKubernetes(fn.Pkg().Path()) && argument(args, reachesCluster) != nil
}

// RawRequest is a request that is put together by hand, such as
//
//	clientset.CoreV1().RESTClient().Post().Resource("pods").Name(name).SubResource("exec")
type RawRequest struct {
	// Client is the path of the package whose typed client the REST client is of.
	Client string
	// Resource, Sub and Verb are what the API server authorises.
	Resource, Sub, Verb string
}

var requestVerbs = map[string]string{"Post": "create", "Get": "get", "Put": "update", "Patch": "patch", "Delete": "delete"}

// RawRequestOf recognises the call that names the subresource of such a request.
func RawRequestOf(common *ssa.CallCommon) (RawRequest, bool) {
	fn := Callee(common)
	if fn == nil || fn.Name() != "SubResource" || fn.Signature().Recv() == nil || !IsNamed(fn.Signature().Recv().Type(), restPath, "Request") {
		return RawRequest{}, false
	}
	recv, args := Args(common)
	if len(args) != 1 {
		return RawRequest{}, false
	}
	names, ok := VariadicArgs(args[0])
	if !ok || len(names) == 0 {
		return RawRequest{}, false
	}
	var r RawRequest
	if r.Sub, ok = ConstString(names[0]); !ok {
		return RawRequest{}, false
	}
	for range 10 {
		call, isCall := recv.(*ssa.Call)
		if !isCall {
			break
		}
		step := Callee(call.Common())
		if step == nil || step.Signature().Recv() == nil {
			break
		}
		var given []ssa.Value
		recv, given = Args(call.Common())
		switch name := step.Name(); {
		case name == "Resource" && len(given) == 1:
			r.Resource, _ = ConstString(given[0])
		case name == "RESTClient":
			if named := Named(recv.Type()); named != nil && named.Obj().Pkg() != nil {
				r.Client = named.Obj().Pkg().Path()
			}
		case requestVerbs[name] != "" && len(given) <= 1:
			r.Verb = requestVerbs[name]
		}
	}
	return r, r.Resource != "" && r.Verb != "" && r.Client != ""
}

// MakesAnyKind reports whether a call makes objects, or asks for such, of a kind that is
// chosen at run time.
func MakesAnyKind(common *ssa.CallCommon) bool {
	fn := Callee(common)
	if fn == nil || fn.Signature().Recv() == nil {
		return false
	}
	switch fn.Name() {
	case "New":
		return IsNamed(fn.Signature().Recv().Type(), schemePath, "Scheme")
	case "Decode":
		results := fn.Signature().Results()
		return results.Len() == 3 && IsNamed(results.At(1).Type(), schemePath+"/schema", "GroupVersionKind")
	case "Resource":
		params := fn.Signature().Params()
		return params.Len() == 1 && IsNamed(params.At(0).Type(), schemePath+"/schema", "GroupVersionResource")
	}
	_, args := Args(common)
	return typedMethods[fn.Name()] != [2]string{} && argument(args, namesResource) != nil
}

// subresource returns what a call names as the subresource by its last argument, a list, which
// may be none: "?" if that is not known, and the parameter that is handed on there.
func subresource(args []ssa.Value) (sub string, given *ssa.Parameter) {
	names, known := VariadicArgs(args[len(args)-1])
	if known && len(names) == 0 {
		return "", nil
	}
	if known {
		if sub, known = ConstString(names[0]); known {
			return sub, nil
		}
	}
	given, _ = args[len(args)-1].(*ssa.Parameter)
	return "?", given
}

// reachesCluster reports whether what has a type asks a cluster: a client, a manager, or what
// clients are made of.
func reachesCluster(t types.Type) bool {
	kind := ClientKindOf(t)
	return kind == RuntimeClient || kind == Clientset || kind == Manager || IsRESTConfig(t)
}

// isKubernetes reports whether a path is that of a package of Kubernetes' own, or of
// controller-runtime.
func isKubernetes(path string) bool { return startsWith(path, []string{"k8s.io/", runtimeRoot}) }
