package facts

import (
	"cmp"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// OfPackages goes through the facts of one type about packages that a pass can see, its own if it has told one,
// in the order of their paths: whatever is made of them is the same each time.
func OfPackages[P analysis.Fact](pass *analysis.Pass) iter.Seq2[*types.Package, P] {
	all := pass.AllPackageFacts()
	slices.SortFunc(all, func(a, b analysis.PackageFact) int { return cmp.Compare(a.Package.Path(), b.Package.Path()) })
	return func(yield func(*types.Package, P) bool) {
		for _, told := range all {
			if fact, ok := told.Fact.(P); ok && !yield(told.Package, fact) {
				return
			}
		}
	}
}
