package entrypoints

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// Recovers reports whether a panic in fn does not end the process, as far as one can see: all that
// leads there are requests whose panics are recovered, and no goroutine of its own. The request
// fails then, again and again.
func (r *Result) Recovers(fn *ssa.Function) bool {
	reached := slices.Values([]*ssa.Function{fn})
	entries := r.entriesIn(r.distances(fn))
	if len(entries) == 0 || len(r.Leading(reached)) > len(entries) {
		return false
	}
	return !slices.ContainsFunc(entries, func(e *Entry) bool { return !e.isRecovered() })
}

// isRecovered reports whether who calls the entry recovers its panics: net/http does, and
// controller-runtime, by default, of version 0.19 on.
func (e *Entry) isRecovered() bool {
	switch e.Kind {
	case kubeapi.Admission, kubeapi.HTTPHandler:
		return true
	case kubeapi.Reconcile:
		return kubeapi.AnyIs(e.Fn.Signature.Results(), kubeapi.RecoversPanics)
	}
	return false
}
