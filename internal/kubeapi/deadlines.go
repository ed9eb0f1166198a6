package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// PollTimeout recognises the pollers that take a context and a timeout of
// their own, and returns both. derives tells that the condition's context is
// the one with the timeout.
func PollTimeout(common *ssa.CallCommon) (parent, limit ssa.Value, derives, ok bool) {
	callee := Callee(common)
	if !isOfWait(callee) || len(common.Args) < 4 {
		return nil, nil, false, false
	}
	switch callee.Name() {
	case "PollUntilContextTimeout":
		return common.Args[0], common.Args[2], true, true
	case "PollWithContext", "PollImmediateWithContext":
		return common.Args[0], common.Args[2], false, true
	}
	return nil, nil, false, false
}

// OptionalTimeout recognises client-go's ContextWithOptionalTimeout, for which
// a duration of zero means none.
func OptionalTimeout(common *ssa.CallCommon) (parent, limit ssa.Value, ok bool) {
	if !IsFunc(Callee(common), "k8s.io/client-go/tools/watch", "ContextWithOptionalTimeout") || len(common.Args) != 2 {
		return nil, nil, false
	}
	return common.Args[0], common.Args[1], true
}

// ClientTimeout recognises a call of an HTTP client that has a timeout of its
// own where it is made, and returns the request and the timeout.
func ClientTimeout(common *ssa.CallCommon) (request, limit ssa.Value, ok bool) {
	callee := Callee(common)
	if callee == nil || FullName(callee) != "(*net/http.Client).Do" {
		return nil, nil, false
	}
	recv, args := Args(common)
	made, isAlloc := recv.(*ssa.Alloc)
	if !isAlloc || len(args) != 1 {
		return nil, nil, false
	}
	limits := storedInField(made, "Timeout")
	if len(limits) != 1 {
		return nil, nil, false
	}
	return args[0], limits[0], true
}

// storedInField returns what is stored into a field where a struct is put together, of
// which v is the variable or a pointer to it.
func storedInField(v ssa.Value, name string) []ssa.Value {
	if v.Referrers() == nil {
		return nil
	}
	var stored []ssa.Value
	for _, ref := range *v.Referrers() {
		if field, ok := ref.(*ssa.FieldAddr); ok && fieldName(field.X.Type(), field.Field) == name {
			stored = append(stored, storedAt(field)...)
		}
	}
	return stored
}

// storedAt returns what is stored at an address where that itself is named.
func storedAt(addr ssa.Value) []ssa.Value {
	if addr.Referrers() == nil {
		return nil
	}
	var stored []ssa.Value
	for _, use := range *addr.Referrers() {
		if store, ok := use.(*ssa.Store); ok && store.Addr == addr {
			stored = append(stored, store.Val)
		}
	}
	return stored
}

func fieldName(t types.Type, index int) string {
	s := structOf(t)
	if s == nil || index >= s.NumFields() {
		return ""
	}
	return s.Field(index).Name()
}

// RequestContext returns the context that an *http.Request was made with in
// this function, or nil.
func RequestContext(request ssa.Value) ssa.Value {
	if extract, ok := request.(*ssa.Extract); ok {
		request = extract.Tuple
	}
	call, ok := request.(*ssa.Call)
	if !ok {
		return nil
	}
	callee := Callee(call.Common())
	if callee == nil {
		return nil
	}
	_, args := Args(call.Common())
	switch FullName(callee) {
	case "net/http.NewRequestWithContext", "(*net/http.Request).WithContext", "(*net/http.Request).Clone":
		if len(args) > 0 {
			return args[0]
		}
	}
	return nil
}

// untilDone are functions that return when their stop channel or context ends
// and not before.
var untilDone = newNameTable(
	waitPath+".Until*", waitPath+".JitterUntil*", waitPath+".NonSlidingUntil*", waitPath+".BackoffUntil*",
	"(k8s.io/client-go/tools/cache.Controller).Run*", "(k8s.io/client-go/tools/cache.SharedInformer).Run*",
	"(k8s.io/client-go/tools/cache.SharedIndexInformer).Run*", "(*k8s.io/client-go/tools/cache.Reflector).Run*",
)

// untilDoneOrLost are functions that return when their context ends, or
// earlier if something goes wrong: a lease is lost, a component fails.
var untilDoneOrLost = newNameTable(
	"k8s.io/client-go/tools/leaderelection.RunOrDie", "(*k8s.io/client-go/tools/leaderelection.LeaderElector).Run",
	"(sigs.k8s.io/controller-runtime/pkg/manager.Manager).Start", "(sigs.k8s.io/controller-runtime/pkg/cache.Informers).Start",
	"(sigs.k8s.io/controller-runtime/pkg/cluster.Cluster).Start", "(sigs.k8s.io/controller-runtime/pkg/cache.Cache).Start",
	"knative.dev/pkg/controller.StartAll",
)

// ReturnsWhenDone recognises a call that returns when the context or stop
// channel until ends. If sure is not set, it may also return because something
// has failed; it returns an error then, if it returns errors.
func ReturnsWhenDone(common *ssa.CallCommon) (until ssa.Value, sure, ok bool) {
	callee := Callee(common)
	if callee == nil {
		return nil, false, false
	}
	sure = untilDone.match(callee)
	if !sure && !untilDoneOrLost.match(callee) {
		return nil, false, false
	}
	_, args := Args(common)
	until = untilArg(args)
	return until, sure, until != nil
}

