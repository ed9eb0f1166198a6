package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Reads reports whether the verb reads into the object that it is given.
func (v Verb) Reads() bool { return v == Get || v == List }

// Verb is what a client call asks of the API server.
type Verb string

// The verbs that concern a single object, or a list to read into.
const (
	Get    Verb = "Get"
	List   Verb = "List"
	Create Verb = "Create"
	Update Verb = "Update"
	Patch  Verb = "Patch"
	Apply  Verb = "Apply"
)

// Endpoint is where a client call writes to.
type Endpoint uint8

const (
	// MainEndpoint is the object itself: it drops the status of a kind whose
	// status is a subresource.
	MainEndpoint Endpoint = 1 << iota
	// StatusEndpoint is the status subresource: it drops everything else.
	StatusEndpoint
	// OtherEndpoint is another subresource, such as scale.
	OtherEndpoint
	// BothEndpoints is what patch helpers write: whatever has changed.
	BothEndpoints = MainEndpoint | StatusEndpoint
)

// Op is a call of a Kubernetes client.
type Op struct {
	Verb     Verb
	Endpoint Endpoint
	// Object is the object that is sent or read into; nil for a patch by
	// name.
	Object ssa.Value
	// InMemory tells that the server's answer is stored into Object.
	InMemory bool
	// Result tells that the server's answer is the call's first result.
	Result bool
	// Kind is the kind that a typed client writes, if known from it.
	Kind *types.Named
	// Mutate is the callback of CreateOrUpdate and the like, which changes
	// Object between the read and the write.
	Mutate ssa.Value
	// IfChanged tells that the call compares by itself, by what is sent, and sends nothing
	// if nothing has changed.
	IfChanged bool
	// Recv is the client or writer that is called.
	Recv ssa.Value
	// Name is the object's name in a patch by name.
	Name ssa.Value
	// Data is the patch, if it is given as bytes.
	Data ssa.Value
}

// ClientOp recognises a call of a Kubernetes client: controller-runtime's
// (any type or interface with the methods' signatures), typed clientsets
// (generated ones of any project, told by their shape), dynamic clients, and
// the write helpers of well-known libraries.
func ClientOp(common *ssa.CallCommon) (Op, bool) {
	fn := Callee(common)
	if fn == nil {
		return Op{}, false
	}
	recv, args := Args(common)
	return clientOp(fn, common.Signature(), recv, args)
}

// ClientOpOf is [ClientOp] for a function or method with its receiver and
// arguments.
func ClientOpOf(fn *types.Func, recv ssa.Value, args []ssa.Value) (Op, bool) {
	return clientOp(fn, fn.Signature(), recv, args)
}

// clientOp takes the signature of a call: that of a generic client has the kind, where the
// method's own has a type parameter.
func clientOp(fn *types.Func, called *types.Signature, recv ssa.Value, args []ssa.Value) (Op, bool) {
	sig := fn.Signature()
	if sig.Recv() == nil {
		return helperOp(fn, args)
	}
	if len(args) != sig.Params().Len() {
		return Op{}, false
	}
	op, ok := objectOp(fn, recv, args)
	if !ok {
		op, ok = typedOp(fn.Name(), called, args)
	}
	op.Recv = recv
	return op, ok
}

// helperOp recognises package-level functions.
func helperOp(fn *types.Func, args []ssa.Value) (Op, bool) {
	switch {
	case IsFunc(fn, controllerutilPath, "CreateOrUpdate") && len(args) == 4:
		return Op{Verb: Update, Endpoint: MainEndpoint, Object: args[2], InMemory: true, Mutate: args[3], IfChanged: true, Recv: args[1]}, true
	case IsFunc(fn, controllerutilPath, "CreateOrPatch") && len(args) == 4:
		// CreateOrPatch patches the status, too.
		return Op{Verb: Patch, Endpoint: BothEndpoints, Object: args[2], InMemory: true, Mutate: args[3], IfChanged: true, Recv: args[1]}, true
	}
	return Op{}, false
}

