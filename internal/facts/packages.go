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
	told := slices.DeleteFunc(pass.AllPackageFacts(), func(f analysis.PackageFact) bool {
		_, ok := f.Fact.(P)
		return !ok
	})
	slices.SortFunc(told, func(a, b analysis.PackageFact) int { return cmp.Compare(a.Package.Path(), b.Package.Path()) })
	return func(yield func(*types.Package, P) bool) {
		for _, f := range told {
			if !yield(f.Package, f.Fact.(P)) {
				return
			}
		}
	}
}
