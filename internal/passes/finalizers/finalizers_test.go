package finalizers

import (
	"go/types"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/testing/passtest"
)

func TestChanges(t *testing.T) {
	const cases = "github.com/opvet/opvet/testdata/passes/finalizers"
	results := passtest.Run[*Finalizers](t, Analyzer, "../../../testdata", "./passes/finalizers/...")
	info := results[cases].Value
	got := make(passtest.Expectations)
	for _, fn := range info.Summaries.Calls.Funcs {
		obj, ok := fn.Object().(*types.Func)
		if !ok || fn.Parent() != nil {
			continue
		}
		u := info.Summaries.Unit(fn)
		for _, n := range u.Graph.Nodes {
			if _, isDefer := n.Instr.(*ssa.Defer); isDefer || n.Joins != nil {
				continue
			}
			for _, c := range info.Changes(n.Instr) {
				text := c.Kind.String() + " " + c.Name.String()
				if c.Kind == Added && !c.Guarded && info.MayBeDeleting(u, n, c.Object) {
					text += " while deleting"
				}
				got.Add(passtest.FuncName(obj), text)
			}
		}
	}
	if diff := cmp.Diff(passtest.Wants(results[cases].Package), got); diff != "" {
		t.Errorf("what the comments want (-) and what was found (+):\n%s", diff)
	}
}
