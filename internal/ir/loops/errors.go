package loops

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// makesError reports whether a call makes an error, which is not nil.
func makesError(call *ssa.Call) bool {
	callee := kubeapi.Callee(call.Common())
	if callee == nil || callee.Pkg() == nil {
		return false
	}
	switch kubeapi.FullName(callee) {
	case "errors.New", "fmt.Errorf", "github.com/pkg/errors.New", "github.com/pkg/errors.Errorf", "golang.org/x/xerrors.New", "golang.org/x/xerrors.Errorf":
		return true
	}
	return false
}

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
