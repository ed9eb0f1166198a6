package kubeapi

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// StoreChange is what a call changes in a store.
type StoreChange uint8

const (
	// NoStoreChange is the zero value.
	NoStoreChange StoreChange = iota
	// StorePuts is a call that puts an object in, or in the place of an older
	// one.
	StorePuts
	// StoreDeletes is a call that takes an object out.
	StoreDeletes
	// StoreReplaces is a call that replaces all objects.
	StoreReplaces
)

// StoreCall is a call of a store's method that changes it.
type StoreCall struct {
	Change StoreChange
	Func   *types.Func
	Store  ssa.Value
}

// StoreCallOf recognises the calls that change a store or indexer as informers
// have.
func StoreCallOf(common *ssa.CallCommon) (StoreCall, bool) {
	fn := Callee(common)
	if fn == nil {
		return StoreCall{}, false
	}
	sig := fn.Signature()
	if sig.Recv() == nil || !IsStore(sig.Recv().Type()) {
		return StoreCall{}, false
	}
	recv, args := Args(common)
	call := StoreCall{Func: fn, Store: recv, Change: StoreMethod(fn)}
	if recv == nil || call.Change == NoStoreChange || len(args) == 0 {
		return StoreCall{}, false
	}
	return call, true
}

// StoreMethod tells what a method of a store changes.
func StoreMethod(fn *types.Func) StoreChange {
	params := fn.Signature().Params()
	takesObject := params.Len() == 1 && isAny(params.At(0).Type())
	switch fn.Name() {
	case "Add", "Update":
		if takesObject {
			return StorePuts
		}
	case "Delete":
		if takesObject {
			return StoreDeletes
		}
	case "Replace":
		if params.Len() == 2 && isString(params.At(1).Type()) {
			return StoreReplaces
		}
	}
	return NoStoreChange
}

// NewsInformers reports whether fn, a function, makes an informer or a factory
// of informers.
func NewsInformers(fn *types.Func) bool {
	sig := fn.Signature()
	if sig.Recv() != nil || !strings.HasPrefix(fn.Name(), "New") || sig.Results().Len() == 0 {
		return false
	}
	t := sig.Results().At(0).Type()
	return IsInformer(t) || HasMethod(t, "WaitForCacheSync") && HasMethod(t, "Start")
}

// IsInformer reports whether t is an informer, which has a store and runs.
func IsInformer(t types.Type) bool {
	return HasMethod(t, "HasSynced") && HasMethod(t, "GetStore") && HasMethod(t, "Run")
}

// StartsInformers reports whether fn, a method of an informer or a factory,
// lets it run.
func StartsInformers(fn *types.Func) bool {
	return slices.Contains([]string{"Start", "StartWithContext", "Run", "RunWithContext"}, fn.Name())
}

// IsFakeClientMaker reports whether fn makes a client that serves objects from
// memory: a function of a generated package for tests.
func IsFakeClientMaker(fn *types.Func) bool {
	if fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return false
	}
	path := fn.Pkg().Path()
	return path[strings.LastIndexByte(path, '/')+1:] == "fake"
}