// objectOp recognises methods in controller-runtime's style: a context, then
// the object as an interface (or, in wrappers, as a concrete kind), then
// options; the only result is an error.
func objectOp(fn *types.Func, recv ssa.Value, args []ssa.Value) (Op, bool) {
	sig := fn.Signature()
	params := sig.Params()
	if params.Len() < 2 || sig.Results().Len() != 1 || !IsError(sig.Results().At(0).Type()) || !IsContext(params.At(0).Type()) {
		return Op{}, false
	}
	if fn.Name() == "Get" && params.Len() >= 3 && IsObject(params.At(2).Type()) && isNamespacedName(params.At(1).Type()) {
		return Op{Verb: Get, Endpoint: MainEndpoint, Object: args[2], InMemory: true}, true
	}
	if fn.Name() == "List" && IsObject(params.At(1).Type()) && optionMethod(sig) == "ApplyToList" {
		return Op{Verb: List, Endpoint: MainEndpoint, Object: args[1], InMemory: true}, true
	}
	if fn.Name() == "Apply" && HasMethod(params.At(1).Type(), "IsApplyConfiguration") {
		return Op{Verb: Apply, Endpoint: writerEndpoint(recv, optionMethod(sig)), Object: args[1]}, true
	}
	if !IsObject(params.At(1).Type()) {
		return Op{}, false
	}
	op := Op{Endpoint: writerEndpoint(recv, optionMethod(sig)), Object: args[1], InMemory: true}
	switch fn.Name() {
	case "Create":
		op.Verb = Create
		if params.Len() >= 3 && IsObject(params.At(2).Type()) {
			// SubResourceWriter.Create(ctx, obj, subResource): eviction, token.
			op.Endpoint = OtherEndpoint
		}
	case "Update":
		op.Verb = Update
		if params.Len() > 2 && !sig.Variadic() {
			return Op{}, false
		}
		if op.Endpoint == MainEndpoint && isOnlyUpdater(recv) && params.Len() == 2 {
			op.Endpoint = BothEndpoints // who is behind it may as well write the status
		}
	case "Patch":
		op.Verb = Patch
		if params.Len() == 2 || params.Len() == 3 && sig.Variadic() {
			// No patch among the parameters: a patch helper, such as
			// cluster-api's, that remembers the original and writes both
			// endpoints.
			op.Endpoint = BothEndpoints
			op.IfChanged = recv != nil && skipsEmptyPatches(recv.Type())
		} else if !HasMethod(params.At(2).Type(), "Data") {
			return Op{}, false
		} else {
			op.Data = rawPatch(args[2])
		}
	default:
		return Op{}, false
	}
	return op, true
}

// isOnlyUpdater reports whether a writer is an interface that has no other way to write than its Update.
func isOnlyUpdater(recv ssa.Value) bool {
	return recv != nil && types.IsInterface(recv.Type()) && !HasAnyMethod(recv.Type(), "Create", "Patch", "Status", "UpdateStatus")
}

// skipsEmptyPatches reports whether a type is a patch helper that sends nothing if the
// patch says nothing. Others of that shape may send it all the same.
func skipsEmptyPatches(t types.Type) bool {
	return IsNamed(t, "sigs.k8s.io/cluster-api/util/patch", "Helper") ||
		IsNamed(t, "sigs.k8s.io/cluster-api/util/deprecated/v1beta1/patch", "Helper")
}

// rawPatch returns the bytes of a patch made with client.RawPatch, or nil.
func rawPatch(patch ssa.Value) ssa.Value {
	call, ok := stripInterfaces(patch).(*ssa.Call)
	if !ok {
		return nil
	}
	fn := Callee(call.Common())
	if IsFunc(fn, clientPath, "RawPatch") && len(call.Common().Args) == 2 {
		return call.Common().Args[1]
	}
	return nil
}

func isNamespacedName(t types.Type) bool {
	return IsNamed(t, "k8s.io/apimachinery/pkg/types", "NamespacedName")
}

// IsObjectKey recognises the structs that name an object, such as those that are put on queues: NamespacedName, client-go's
// ObjectName and reconcile.Request.
func IsObjectKey(t types.Type) bool {
	return isNamespacedName(t) || IsNamed(t, cachePath, "ObjectName") || IsRequest(t)
}

// optionMethod returns the name of the method that marks the options of a
// variadic signature, such as ApplyToUpdate or ApplyToSubResourceUpdate.
func optionMethod(sig *types.Signature) string {
	if !sig.Variadic() {
		return ""
	}
	slice, ok := sig.Params().At(sig.Params().Len() - 1).Type().(*types.Slice)
	if !ok {
		return ""
	}
	iface, ok := slice.Elem().Underlying().(*types.Interface)
	if !ok {
		return ""
	}
	for method := range iface.Methods() {
		if strings.HasPrefix(method.Name(), "ApplyTo") {
			return method.Name()
		}
	}
	return ""
}

// writerEndpoint tells which endpoint a controller-runtime writer is of: by
// its options, by how the writer was got, and in old versions, whose status
// writer takes the same options as the client, by its type.
func writerEndpoint(recv ssa.Value, option string) Endpoint {
	if recv == nil {
		return MainEndpoint
	}
	if call, ok := stripInterfaces(recv).(*ssa.Call); ok {
		if fn := Callee(call.Common()); fn != nil && fn.Signature().Recv() != nil {
			_, args := Args(call.Common())
			switch {
			case len(args) == 0 && fn.Name() == "Status":
				return StatusEndpoint
			case len(args) == 1 && fn.Name() == "SubResource":
				if name, ok := ConstString(args[0]); ok && name == "status" {
					return StatusEndpoint
				}
				return OtherEndpoint
			}
		}
	}
	switch {
	case IsNamed(recv.Type(), clientPath, "SubResourceClient"):
		return OtherEndpoint
	case strings.HasPrefix(option, "ApplyToSubResource"),
		IsNamed(recv.Type(), clientPath, "StatusWriter", "SubResourceWriter"):
		return StatusEndpoint
	}
	return MainEndpoint
}

