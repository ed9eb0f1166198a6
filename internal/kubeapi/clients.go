package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const restPath = "k8s.io/client-go/rest"

// IsRESTConfig reports whether t is a rest.Config or a pointer to one.
func IsRESTConfig(t types.Type) bool { return IsNamed(t, restPath, "Config") }

// ClientKind is what is built to talk to the API server.
type ClientKind uint8

const (
	// NoClient is the zero value.
	NoClient ClientKind = iota
	// Clientset is a clientset of any project, a client of one group, a REST,
	// dynamic or metadata client.
	Clientset
	// Discovery is a discovery client.
	Discovery
	// RuntimeClient is a client of controller-runtime, which comes with a
	// RESTMapper.
	RuntimeClient
	// Mapper is a RESTMapper.
	Mapper
	// HTTPClient is an HTTP client made of a rest.Config.
	HTTPClient
	// Manager is a manager of controller-runtime.
	Manager
	// Cluster is a cluster of controller-runtime: a manager that runs nothing.
	Cluster
	// Cache is a cache of controller-runtime.
	Cache
	// Factory is a factory of shared informers.
	Factory
	// Transport is a transport of net/http.
	Transport
)

var clientKindNames = [...]string{
	Clientset: "a client", Discovery: "a discovery client", RuntimeClient: "a client", Mapper: "a RESTMapper",
	HTTPClient: "an HTTP client", Manager: "a manager", Cluster: "a cluster with caches", Cache: "a cache", Factory: "an informer factory",
	Transport: "an HTTP client with a transport of its own",
}

// String names it with an article.
func (k ClientKind) String() string {
	if int(k) < len(clientKindNames) {
		return clientKindNames[k]
	}
	return ""
}

// ClientKindOf tells what kind of client a type is, by its methods.
func ClientKindOf(t types.Type) ClientKind {
	switch {
	case IsNamed(t, "net/http", "Client"):
		return HTTPClient
	case HasMethod(t, "GetConfig") && HasMethod(t, "GetCache") && HasMethod(t, "GetScheme"):
		if HasMethod(t, "Add") {
			return Manager
		}
		return Cluster
	case HasMethod(t, "GetInformer") && HasMethod(t, "WaitForCacheSync") && HasMethod(t, "IndexField"):
		return Cache
	case HasMethod(t, "InformerFor") && HasMethod(t, "WaitForCacheSync") && HasMethod(t, "Start"),
		HasMethod(t, "ForResource") && HasMethod(t, "WaitForCacheSync") && HasMethod(t, "Start"):
		return Factory
	case HasMethod(t, "RESTMapping") && HasMethod(t, "KindFor"):
		return Mapper
	case HasMethod(t, "RESTMapper") && HasMethod(t, "Scheme") && HasMethod(t, "Status"):
		return RuntimeClient
	case HasMethod(t, "Discovery"):
		return Clientset // some have the methods of their discovery client besides
	case HasMethod(t, "ServerGroups") && HasMethod(t, "ServerResourcesForGroupVersion"):
		return Discovery
	case HasMethod(t, "RESTClient") || HasMethod(t, "GetRateLimiter") && HasMethod(t, "Verb") || isDynamicClient(t):
		return Clientset
	}
	return NoClient
}

// isDynamicClient recognises dynamic.Interface and metadata.Interface: what
// they give out for a resource has namespaces.
func isDynamicClient(t types.Type) bool {
	sig := method(t, "Resource")
	return sig != nil && sig.Params().Len() == 1 && sig.Results().Len() == 1 &&
		IsNamed(sig.Params().At(0).Type(), schemePath+"/schema", "GroupVersionResource") && HasMethod(sig.Results().At(0).Type(), "Namespace")
}

// ClientBuild is a call that builds a client of a rest.Config, or an informer
// factory of a client.
type ClientBuild struct {
	Kind ClientKind
	// From is the rest.Config, or the client.
	From ssa.Value
	// HTTP is the HTTP client that the new one shares, or nil.
	HTTP ssa.Value
}

// ClientBuildOf recognises the functions that build clients by their
// signature: a *rest.Config in, a client out, as all clientsets,
// controller-runtime and the wrappers of either have it.
func ClientBuildOf(common *ssa.CallCommon) (ClientBuild, bool) {
	sig := common.Signature()
	if sig == nil || sig.Recv() != nil || common.IsInvoke() || sig.Results().Len() == 0 || sig.Results().Len() > 2 || len(common.Args) == 0 {
		return ClientBuild{}, false
	}
	if callee := Callee(common); callee != nil && callee.Signature().Recv() != nil {
		return ClientBuild{}, false
	}
	if callee := Callee(common); callee != nil && strings.HasPrefix(callee.Name(), "New") && strings.Contains(callee.Name(), "InformerFactory") {
		return ClientBuild{Kind: Factory, From: common.Args[0]}, ClientKindOf(sig.Results().At(0).Type()) == Factory
	}
	var build ClientBuild
	for _, arg := range common.Args {
		switch {
		case IsRESTConfig(arg.Type()) && build.From == nil:
			build.From = arg
		case IsNamed(arg.Type(), "net/http", "Client"):
			build.HTTP = arg
		}
	}
	if build.From == nil {
		return ClientBuild{}, false
	}
	build.Kind = ClientKindOf(sig.Results().At(0).Type())
	return build, build.Kind != NoClient && build.Kind != Factory
}

