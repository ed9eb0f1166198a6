package kubeapi

import (
	"go/token"
	"go/types"
	"sync"
	"sync/atomic"

	"golang.org/x/tools/go/ssa"
)

// shortNames are the functions of controllerutil that controller-runtime's root package also
// has in variables: ctrl.CreateOrUpdate.
var shortNames = map[string]bool{"CreateOrUpdate": true, "CreateOrPatch": true, "SetControllerReference": true}

// calledVariable returns the function that stands for the variable which a call runs, or nil.
func calledVariable(v ssa.Value) *types.Func {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return nil
	}
	global, ok := load.X.(*ssa.Global)
	if !ok || global.Object() == nil {
		return nil
	}
	return behindShortName(global.Object())
}

// behindShortName returns the function of controllerutil that a variable with a short name holds, or
// that stands for what a function of its name stands for; nil for all others. The package that
// declares it need not be loaded: of the function there is only what is asked here, its names and its
// type.
func behindShortName(obj types.Object) *types.Func {
	if !shortNames[obj.Name()] || obj.Pkg() == nil || !isAt(obj.Pkg(), runtimeRoot) {
		return nil
	}
	sig, ok := obj.Type().(*types.Signature)
	if !ok || sig.Recv() != nil {
		return nil
	}
	fn := types.NewFunc(token.NoPos, controllerutil, obj.Name(), sig)
	if known := shortNamesKnown.Load(); known != nil {
		same, _ := known.LoadOrStore(obj, fn)
		return same.(*types.Func)
	}
	return fn
}

var controllerutil = types.NewPackage(controllerutilPath, "controllerutil")

// shortNamesKnown has the functions by their variables; nil to forget them.
var shortNamesKnown atomic.Pointer[sync.Map] // types.Object -> *types.Func