// IsCacheSync reports whether a call waits for caches to be filled, and returns
// the context or stop channel that ends the wait: then, and only then, the
// answer is false.
func IsCacheSync(common *ssa.CallCommon) (until ssa.Value, ok bool) {
	callee := Callee(common)
	if callee == nil || callee.Pkg() == nil || !strings.HasPrefix(callee.Name(), "WaitForCacheSync") && !strings.HasPrefix(callee.Name(), "WaitForNamedCacheSync") {
		return nil, false
	}
	path := callee.Pkg().Path()
	if !strings.HasPrefix(path, "k8s.io/client-go/") && !strings.HasPrefix(path, "sigs.k8s.io/controller-runtime/") {
		return nil, false
	}
	if !returnsBool(callee.Signature()) {
		return nil, false
	}
	_, args := Args(common)
	until = untilArg(args)
	return until, until != nil
}

// GroupContext recognises errgroup.WithContext and its copies: a context in, a
// group with the methods Go and Wait and a context out, which ends when Wait
// returns.
func GroupContext(common *ssa.CallCommon) bool {
	callee := Callee(common)
	if callee == nil || callee.Name() != "WithContext" || callee.Signature().Results().Len() != 2 {
		return false
	}
	results := callee.Signature().Results()
	group := results.At(0).Type()
	return IsContext(results.At(1).Type()) && HasMethod(group, "Go") && HasMethod(group, "Wait")
}

// asksContext are functions that ask a context or carry it on and do nothing
// that could fail because it has ended.
var asksContext = newNameTable(
	"context.*", "(context.Context).*", "sigs.k8s.io/controller-runtime/pkg/log.*", "sigs.k8s.io/controller-runtime.LoggerFrom", "sigs.k8s.io/controller-runtime.LoggerInto",
	"k8s.io/klog*", "github.com/go-logr/logr.*", "log/slog.*", "(*log/slog.*", "knative.dev/pkg/logging.*",
)

// waitsToShutDown are functions that send, or wait for, what is left before they shut something down.
var waitsToShutDown = newNameTable("(*net/http.Server).Shutdown", "(*go.opentelemetry.io/*", "(go.opentelemetry.io/*")

// NeedsLiveContext recognises a call that cannot do its work once its context
// has ended: it takes the context first and returns an error last, as the
// clients of the API server, of databases and of other services do. What
// releases something (Close, Disconnect, Stop, Unlock, most of what is called Shutdown) is left out, for some of these work
// all the same, and so are reads of controller-runtime's clients, which a cache may serve.
func NeedsLiveContext(common *ssa.CallCommon) (ctx ssa.Value, ok bool) {
	if !FailsWithoutContext(Callee(common)) || IsCachedRead(common) { // the cache answers all the same
		return nil, false
	}
	ctx = firstContext(common)
	return ctx, ctx != nil
}

// FailsWithoutContext is NeedsLiveContext for a function, which is no cache's.
func FailsWithoutContext(callee *types.Func) bool {
	if callee == nil || callee.Pkg() == nil || asksContext.match(callee) {
		return false
	}
	if !startsWithContext(callee) {
		return false
	}
	if IsFunc(callee, "os/exec", "CommandContext") {
		return true
	}
	if !CanFail(callee.Signature()) || AnyIs(callee.Signature().Results(), IsContext) {
		return false
	}
	switch callee.Name() {
	case "Close", "Disconnect", "Stop", "Unlock", "Release", "Err", "Handle", "Start", "Run", "NewRequestWithContext":
		return false
	case "Shutdown":
		return waitsToShutDown.match(callee)
	}
	return true
}

// IsCachedRead recognises a read of controller-runtime's clients, which a cache may serve: that fails
// with NotFound, and hardly by anything else.
func IsCachedRead(common *ssa.CallCommon) bool {
	_, ok := cachedRead(common)
	return ok
}

func cachedRead(common *ssa.CallCommon) (Op, bool) {
	op, ok := ClientOp(common)
	return op, ok && op.Verb.Reads() && !op.Result && op.Recv != nil && IsReader(op.Recv.Type())
}

// AsksCache reports whether a call is such a read of a client that may have a cache, see [MayReadCache], and was not
// made here without one.
func AsksCache(common *ssa.CallCommon) bool {
	op, ok := cachedRead(common)
	return ok && MayReadCache(op.Recv) && !MakesLiveClient(stripInterfaces(op.Recv))
}

func firstContext(common *ssa.CallCommon) ssa.Value {
	_, args := Args(common)
	return argument(args, IsContext)
}

// Borrowed tells what a value of type t still needs the context for that it
// was got with, in the words of a message: the body of a response, the events
// of a watch. It is empty for values that do not.
func Borrowed(t types.Type) string {
	switch {
	case IsNamed(t, "net/http", "Response"):
		return "the response's body"
	case IsNamed(t, "k8s.io/apimachinery/pkg/watch", "Interface"):
		return "the watch"
	case IsNamed(t, "database/sql", "Rows", "Row"):
		return "the rows"
	case IsNamed(t, "database/sql", "Tx"):
		return "the transaction"
	case isClientStream(t), IsNamed(t, "io", "ReadCloser"):
		return "the stream"
	}
	return ""
}

// isClientStream recognises gRPC's client streams by their methods.
func isClientStream(t types.Type) bool {
	return types.IsInterface(t) && HasMethod(t, "RecvMsg") && HasMethod(t, "CloseSend") && HasRequestContext(t)
}
