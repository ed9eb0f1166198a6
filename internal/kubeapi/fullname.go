package kubeapi

import (
	"go/types"
	"strconv"
	"sync"
	"sync/atomic"
)

// fullNames has the names of functions that were asked for; nil to forget them.
var fullNames atomic.Pointer[sync.Map] // *types.Func -> string

// Remember makes FullName, ReachesRuntime, and questions for the methods of types, remember
// until forget is called. Dozens of passes ask for the name of each function that is called, and
// go/types puts it together anew. A process that lives on, such as an editor's, must
// not: the names keep their packages in memory.
func Remember() (forget func()) {
	names, methods, reached, clients, short := new(sync.Map), new(sync.Map), new(sync.Map), new(sync.Map), new(sync.Map)
	fullNames.Store(names)
	methodsKnown.Store(methods)
	runtimeReached.Store(reached)
	clientsKnown.Store(clients)
	shortNamesKnown.Store(short)
	return func() {
		fullNames.CompareAndSwap(names, nil)
		methodsKnown.CompareAndSwap(methods, nil)
		runtimeReached.CompareAndSwap(reached, nil)
		clientsKnown.CompareAndSwap(clients, nil)
		shortNamesKnown.CompareAndSwap(short, nil)
	}
}

// FullName is the function's FullName.
func FullName(fn *types.Func) string {
	names := fullNames.Load()
	if names == nil {
		return fn.FullName()
	}
	if known, ok := names.Load(fn); ok {
		return known.(string)
	}
	full := fn.FullName()
	names.Store(fn, full)
	return full
}

// ParamID names a parameter of a function in the whole program, by its number.
func ParamID(fn *types.Func, i int) string { return FullName(fn.Origin()) + "#" + strconv.Itoa(i) }
