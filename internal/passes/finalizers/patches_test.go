package finalizers

import (
	"fmt"
	"go/types"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/opvet/opvet/internal/testing/passtest"
)

func TestPatches(t *testing.T) {
	const cases = "github.com/opvet/opvet/testdata/passes/finalizerpatches"
	results := passtest.Run[*Finalizers](t, Analyzer, "../../../testdata", "./passes/finalizerpatches")
	info := results[cases].Value
	got := make(passtest.Expectations)
	for _, fn := range info.Summaries.Calls.Funcs {
		obj, ok := fn.Object().(*types.Func)
		if !ok || fn.Parent() != nil {
			continue
		}
		name := passtest.FuncName(obj)
		u := info.Summaries.Unit(fn)
		for _, n := range u.Graph.Nodes {
			if skipped(n) {
				continue
			}
			for _, p := range info.Patches(n.Instr) {
				text := "patch computed"
				if p.List != nil {
					text = fmt.Sprintf("patch with %d finalizers", p.List.Names)
				}
				got.Add(name, text)
			}
			for _, c := range info.Changes(n.Instr) {
				text := c.Kind.String() + " " + c.Name.String()
				if info.MayBeDeletingKind(u, n, c.Object, KindOf(c.Object)) {
					text += " while deleting"
				}
				got.Add(name, text)
			}
		}
		if f := info.known.Of(fn); f != nil && len(f.Fetched) > 0 {
			got.Add(name, "returns fetched")
		}
	}
	if diff := cmp.Diff(passtest.Wants(results[cases].Package), got); diff != "" {
		t.Errorf("what the comments want (-) and what was found (+):\n%s", diff)
	}
}