func stripInterfaces(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.TypeAssert:
			v = x.X
		default:
			return v
		}
	}
}

// typedOp recognises the methods of typed clientsets and dynamic clients:
//
//	Update[Status](ctx, *T, metav1.UpdateOptions[, subresources…]) (*T, error)
//	Create(ctx, *T, metav1.CreateOptions[, …]) (*T, error)
//	Update<Subresource>(ctx, name, *T, metav1.UpdateOptions) (*T, error)
//	Patch(ctx, name, types.PatchType, []byte, metav1.PatchOptions, subresources…) (*T, error)
//	Apply[Status](ctx, …, metav1.ApplyOptions) (*T, error)
//	Get(ctx, name, metav1.GetOptions) (*T, error)
//
// and their older forms without a context and options.
func typedOp(name string, sig *types.Signature, args []ssa.Value) (Op, bool) {
	params, results := sig.Params(), sig.Results()
	if results.Len() != 2 || !IsError(results.At(1).Type()) || !IsObject(results.At(0).Type()) || types.IsInterface(results.At(0).Type()) {
		return Op{}, false
	}
	first := 0
	if params.Len() > 0 && IsContext(params.At(0).Type()) {
		first = 1
	}
	if params.Len() <= first {
		return Op{}, false
	}
	verb, suffix, ok := cutVerb(name)
	if !ok {
		return Op{}, false
	}
	op := Op{Verb: verb, Result: true, Kind: KindOf(results.At(0).Type())}
	switch verb {
	case Update, Create:
		object := first
		if isString(params.At(first).Type()) && params.Len() > first+1 {
			object++ // a subresource of an object by name, such as UpdateApproval
		}
		takesObject := types.Identical(params.At(object).Type(), results.At(0).Type())
		if !takesObject || first == 1 && !hasOptions(params, string(verb)+"Options") || first == 0 && params.Len() > 1 {
			return Op{}, false
		}
		op.Object = args[object]
	case Patch:
		if first == 1 && !hasOptions(params, "PatchOptions") || !hasType(params, "k8s.io/apimachinery/pkg/types", "PatchType") {
			return Op{}, false
		}
		for i := range params.Len() - 1 {
			// Wrangler's clients have the namespace before the name.
			if isString(params.At(i).Type()) && IsNamed(params.At(i+1).Type(), "k8s.io/apimachinery/pkg/types", "PatchType") {
				op.Name = args[i]
			}
		}
		for i := range params.Len() {
			if types.Identical(params.At(i).Type(), types.NewSlice(types.Typ[types.Byte])) {
				op.Data = args[i]
			}
		}
	case Apply:
		if !hasOptions(params, "ApplyOptions") {
			return Op{}, false
		}
		op.Object = args[params.Len()-2]
		if sig.Variadic() {
			op.Object = args[min(2, len(args)-1)] // dynamic: ctx, name, obj, options, subresources…
		}
	case Get:
		if first == 1 && !hasOptions(params, "GetOptions") || first == 0 && !hasType(params, metav1Path, "GetOptions") {
			return Op{}, false
		}
	}
	op.Endpoint = typedEndpoint(sig, suffix, args)
	return op, true
}

func cutVerb(name string) (verb Verb, suffix string, ok bool) {
	for _, verb := range []Verb{Create, Update, Patch, Apply} {
		if suffix, found := strings.CutPrefix(name, string(verb)); found {
			return verb, suffix, true
		}
	}
	return Get, "", name == "Get"
}

func typedEndpoint(sig *types.Signature, suffix string, args []ssa.Value) Endpoint {
	switch suffix {
	case "":
	case "Status", "Approval":
		// The approval endpoint of CertificateSigningRequests stores
		// conditions, too.
		return StatusEndpoint
	default:
		return OtherEndpoint
	}
	if !sig.Variadic() {
		return MainEndpoint
	}
	subresources, ok := VariadicArgs(args[len(args)-1])
	if !ok {
		return OtherEndpoint
	}
	if len(subresources) == 0 {
		return MainEndpoint
	}
	switch name, ok := ConstString(subresources[0]); {
	case ok && name == "status":
		return StatusEndpoint
	case ok && name == "":
		return MainEndpoint
	}
	return OtherEndpoint
}

func isString(t types.Type) bool { return types.Identical(t, types.Typ[types.String]) }

func hasOptions(params *types.Tuple, names ...string) bool {
	return hasType(params, metav1Path, names...)
}

func hasType(params *types.Tuple, path string, names ...string) bool {
	return AnyIs(params, func(t types.Type) bool { return IsNamed(t, path, names...) })
}
