package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// CollectorHook is a call that has the garbage collector run a function when
// an object in memory is no longer used.
type CollectorHook struct {
	// What names the function, such as "runtime.SetFinalizer".
	What string
	// Object is what is watched, Func what runs.
	Object, Func ssa.Value
}

// CollectorHookOf recognises runtime.SetFinalizer and runtime.AddCleanup.
// SetFinalizer(obj, nil) is none: it takes a function off.
func CollectorHookOf(common *ssa.CallCommon) (CollectorHook, bool) {
	callee := Callee(common)
	_, args := Args(common)
	if !(IsFunc(callee, "runtime", "SetFinalizer") && len(args) == 2 || IsFunc(callee, "runtime", "AddCleanup") && len(args) == 3) {
		return CollectorHook{}, false
	}
	hook := CollectorHook{What: "runtime." + callee.Name(), Object: stripInterfaces(args[0]), Func: stripInterfaces(args[1])}
	if c, ok := hook.Func.(*ssa.Const); ok && c.IsNil() {
		return CollectorHook{}, false
	}
	return hook, true
}

// IsClientDelete reports whether fn deletes objects of the cluster: Delete,
// DeleteAllOf and DeleteCollection of controller-runtime's clients, typed
// clientsets and dynamic clients, told by their options.
func IsClientDelete(fn *types.Func) bool {
	if fn == nil || fn.Signature().Recv() == nil {
		return false
	}
	sig := fn.Signature()
	results := sig.Results()
	if results.Len() != 1 || !IsError(results.At(0).Type()) {
		return false
	}
	switch fn.Name() {
	case "Delete", "DeleteAllOf":
		if strings.HasPrefix(optionMethod(sig), "ApplyToDelete") {
			return true
		}
		return fn.Name() == "Delete" && hasOptions(sig.Params(), "DeleteOptions")
	case "DeleteCollection":
		return hasOptions(sig.Params(), "DeleteOptions")
	}
	return false
}
