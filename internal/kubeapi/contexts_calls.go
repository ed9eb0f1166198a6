package kubeapi

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// HeedsContext reports whether a call of fn, a function without a body here,
// goes on only while its context lives: it talks to somebody, or waits. Such
// functions take a context, and their last result says whether they failed. Left
// out are those that keep the context for later or need it for its values only
// (constructors, registration, logging, metrics), those that run until they are
// stopped, which are a subject of their own, and those that clean up by nature.
func HeedsContext(fn *types.Func) bool {
	if fn == nil || !heedsBySignature(fn.Signature()) {
		return false
	}
	switch {
	case keepsContext.match(fn), IsPoll(fn), IsEndless(fn):
		return false
	case IsFunc(fn, "net/http", "NewRequestWithContext"):
		return true // what is done with the request ends with the context
	}
	name := fn.Name()
	if name == "IndexField" {
		return false // controller-runtime's, and wrappers of it
	}
	if fn.Signature().Recv() == nil && startsWith(name, constructors) || cleanUp[name] {
		return false
	}
	return !runs[name] || fn.Signature().Params().Len() > 1
}

// HeedsContextOf is [HeedsContext] for a function value of which only the type
// is known.
func HeedsContextOf(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && heedsBySignature(sig)
}

// IsOfClient reports whether a method is one of a client by its form: it takes
// the options of requests to the API server, or of a gRPC call, or does to an API
// object what the client's method of the same name does.
func IsOfClient(fn *types.Func) bool {
	sig := fn.Signature()
	if hasOptions(sig.Params(), "GetOptions", "ListOptions", "CreateOptions", "UpdateOptions", "PatchOptions", "ApplyOptions", "DeleteOptions") {
		return true
	}
	if sig.Variadic() {
		last := sig.Params().At(sig.Params().Len() - 1).Type()
		if slice, ok := last.(*types.Slice); ok && IsNamed(slice.Elem(), "google.golang.org/grpc", "CallOption") {
			return true
		}
	}
	if _, suffix, ok := cutVerb(fn.Name()); (!ok || suffix != "" && suffix != "Status") && fn.Name() != "List" && fn.Name() != "Delete" {
		return false
	}
	return AnyIs(sig.Params(), IsObject) || AnyIs(sig.Results(), IsObject)
}

// heedsBySignature reports whether a signature has a context and an error.
func heedsBySignature(sig *types.Signature) bool {
	results := sig.Results()
	if results.Len() == 0 {
		return false
	}
	last := results.At(results.Len() - 1).Type()
	if several, ok := last.Underlying().(*types.Slice); ok {
		last = several.Elem()
	}
	return (IsError(last) || carriesError(last)) && TakesContext(sig)
}

// carriesError reports whether a result tells by a method whether the call has
// failed: *sql.Row, rest.Result, the commands of Redis clients.
func carriesError(t types.Type) bool {
	if IsContext(t) {
		return false
	}
	for _, name := range []string{"Err", "Error"} {
		if sig := method(t, name); sig != nil && sig.Params().Len() == 0 && sig.Results().Len() == 1 && IsError(sig.Results().At(0).Type()) {
			return true
		}
	}
	return false
}

// keepsContext are functions that can fail and for which it makes no difference
// whether the caller's context ends.
var keepsContext = newNameTable(
	"context.*",
	"(sigs.k8s.io/controller-runtime/pkg/cache.Informers).*", "(sigs.k8s.io/controller-runtime/pkg/cache.Cache).*Informer*",
	"k8s.io/apimachinery/pkg/util/wait.*", "k8s.io/client-go/tools/cache.*", "k8s.io/client-go/tools/watch.*",
	"k8s.io/component-base/*", "(k8s.io/component-base/*",
	"go.opentelemetry.io/*", "(go.opentelemetry.io/*", "(*go.opentelemetry.io/*", "go.opencensus.io/*",
	"github.com/prometheus/client_golang/*", "(github.com/prometheus/client_golang/*",
	"google.golang.org/grpc/metadata.*", "golang.org/x/oauth2/*",
	"github.com/aws/aws-sdk-go-v2/config.*", "gocloud.dev/blob/*", "gocloud.dev/blob.OpenBucket",
	"k8s.io/klog/*", "github.com/go-logr/*",
)

// constructors begin the names of functions that make something which keeps
// the context, such as a client that refreshes its token under it.
var constructors = []string{"New", "Must", "Load", "Find", "Default"}

// cleanUp are the names of methods that end what has been begun. Their context
// must not be the one whose end is the reason for the call.
var cleanUp = map[string]bool{
	"Close": true, "Shutdown": true, "ShutDown": true, "Stop": true, "Flush": true, "ForceFlush": true, "Sync": true, "Logout": true,
	"Disconnect": true, "Unlock": true, "Rollback": true, "Release": true, "Revoke": true, "RevokeSelf": true, "RevokeSelfWithContext": true,
}

