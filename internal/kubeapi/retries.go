package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const retryPath = "k8s.io/client-go/util/retry"

// ConflictRetry recognises calls that run a function again as long as it
// returns a conflict: retry.RetryOnConflict and its copies, which take a
// backoff and a function, knative's RetryUpdateConflicts, and retry.OnError. It
// returns the function, and what OnError asks whether to try again.
func ConflictRetry(common *ssa.CallCommon) (try, retriable ssa.Value, ok bool) {
	fn := Callee(common)
	if fn == nil || fn.Pkg() == nil {
		return nil, nil, false
	}
	_, args := Args(common)
	switch {
	case IsFunc(fn, retryPath, "OnError") && len(args) == 3:
		return args[2], args[1], true
	case IsFunc(fn, retryPath, "RetryOnConflict") && len(args) == 2:
		return args[1], nil, true
	case IsFunc(fn, "knative.dev/pkg/reconciler", "RetryUpdateConflicts") && len(args) == 1:
		return args[0], nil, true
	case !strings.Contains(fn.Name(), "OnConflict"):
		return nil, nil, false
	}
	// A project's own: it is called after conflicts, gets a backoff, and has
	// the function to try.
	backoff := false
	params := fn.Signature().Params()
	for i := range params.Len() {
		backoff = backoff || IsNamed(params.At(i).Type(), waitPath, "Backoff")
		if tries(params.At(i).Type()) && i < len(args) {
			try = args[i]
		}
	}
	return try, nil, backoff && try != nil
}

// tries reports whether t is func() error.
func tries(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && fit(sig.Params()) && fit(sig.Results(), IsError)
}

// IsConflictTest reports whether fn tells if an error is a conflict.
func IsConflictTest(fn *types.Func) bool {
	return fn != nil && fn.Name() == "IsConflict" && ErrorUseOf(fn) == TellsErrorKind
}
