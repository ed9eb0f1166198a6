package kubeapi

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// IsErrorList reports whether t is a list of errors about the fields of an
// object.
func IsErrorList(t types.Type) bool {
	return IsNamed(t, "k8s.io/apimachinery/pkg/util/validation/field", "ErrorList")
}

// AsksDeletion reports whether fn, by its name, answers whether an object is
// being deleted: such helpers are often another package's.
func AsksDeletion(fn *types.Func) bool {
	if fn == nil {
		return false
	}
	results := fn.Signature().Results()
	if results.Len() != 1 || !types.Identical(results.At(0).Type(), types.Typ[types.Bool]) {
		return false
	}
	name := strings.ToLower(fn.Name())
	return (strings.Contains(name, "delet") || strings.Contains(name, "terminat")) && !takesPartsOnly(fn.Signature())
}

// takesPartsOnly reports whether a function is given lists, maps and plain values: then it
// may tell whether an entry was deleted, and not whether an object is.
func takesPartsOnly(sig *types.Signature) bool {
	if sig.Recv() != nil || sig.Params().Len() == 0 {
		return false
	}
	for param := range sig.Params().Variables() {
		switch param.Type().Underlying().(type) {
		case *types.Slice, *types.Map, *types.Basic:
		default:
			return false
		}
	}
	return true
}

const admissionPath = "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

// IsAdmissionResponse reports whether t is what a raw admission webhook answers.
func IsAdmissionResponse(t types.Type) bool { return IsNamed(t, admissionPath, "Response") }

// IsAdmissionRequest reports whether t is what a raw admission webhook is asked.
func IsAdmissionRequest(t types.Type) bool { return IsNamed(t, admissionPath, "Request") }

// Refuses recognises the functions that make an answer of a refusal.
func Refuses(common *ssa.CallCommon) bool {
	switch answeredBy(common) {
	case "Denied", "Errored":
		return true
	case "ValidationResponse":
		allowed, ok := common.Args[0].(*ssa.Const)
		return ok && allowed.Value != nil && !constant.BoolVal(allowed.Value)
	}
	return false
}

// answeredBy returns the name of the function of package admission that makes an answer,
// which may be called by the variable of package webhook; empty for all others.
func answeredBy(common *ssa.CallCommon) string {
	if callee := Callee(common); callee != nil {
		if callee.Pkg() == nil || callee.Pkg().Path() != admissionPath {
			return ""
		}
		return callee.Name()
	}
	load, ok := common.Value.(*ssa.UnOp)
	if !ok {
		return ""
	}
	if v, ok := load.X.(*ssa.Global); ok && v.Pkg != nil && v.Pkg.Pkg.Path() == "sigs.k8s.io/controller-runtime/pkg/webhook" {
		return v.Name()
	}
	return ""
}

// ComparesOperation recognises a comparison of the operation that a webhook is asked
// about with a certain one, and returns that.
func ComparesOperation(op *ssa.BinOp) (operation string, ok bool) {
	if op.Op != token.EQL && op.Op != token.NEQ || !isOperation(op.X.Type()) {
		return "", false
	}
	if operation, ok = ConstString(op.Y); !ok {
		operation, ok = ConstString(op.X)
	}
	return operation, ok
}

func isOperation(t types.Type) bool {
	return IsNamed(t, "k8s.io/api/admission/v1", "Operation") || IsNamed(t, "k8s.io/api/admission/v1beta1", "Operation")
}