// runs are the names of methods that run until their context, the only
// parameter, ends.
var runs = map[string]bool{"Start": true, "Run": true, "Serve": true, "ListenAndServe": true, "RunUntil": true}

func startsWith(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// SetsUp reports whether a function with this signature puts the program
// together: it gets a manager or cluster to add to, a command to run, or makes a
// plugin of the scheduler or descheduler. It runs once, before anything that could
// be cancelled.
func SetsUp(sig *types.Signature) bool {
	return AnyIs(sig.Params(), func(t types.Type) bool { return HasMethod(t, "GetFieldIndexer") || isCLI(t) }) || makesPlugin(sig)
}

// makesPlugin recognises the constructors that the frameworks of scheduler and
// descheduler register: what they hand out has a name, and they get the handle
// by which plugins reach the framework.
func makesPlugin(sig *types.Signature) bool {
	results := sig.Results()
	return results.Len() == 2 && HasMethod(results.At(0).Type(), "Name") && IsError(results.At(1).Type()) &&
		AnyIs(sig.Params(), func(t types.Type) bool { return HasMethod(t, "SharedInformerFactory") && HasMethod(t, "ClientSet") })
}

// isCLI reports whether t is a command of a program, or what such a one gets:
// cobra's and urfave/cli's.
func isCLI(t types.Type) bool {
	if IsNamed(t, "github.com/spf13/cobra", "Command") {
		return true
	}
	named := Named(t)
	if named == nil || named.Obj().Pkg() == nil {
		return false
	}
	return withoutMajor(named.Obj().Pkg().Path()+".") == "github.com/urfave/cli." && (named.Obj().Name() == "Command" || named.Obj().Name() == "Context")
}

// IsServerRequest reports whether t carries the context of one request to a
// server, which ends with it: *http.Request, or the stream of a gRPC server.
func IsServerRequest(t types.Type) bool {
	return IsNamed(t, "net/http", "Request") || HasMethod(t, "RecvMsg") && HasMethod(t, "SendMsg") && HasMethod(t, "SetTrailer")
}

// takesOver are functions that take the connection of a request over, such as for
// a websocket.
var takesOver = newNameTable(
	"(net/http.Hijacker).Hijack", "(*net/http.ResponseController).Hijack",
	"(*k8s.io/apimachinery/pkg/util/httpstream/wsstream.Conn).Open", "(*k8s.io/apiserver/pkg/util/wsstream.Conn).Open", "(*k8s.io/streaming/pkg/httpstream/wsstream.Conn).Open",
	"(k8s.io/apimachinery/pkg/util/httpstream.ResponseUpgrader).UpgradeResponse",
	"(*github.com/gorilla/websocket.Upgrader).Upgrade", "github.com/coder/websocket.Accept", "nhooyr.io/websocket.Accept",
)

// TakesOver reports whether fn takes the connection of a request over. The
// server does not watch it any more then, and the request's context ends when its
// handler does.
func TakesOver(fn *types.Func) bool { return fn != nil && takesOver.match(fn) }

// shared are functions that run another one for several callers at once.
var shared = newNameTable("(*golang.org/x/sync/singleflight.Group).*")

// IsShared reports whether fn runs the function that it gets for several callers
// at once.
func IsShared(fn *types.Func) bool { return shared.match(fn) }

// IsEndOfContext reports whether err, compared by errors.Is, tells that a
// context has ended: context.Canceled or context.DeadlineExceeded.
func IsEndOfContext(err ssa.Value) bool {
	return IsVariable(err, "context", "Canceled") || IsVariable(err, "context", "DeadlineExceeded") || IsVariable(err, waitPath, "ErrWaitTimeout")
}

// TellsEndOfContext reports whether a call answers whether a context has ended.
func TellsEndOfContext(common *ssa.CallCommon) bool {
	callee := Callee(common)
	return IsFunc(callee, waitPath, "Interrupted") || IsFunc(callee, "errors", "Is") && len(common.Args) == 2 && IsEndOfContext(common.Args[1])
}

// IsRPCMethod reports whether fn is a method by which a gRPC server answers a
// call: its receiver is told by what protobuf generates for servers to embed.
func IsRPCMethod(fn *types.Func) bool {
	if fn == nil || fn.Signature().Recv() == nil || !fn.Exported() {
		return false
	}
	sig := fn.Signature()
	if sig.Params().Len() != 2 || sig.Results().Len() != 2 || !IsContext(sig.Params().At(0).Type()) || !IsError(sig.Results().At(1).Type()) {
		return false
	}
	return anyField(structOf(sig.Recv().Type()), func(f *types.Var) bool {
		return f.Embedded() && strings.HasPrefix(f.Name(), "Unimplemented") && strings.HasSuffix(f.Name(), "Server")
	})
}
