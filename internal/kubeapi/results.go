package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// ReconcileResult returns the struct of controller-runtime's reconcile.Result
// if t is that, or nil.
func ReconcileResult(t types.Type) *types.Struct {
	named := Named(t)
	if named == nil || named.Obj().Name() != "Result" || !IsNamed(t, "sigs.k8s.io/controller-runtime/pkg/reconcile", "Result") {
		return nil
	}
	if _, pointer := types.Unalias(t).(*types.Pointer); pointer {
		return nil
	}
	s, _ := named.Underlying().(*types.Struct)
	return s
}

// RequeueField returns the name of a Result's field that asks for a requeue, if addr is
// one.
func RequeueField(addr *ssa.FieldAddr) string {
	ptr, ok := addr.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return ""
	}
	result := ReconcileResult(ptr.Elem())
	if result == nil {
		return ""
	}
	if name := result.Field(addr.Field).Name(); name == "Requeue" || name == "RequeueAfter" {
		return name
	}
	return ""
}

// errorMakers are functions that always return an error.
var errorMakers = newNameTable(
	"errors.New", "fmt.Errorf", "github.com/pkg/errors.New", "github.com/pkg/errors.Errorf",
	"golang.org/x/xerrors.New", "golang.org/x/xerrors.Errorf",
	"emperror.dev/errors.New", "emperror.dev/errors.NewPlain", "emperror.dev/errors.NewWithDetails", "emperror.dev/errors.Errorf",
	"github.com/cockroachdb/errors.New", "github.com/cockroachdb/errors.Newf", "github.com/cockroachdb/errors.Errorf",
	"github.com/crossplane/crossplane-runtime/pkg/errors.New", "github.com/crossplane/crossplane-runtime/pkg/errors.Errorf",
	"github.com/juju/errors.New", "github.com/juju/errors.Errorf",
	"sigs.k8s.io/controller-runtime/pkg/reconcile.TerminalError", "k8s.io/apimachinery/pkg/api/errors.New*",
)

// MakesError reports whether fn always returns an error.
func MakesError(fn *types.Func) bool {
	return errorMakers.match(fn) && HasMethod(fn.Signature().Results().At(0).Type(), "Error")
}

// errorWrappers are functions that put something around their first argument,
// and return nil for nil.
var errorWrappers = newNameTable(
	"github.com/pkg/errors.Wrap*", "github.com/pkg/errors.With*",
	"emperror.dev/errors.Wrap*", "emperror.dev/errors.With*",
	"github.com/cockroachdb/errors.Wrap", "github.com/cockroachdb/errors.Wrapf", "github.com/cockroachdb/errors.WithStack",
	"github.com/cockroachdb/errors.WithMessage", "github.com/cockroachdb/errors.WithMessagef",
	"github.com/crossplane/crossplane-runtime/pkg/errors.Wrap", "github.com/crossplane/crossplane-runtime/pkg/errors.Wrapf",
	"github.com/juju/errors.Trace", "github.com/juju/errors.Annotate", "github.com/juju/errors.Annotatef",
)

// WrappedError returns the error that a call wraps: nil comes out for it if,
// and only if, it is nil. It returns nil for other calls.
func WrappedError(fn *types.Func, common *ssa.CallCommon) ssa.Value {
	if fn == nil || len(common.Args) == 0 || !errorWrappers.match(fn) || !IsError(common.Args[0].Type()) {
		return nil
	}
	return common.Args[0]
}

// FormatsError tells what becomes of an error that a call formats into a new
// one: wrapped is set if it can still be asked for (%w), and ok if fn formats
// errors at all.
func FormatsError(fn *types.Func, common *ssa.CallCommon) (wrapped, ok bool) {
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil || fn.Name() != "Errorf" && fn.Name() != "Newf" || !MakesError(fn) {
		return false, false
	}
	if len(common.Args) == 0 {
		return false, false
	}
	format, known := ConstString(common.Args[0])
	if !known {
		return true, true
	}
	for i := 0; i+1 < len(format); i++ {
		if format[i] == '%' {
			if format[i+1] == 'w' {
				return true, true
			}
			i++
		}
	}
	return false, true
}

// BuiltFor returns the object whose kind a controller is built for, if the call
// says so: For of controller-runtime's builder.
func BuiltFor(common *ssa.CallCommon) ssa.Value {
	fn := Callee(common)
	if fn == nil || fn.Name() != "For" || fn.Signature().Recv() == nil || fn.Pkg() == nil || !strings.HasSuffix(fn.Pkg().Path(), "sigs.k8s.io/controller-runtime/pkg/builder") {
		return nil
	}
	_, args := Args(common)
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// RecoversPanics reports whether t is the reconcile.Result of a controller-runtime that recovers
// the panics of Reconcile unless it is told not to, as it does since version 0.19, the first that
// has typed reconcilers.
func RecoversPanics(t types.Type) bool {
	if !IsNamed(t, "sigs.k8s.io/controller-runtime/pkg/reconcile", "Result") {
		return false
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg().Scope().Lookup("TypedReconciler") != nil
}
