package cleanups

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
)

// unit is what this package asks about.
type unit struct{ *subject.Function }

// failsInside reports whether one of some functions makes a call that can fail and is such a one.
func failsInside(fns []*subject.Function, is func(u *unit, call *ssa.Call) bool) bool {
	for _, fn := range fns {
		for _, call := range fn.Failing() {
			if is(&unit{fn}, call) {
				return true
			}
		}
	}
	return false
}

// cleansUpInside reports whether a function of the package that a call runs makes a clean-up
// which can fail and is such a one.
func (u *unit) cleansUpInside(call *ssa.Call, depth int, is func(u *unit, inner *ssa.Call) bool) bool {
	return depth < subject.MaxChain && failsInside(u.Helpers(call), func(u *unit, inner *ssa.Call) bool { return u.purposeOf(inner) == cleansUp && is(u, inner) })
}
