package objects

import (
	"go/types"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/testing/passtest"
)

// testEvents checks what happens in each function, in the order of the path
// graph's nodes.
func testEvents(t *testing.T, result passtest.Result[*Summaries]) {
	s := result.Value
	got := make(passtest.Expectations)
	for _, fn := range s.Units() {
		u := s.Unit(fn)
		outer, where := fn, ""
		for outer.Parent() != nil {
			outer, where = outer.Parent(), "in a literal: "
		}
		for _, site := range u.Sites {
			if site.Kind == Reassigned || site.Place.Object.Path == ".*" || site.Arg != nil && isClient(site.Arg.Type()) {
				continue
			}
			got.Add(passtest.FuncName(outer.Object().(*types.Func)), where+describeEvent(site.Event))
		}
		for _, n := range u.Graph.Nodes {
			if len(u.At(n)) > 0 && len(u.Graph.At(n.Instr)) == 0 && n.Joins == nil {
				t.Errorf("%s: an event at a node that the graph does not know", fn)
			}
		}
	}
	if diff := cmp.Diff(passtest.Wants(result.Package), got); diff != "" {
		t.Errorf("what the comments want (-) and what was found (+):\n%s", diff)
	}
}

func describeEvent(e Event) string {
	kinds := map[EventKind]string{Mutated: "mutated", Touched: "touched", Written: "written", Refreshed: "refreshed", HandedOff: "handed off", Copied: "copied"}
	text := kinds[e.Kind] + " " + strings.Join(append([]string{rootName(e.Place.Object.Root)}, e.Place.FullPath()...), ".")
	if e.Kind == Written {
		text += " by " + describeWrite(e.Write)
	}
	if e.ViaCopy {
		text += " through a copy"
	}
	if e.Empty {
		text += " empty"
	}
	if e.Via != nil {
		text += " via " + e.Via.Name()
	}
	return text
}

func rootName(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Parameter:
		return v.Name()
	case *ssa.Alloc:
		return v.Comment
	case *ssa.Call:
		return "copy"
	}
	return v.Name()
}
