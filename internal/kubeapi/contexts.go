package kubeapi

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// rootContext are the functions that make a context from nothing.
var rootContext = newNameTable("context.Background", "context.TODO")

// IsRootContext reports whether fn is context.Background or context.TODO.
func IsRootContext(fn *types.Func) bool { return fn != nil && rootContext.match(fn) }

// IsWithoutCancel reports whether fn is context.WithoutCancel.
func IsWithoutCancel(fn *types.Func) bool { return IsFunc(fn, "context", "WithoutCancel") }

// EndsByCancel reports whether a call derives a context that ends with what it is derived from, a context or a
// channel, and otherwise only where its cancel function is called: those that end on a signal as well are none.
func EndsByCancel(common *ssa.CallCommon) bool {
	if IsFunc(Callee(common), "context", "WithCancel", "WithCancelCause") {
		return true
	}
	_, ok := ContextForChannel(common)
	return ok
}

// IsRequestContext reports whether fn hands out the context of a request or
// stream: a method Context without parameters, as *http.Request, gRPC's streams
// and cobra's commands have.
func IsRequestContext(fn *types.Func) bool { return isGetter(fn, IsContext, "Context") }

// HasRequestContext reports whether values of type t carry the context of a
// request or stream, see [IsRequestContext].
func HasRequestContext(t types.Type) bool {
	fn := methodNamed(t, "Context")
	return fn != nil && IsRequestContext(fn)
}

// TimeoutOf recognises a call that derives a context which ends by itself:
// context.WithTimeout, context.WithDeadline and their variants with a cause, and
// functions of the same shape, such as those of clocks: a context and a
// duration or time in, a context and a function that cancels it out. It returns
// the parent and the duration, or, if deadline is set, the time.
func TimeoutOf(common *ssa.CallCommon) (parent, limit ssa.Value, deadline, ok bool) {
	callee := Callee(common)
	if callee == nil || !timeoutNames[callee.Name()] {
		return nil, nil, false, false
	}
	results := callee.Signature().Results()
	if results.Len() == 0 || !IsContext(results.At(0).Type()) {
		return nil, nil, false, false
	}
	_, args := Args(common)
	for _, arg := range args {
		switch {
		case parent == nil && IsContext(arg.Type()):
			parent = arg
		case limit == nil && IsNamed(arg.Type(), "time", "Duration"):
			limit = arg
		case limit == nil && IsNamed(arg.Type(), "time", "Time"):
			limit, deadline = arg, true
		}
	}
	return parent, limit, deadline, parent != nil && limit != nil
}

var timeoutNames = map[string]bool{"WithTimeout": true, "WithTimeoutCause": true, "WithDeadline": true, "WithDeadlineCause": true}

// ContextForChannel recognises a call that makes a context which ends when a
// channel is closed, and returns the channel.
func ContextForChannel(common *ssa.CallCommon) (ssa.Value, bool) {
	callee := Callee(common)
	if callee == nil || callee.Signature().Results().Len() == 0 || !IsContext(callee.Signature().Results().At(0).Type()) {
		return nil, false
	}
	ch := argument(common.Args, IsStopChannel)
	return ch, ch != nil
}

// DoneOf returns the context whose Done channel ch is, or nil.
func DoneOf(ch ssa.Value) ssa.Value {
	for {
		change, ok := ch.(*ssa.ChangeType)
		if !ok {
			return ContextAsked(ch, "Done")
		}
		ch = change.X
	}
}

// ContextAsked returns the context of which v is what a method without parameters returns, or
// nil.
func ContextAsked(v ssa.Value, method string) ssa.Value {
	call, ok := v.(*ssa.Call)
	if !ok {
		return nil
	}
	callee := Callee(call.Common())
	if callee == nil || callee.Name() != method || callee.Signature().Params().Len() != 0 {
		return nil
	}
	recv, _ := Args(call.Common())
	if recv == nil || !IsContext(recv.Type()) {
		return nil
	}
	return recv
}

// IsNeverStop reports whether v is wait.NeverStop, the channel that nobody
// closes.
func IsNeverStop(v ssa.Value) bool {
	return IsVariable(v, "k8s.io/apimachinery/pkg/util/wait", "NeverStop")
}

// AddsToContext reports whether a function returns the context that it is given first, with a value
// or a logger added: context.WithValue, and what packages for logs have.
func AddsToContext(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	switch FullName(fn) {
	case "context.WithValue", "sigs.k8s.io/controller-runtime/pkg/log.IntoContext",
		"github.com/go-logr/logr.NewContext", "github.com/go-logr/logr.NewContextWithSlogLogger", "k8s.io/klog/v2.NewContext":
		return true
	}
	return false
}
