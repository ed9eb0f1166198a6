package kubeapi

import (
	"go/token"
	"go/types"
	"sync"
	"sync/atomic"

	"golang.org/x/tools/go/ssa"
)

// isShortName reports whether controller-runtime's root package also has a function of controllerutil of
// that name, in a variable: ctrl.CreateOrUpdate. It is asked of every function that is called.
func isShortName(name string) bool {
	switch name {
	case "CreateOrUpdate", "CreateOrPatch", "SetControllerReference":
		return true
	}
	return false
}

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
	if !isShortName(obj.Name()) || obj.Pkg() == nil || !isAt(obj.Pkg(), runtimeRoot) {
		return nil
	}
	sig, ok := obj.Type().(*types.Signature)
	if !ok || sig.Recv() != nil {
		return nil
	}
	known := shortNamesKnown.Load()
	if known == nil {
		return types.NewFunc(token.NoPos, controllerutil, obj.Name(), sig)
	}
	if same, ok := known.Load(obj); ok {
		return same.(*types.Func)
	}
	same, _ := known.LoadOrStore(obj, types.NewFunc(token.NoPos, controllerutil, obj.Name(), sig))
	return same.(*types.Func)
}

var controllerutil = types.NewPackage(controllerutilPath, "controllerutil")

// shortNamesKnown has the functions by their variables; nil to forget them.
var shortNamesKnown atomic.Pointer[sync.Map] // types.Object -> *types.Func
