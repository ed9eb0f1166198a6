package kubeapi

import "golang.org/x/tools/go/ssa"

// TakesTesting reports whether a function, or one around it, is a helper of
// tests: it takes a *testing.T or its like.
func TakesTesting(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		for _, p := range fn.Params {
			if HasMethod(p.Type(), "Helper") && HasMethod(p.Type(), "Fatalf") {
				return true
			}
		}
	}
	return false
}
