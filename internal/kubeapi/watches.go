package kubeapi

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// IsWatcher reports whether t is a watch: watch.Interface or a type that
// implements it.
func IsWatcher(t types.Type) bool {
	results := method(t, "ResultChan")
	stop := method(t, "Stop")
	if results == nil || stop == nil || results.Params().Len() != 0 || results.Results().Len() != 1 || stop.Params().Len() != 0 {
		return false
	}
	ch, ok := results.Results().At(0).Type().Underlying().(*types.Chan)
	return ok && IsNamed(ch.Elem(), "k8s.io/apimachinery/pkg/watch", "Event")
}

// IsResultChan reports whether fn is the method that hands out the events of a
// watch.
func IsResultChan(fn *types.Func) bool {
	return isMethod(fn, "ResultChan") && IsWatcher(fn.Signature().Recv().Type())
}

// IsWatchStart recognises a method that opens a watch at the API server: it is
// called Watch, and a watch comes out, alone or with an error.
func IsWatchStart(callee *types.Func) bool {
	if callee == nil || callee.Name() != "Watch" {
		return false
	}
	results := callee.Signature().Results()
	return results.Len() > 0 && results.Len() <= 2 && IsWatcher(results.At(0).Type())
}

// WatchOf returns the watch that a call returns, alone or with an error, and that,
// nil if there is none or it is not looked at, and the context that the call gets,
// nil for clients of the time before contexts.
func WatchOf(call *ssa.Call) (watcher, err, ctx ssa.Value, ok bool) {
	common := call.Common()
	results := common.Signature().Results()
	if results.Len() == 0 || results.Len() > 2 || !IsWatcher(results.At(0).Type()) {
		return nil, nil, nil, false
	}
	ctx = firstContext(common)
	if results.Len() == 1 {
		return call, nil, ctx, true
	}
	if call.Referrers() != nil {
		for _, ref := range *call.Referrers() {
			if extract, isExtract := ref.(*ssa.Extract); isExtract {
				if extract.Index == 0 {
					watcher = extract
				} else {
					err = extract
				}
			}
		}
	}
	return watcher, err, ctx, watcher != nil
}

// IsReadCloser reports whether t is an io.ReadCloser.
func IsReadCloser(t types.Type) bool {
	read, end := method(t, "Read"), method(t, "Close")
	if read == nil || end == nil || read.Params().Len() != 1 || read.Results().Len() != 2 || end.Params().Len() != 0 {
		return false
	}
	slice, ok := read.Params().At(0).Type().Underlying().(*types.Slice)
	if !ok {
		return false
	}
	elem, ok := slice.Elem().Underlying().(*types.Basic)
	return ok && elem.Kind() == types.Byte
}
