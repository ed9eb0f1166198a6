package paths_test

import (
	"go/types"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// Places inside of API objects, whose kinds are the real ones.
func TestPlacesOfKinds(t *testing.T) {
	for _, result := range passtest.Run[*calls.Graph](t, calls.Analyzer, "../../../testdata", "./passes/places") {
		resolve := paths.NewResolver(result.Value, nil)
		got := make(passtest.Expectations)
		for _, fn := range result.Value.Funcs {
			outermost := fn
			for outermost.Parent() != nil {
				outermost = outermost.Parent()
			}
			name := passtest.FuncName(outermost.Object().(*types.Func))
			for instr := range blocks.Instrs(fn) {
				call, ok := instr.(*ssa.Call)
				if !ok || call.Call.StaticCallee() == nil || call.Call.StaticCallee().Name() != "see" {
					continue
				}
				args, _ := kubeapi.VariadicArgs(call.Call.Args[0])
				for _, arg := range args {
					got.Add(name, describe(resolve.Place(arg)))
				}
			}
		}
		if diff := cmp.Diff(passtest.Wants(result.Package), got); diff != "" {
			t.Errorf("what the comments want (-) and what was found (+):\n%s", diff)
		}
	}
}

func describe(p paths.Place) string {
	text := ""
	switch root := p.Object.Root.(type) {
	case *ssa.Parameter:
		text = root.Name()
	case *ssa.Alloc:
		text = "local " + root.Comment
	case *ssa.Call:
		text = "call"
	}
	text += p.Object.Path
	if p.Kind == nil {
		return text + " (" + p.Aspect().String() + ")"
	}
	return text + " (" + p.Kind.Obj().Name() + ")." + strings.Join(p.Sub, ".") + ": " + p.Aspect().String()
}
