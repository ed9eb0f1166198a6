package kubeapi

import (
	"go/types"
	"strings"
)

// ErrorUse is what a function makes of an error that it is given.
type ErrorUse uint8

const (
	// UnknownErrorUse may be anything.
	UnknownErrorUse ErrorUse = iota
	// TellsNotFound answers whether the error says that something is not there.
	TellsNotFound
	// TellsErrorKind answers whether the error is of another kind.
	TellsErrorKind
	// IgnoresErrorKind returns nil for errors of a kind, and all others.
	IgnoresErrorKind
	// WrapsError returns an error around it.
	WrapsError
	// PrintsError logs it, or makes an event of it.
	PrintsError
)

// ErrorUseOf tells what fn makes of an error among its operands.
func ErrorUseOf(fn *types.Func) ErrorUse {
	if fn == nil {
		return UnknownErrorUse
	}
	sig := fn.Signature()
	results := sig.Results()
	notFound := strings.Contains(fn.Name(), "NotFound") || strings.Contains(fn.Name(), "NotExist") || strings.Contains(fn.Name(), "NoSuch")
	switch {
	case results.Len() == 1 && types.Identical(results.At(0).Type(), types.Typ[types.Bool]):
		switch {
		case notFound || fn.Name() == "IsGone":
			return TellsNotFound
		case fn.Pkg() != nil && judges[fn.Pkg().Path()]:
			return TellsErrorKind
		}
	case results.Len() == 1 && HasMethod(results.At(0).Type(), "Error"):
		if strings.HasPrefix(fn.Name(), "Ignore") || strings.HasPrefix(fn.Name(), "ignore") {
			return IgnoresErrorKind
		}
		if fn.Pkg() != nil && wraps[fn.Pkg().Path()] {
			return WrapsError
		}
	}
	if Logs(fn) || IsEventRecorder(fn) {
		return PrintsError
	}
	return UnknownErrorUse
}

// IsReason reports whether fn tells if an error of the API server has a certain reason,
// of which it has one.
func IsReason(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "k8s.io/apimachinery/pkg/api/errors" && reasons[fn.Name()]
}

var reasons = map[string]bool{
	"IsNotFound": true, "IsAlreadyExists": true, "IsConflict": true, "IsInvalid": true, "IsGone": true, "IsForbidden": true,
	"IsUnauthorized": true, "IsBadRequest": true, "IsMethodNotSupported": true, "IsNotAcceptable": true,
}

// judges are packages whose functions tell kinds of errors apart.
var judges = map[string]bool{
	"errors": true, "k8s.io/apimachinery/pkg/api/errors": true, "k8s.io/apimachinery/pkg/api/meta": true,
	"github.com/pkg/errors": true, "emperror.dev/errors": true, "github.com/cockroachdb/errors": true,
	"golang.org/x/xerrors": true,
}

// wraps are packages whose functions put errors around errors.
var wraps = map[string]bool{
	"fmt": true, "errors": true, "github.com/pkg/errors": true, "emperror.dev/errors": true, "github.com/cockroachdb/errors": true,
	"golang.org/x/xerrors": true, "github.com/hashicorp/go-multierror": true, "go.uber.org/multierr": true, "github.com/crossplane/crossplane-runtime/pkg/errors": true,
	"github.com/crossplane/crossplane-runtime/v2/pkg/errors": true,
}

// IsEventRecorder recognises the methods of record.EventRecorder and its kin.
func IsEventRecorder(fn *types.Func) bool {
	sig := fn.Signature()
	switch fn.Name() {
	case "Event", "Eventf", "AnnotatedEventf":
		return sig.Recv() != nil && sig.Results().Len() == 0 && sig.Params().Len() > 1 && IsObject(sig.Params().At(0).Type())
	}
	return false
}
