package kubeapi

import (
	"golang.org/x/tools/go/ssa"
)

// readsLogSoFar reports whether a call streams the log of a container as it is now: the
// options that it was asked for with are not seen to say Follow, so that it ends where the
// log does.
func readsLogSoFar(common *ssa.CallCommon) bool {
	recv, _ := Args(common)
	asked, ok := recv.(*ssa.Call)
	if !ok {
		return false
	}
	callee := Callee(asked.Common())
	if callee == nil || callee.Name() != "GetLogs" {
		return false
	}
	for _, operand := range Operands(asked.Common()) {
		if operand != nil && IsNamed(operand.Type(), corev1Path, "PodLogOptions") {
			return neverFollows(operand)
		}
	}
	return false
}

// neverFollows reports whether options are not told to follow where they are handed over.
func neverFollows(options ssa.Value) bool {
	if options.Referrers() == nil {
		return true
	}
	for _, ref := range *options.Referrers() {
		field, ok := ref.(*ssa.FieldAddr)
		if !ok || fieldName(field.X.Type(), field.Field) != "Follow" {
			continue
		}
		for _, use := range *field.Referrers() {
			store, ok := use.(*ssa.Store)
			if !ok || store.Addr != field {
				return false
			}
			if follows, known := ConstBool(store.Val); follows || !known {
				return false
			}
		}
	}
	return true
}
