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
		switch ref := ref.(type) {
		case *ssa.FieldAddr:
			if fieldName(ref.X.Type(), ref.Field) != "Follow" || ref.Referrers() == nil {
				continue
			}
			for _, use := range *ref.Referrers() {
				store, ok := use.(*ssa.Store)
				if !ok || store.Addr != ssa.Value(ref) || !isFalse(store.Val) {
					return false
				}
			}
		}
	}
	return true
}

func isFalse(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && k.Value != nil && k.Value.String() == "false"
}