// talks are functions whose answer may be another one each time.
var talks = newNameTable(
	"io.*", "io/ioutil.*", "os.ReadFile", "os.Open*", "(*os.File).*", "net.*", "net/http.*", "(*net/http.*", "(net/http.*",
	"os/exec.*", "(*os/exec.*", "time.Now", "crypto/rand.*", "math/rand.*",
)

// AnswersDiffer reports whether a function, of which nothing is known but its
// declaration, may return something else for the same arguments: it takes a
// context, and so talks to somebody, reads a file, or returns API objects.
func AnswersDiffer(fn *types.Func) bool {
	if fn == nil || talks.match(fn) || TakesContext(fn.Signature()) {
		return true
	}
	return AnyIs(fn.Signature().Results(), func(t types.Type) bool {
		if slice, ok := t.Underlying().(*types.Slice); ok {
			t = slice.Elem()
		}
		return !IsError(t) && IsObject(t)
	})
}

// IsServiceRegistration recognises what protoc-gen-go-grpc generates to
// register the implementation of a service, and returns that and its
// interface.
func IsServiceRegistration(common *ssa.CallCommon) (service ssa.Value, methods *types.Interface, ok bool) {
	callee := Callee(common)
	if callee == nil || !strings.HasPrefix(callee.Name(), "Register") || !strings.HasSuffix(callee.Name(), "Server") || callee.Signature().Recv() != nil {
		return nil, nil, false
	}
	params := callee.Signature().Params()
	if params.Len() != 2 || !HasMethod(params.At(0).Type(), "RegisterService") || len(common.Args) != 2 {
		return nil, nil, false
	}
	methods, ok = params.At(1).Type().Underlying().(*types.Interface)
	return common.Args[1], methods, ok
}

// IsPoolPut reports whether fn puts something into a sync.Pool.
func IsPoolPut(fn *types.Func) bool {
	return fn != nil && fn.Name() == "Put" && FullName(fn) == "(*sync.Pool).Put"
}

// IsPoolNew reports whether the index-th field of t is the function by which a
// sync.Pool makes what it lacks.
func IsPoolNew(t types.Type, index int) bool {
	return IsNamed(t, "sync", "Pool") && fieldName(t, index) == "New"
}

// keepers are methods by which something is put where it will be found again.
var keepers = map[string]bool{
	"Store": true, "LoadOrStore": true, "Swap": true, "CompareAndSwap": true, "Set": true, "SetDefault": true, "Put": true, "Add": true,
	"Insert": true, "SetWithTTL": true, "GetOrSet": true,
}

// KeepsArgument reports whether a method looks as if it put its argument into a
// map, a cache or a variable.
func KeepsArgument(fn *types.Func) bool {
	return fn != nil && fn.Signature().Recv() != nil && keepers[fn.Name()]
}

// IsTransport reports whether t is http.Transport or a pointer to it.
func IsTransport(t types.Type) bool { return IsNamed(t, "net/http", "Transport") }

// EndsConnections reports whether a field of http.Transport sees to it that
// connections which are not used any more end.
func EndsConnections(name string) bool {
	return name == "IdleConnTimeout" || name == "DisableKeepAlives"
}

// ClosesConnections reports whether fn closes the idle connections of an HTTP
// client or transport.
func ClosesConnections(fn *types.Func) bool {
	return fn != nil && fn.Name() == "CloseIdleConnections" && fn.Signature().Params().Len() == 0
}

// HTTPRequest is a call that sends an HTTP request and waits for the answer.
type HTTPRequest struct {
	// Client sends it; nil for the functions of net/http, which use the default
	// client.
	Client ssa.Value
	// Request is what is sent; nil if the call makes it, without a context.
	Request ssa.Value
}

// SendsRequest recognises http.Get and its like, and the methods of
// http.Client.
func SendsRequest(common *ssa.CallCommon) (HTTPRequest, bool) {
	callee := Callee(common)
	if callee == nil || callee.Pkg() == nil || callee.Pkg().Path() != "net/http" {
		return HTTPRequest{}, false
	}
	recv, args := Args(common)
	if recv != nil && !IsNamed(recv.Type(), "net/http", "Client") {
		return HTTPRequest{}, false
	}
	switch callee.Name() {
	case "Get", "Head", "Post", "PostForm":
		return HTTPRequest{Client: recv}, len(args) > 0 && IsString(args[0].Type())
	case "Do":
		if recv == nil || len(args) != 1 {
			return HTTPRequest{}, false
		}
		return HTTPRequest{Client: recv, Request: args[0]}, true
	}
	return HTTPRequest{}, false
}

// IsString reports whether t is a string type.
func IsString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// IsStrings reports whether t is a list of strings.
func IsStrings(t types.Type) bool {
	slice, ok := t.Underlying().(*types.Slice)
	return ok && IsString(slice.Elem())
}

// IsRoundTripper reports whether t is http.RoundTripper.
func IsRoundTripper(t types.Type) bool { return IsNamed(t, "net/http", "RoundTripper") }
