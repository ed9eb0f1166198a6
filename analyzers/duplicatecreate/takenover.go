package duplicatecreate

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// takenOver judges a name that a new object takes over from one of its kind that the
// cache shows, and that is new if the cache does not show it.
func (c *checker) takenOver(fn *ssa.Function, store *ssa.Store) {
	place := c.sums.Resolve.Place(store.Addr)
	if place.Kind == nil || !isName(place.Sub) {
		return
	}
	load, ok := store.Val.(*ssa.UnOp)
	if !ok {
		return
	}
	from := c.sums.Resolve.Place(load.X)
	if from.Kind != place.Kind || !isName(from.Sub) || from.Object == place.Object {
		return
	}
	generated, at := c.names.Generated(fn, place.Object)
	if !generated || !c.listedAnywhere(place.Kind) || !c.care.IsRepeated([]*ssa.Function{fn}) || c.care.TakesCare(fn) {
		return
	}
	pos, end := syntax.Span(c.pass.Files, store)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: generatedName,
		Message: wording.Fit(func(name func(string) string) string {
			return "two of this " + name(place.Kind.Obj().Name()) + " are made if the cache does not show the first one yet, whose name is taken over; derive one that stays the same"
		}),
		Related: []analysis.RelatedInformation{{Pos: at, Message: "the name is generated here"}},
	})
}

func isName(path []string) bool { return slices.Equal(path, []string{kubeapi.MetadataPath, "Name"}) }

// listedAnywhere reports whether the package lists objects of a kind from a cache.
func (c *checker) listedAnywhere(kind *types.Named) bool {
	return slices.ContainsFunc(c.sums.Calls.Funcs, func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(call *ssa.Call) bool { return c.lists.Cached(call, kind) })
	})
}
