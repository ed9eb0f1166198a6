package loops

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// wrappedError returns the error that a call wraps, if its result is nil just
// when that is: errors.Wrap and its like.
func wrappedError(call *ssa.Call) ssa.Value {
	callee := kubeapi.Callee(call.Common())
	if callee == nil || callee.Pkg() == nil || !kubeapi.IsError(call.Type()) {
		return nil
	}
	switch callee.Name() {
	case "Wrap", "Wrapf", "WithMessage", "WithMessagef", "WithStack", "Trace", "IgnoreNotFound":
	default:
		return nil
	}
	_, args := kubeapi.Args(call.Common())
	if len(args) == 0 || !kubeapi.IsError(args[0].Type()) {
		return nil
	}
	return args[0]
}
