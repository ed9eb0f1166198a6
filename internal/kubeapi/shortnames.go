package kubeapi

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// shortNames are the functions of controllerutil that controller-runtime's root package also
// has in variables: ctrl.CreateOrUpdate.
var shortNames = map[string]bool{"CreateOrUpdate": true, "CreateOrPatch": true, "SetControllerReference": true}

// behindShortName returns the function that such a variable holds, or nil. The package that
// declares it need not be loaded: of the function there is only what is asked here, its names and
// its type.
func behindShortName(v ssa.Value) *types.Func {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return nil
	}
	global, ok := load.X.(*ssa.Global)
	if !ok || !shortNames[global.Name()] || global.Pkg == nil || global.Pkg.Pkg.Path() != runtimeRoot {
		return nil
	}
	sig, ok := global.Object().Type().(*types.Signature)
	if !ok {
		return nil
	}
	return types.NewFunc(token.NoPos, controllerutil, global.Name(), sig)
}

var controllerutil = types.NewPackage(controllerutilPath, "controllerutil")
