package paths

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
)

// ListOf returns the elements of the list in which a place lies, as [calls.Listed] does,
// and the path from the element to it.
func ListOf(o Object) (elements []ssa.Value, path string) {
	array, ok := o.Root.(*ssa.Alloc)
	path, within := strings.CutPrefix(o.Path, "."+element)
	if !ok || !within {
		return nil, ""
	}
	for slice := range blocks.UsesOf[*ssa.Slice](array) {
		return calls.Listed(slice), path
	}
	return nil, ""
}

// IsListed reports whether an address is that of an element of a literal, as
// [calls.Listed] has them.
func IsListed(addr ssa.Value) bool {
	index, ok := addr.(*ssa.IndexAddr)
	if !ok {
		return false
	}
	elements, _ := ListOf(Object{Root: index.X, Path: "." + element})
	return elements != nil
}
