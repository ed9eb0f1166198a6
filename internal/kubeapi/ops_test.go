package kubeapi_test

import (
	"fmt"
	"go/types"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// checkCalls compares what describe says of the calls of each function,
// literals included, with what the function's comment wants.
func checkCalls(t *testing.T, dir, pattern string, describe func(*ssa.CallCommon) string) {
	t.Helper()
	result := load(t, dir, pattern)
	t.Run(result.Package.Name, func(t *testing.T) {
		got := make(passtest.Expectations)
		for _, fn := range result.Value.Funcs {
			for _, block := range fn.Blocks {
				for _, instr := range block.Instrs {
					call, ok := instr.(ssa.CallInstruction)
					if !ok {
						continue
					}
					if text := describe(call.Common()); text != "" {
						got.Add(declared(fn), text)
					}
				}
			}
		}
		checkWants(t, result.Package, got)
	})
}

func checkWants(t *testing.T, pkg *packages.Package, got passtest.Expectations) {
	t.Helper()
	if diff := cmp.Diff(passtest.Wants(pkg), got); diff != "" {
		t.Errorf("what the comments want (-) and what was found (+):\n%s", diff)
	}
}

// declared is the name of the declared function that fn is or lies in.
func declared(fn *ssa.Function) string {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return passtest.FuncName(fn.Object().(*types.Func))
}

func TestClientOp(t *testing.T) {
	describe := func(common *ssa.CallCommon) string {
		op, ok := kubeapi.ClientOp(common)
		if !ok {
			return ""
		}
		return describeOp(op)
	}
	t.Run("current", func(t *testing.T) { checkCalls(t, current, "./passes/clientops", describe) })
	t.Run("legacy", func(t *testing.T) { checkCalls(t, legacy, "./passes/clientops", describe) })
}

func describeOp(op kubeapi.Op) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s %s of %s on %s", op.Verb, endpoint(op.Endpoint), source(op.Object), source(op.Recv))
	if op.InMemory {
		s.WriteString(", in memory")
	}
	if op.Result {
		s.WriteString(", result")
	}
	if op.Kind != nil {
		s.WriteString(", kind " + op.Kind.Obj().Name())
	}
	if op.Mutate != nil {
		s.WriteString(", mutate")
	}
	if op.Name != nil {
		s.WriteString(", name " + source(op.Name))
	}
	if op.Data != nil {
		s.WriteString(", bytes " + source(op.Data))
	}
	return s.String()
}

func endpoint(e kubeapi.Endpoint) string {
	var names []string
	for _, n := range []struct {
		endpoint kubeapi.Endpoint
		name     string
	}{{kubeapi.MainEndpoint, "main"}, {kubeapi.StatusEndpoint, "status"}, {kubeapi.OtherEndpoint, "other"}} {
		if e&n.endpoint != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, "|")
}

// source writes a value as the source has it, as far as the cases need.
func source(v ssa.Value) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case *ssa.Parameter:
		return v.Name()
	case *ssa.FreeVar:
		return v.Name()
	case *ssa.Alloc:
		if v.Referrers() != nil {
			for _, ref := range *v.Referrers() {
				if store, ok := ref.(*ssa.Store); ok && store.Addr == v {
					return source(store.Val)
				}
			}
		}
		return v.Comment
	case *ssa.MakeInterface:
		return source(v.X)
	case *ssa.ChangeInterface:
		return source(v.X)
	case *ssa.ChangeType:
		return source(v.X)
	case *ssa.TypeAssert:
		return source(v.X)
	case *ssa.UnOp:
		return source(v.X)
	case *ssa.Const:
		return v.Value.String()
	case *ssa.FieldAddr:
		t := v.X.Type().Underlying().(*types.Pointer).Elem()
		return source(v.X) + "." + t.Underlying().(*types.Struct).Field(v.Field).Name()
	case *ssa.Field:
		return source(v.X) + "." + v.X.Type().Underlying().(*types.Struct).Field(v.Field).Name()
	case *ssa.Call:
		fn := kubeapi.Callee(v.Common())
		recv, _ := kubeapi.Args(v.Common())
		switch {
		case recv == nil:
			return fn.Pkg().Name() + "." + fn.Name() + "()"
		case source(recv) == "k" || source(recv) == "c" && fn.Name() == "ExampleV1":
			return fn.Name() + "()"
		}
		return source(recv) + "." + fn.Name() + "()"
	}
	return fmt.Sprintf("%T", v)
}

func TestEffects(t *testing.T) {
	checkCalls(t, current, "./passes/effects", func(common *ssa.CallCommon) string {
		fn := kubeapi.Callee(common)
		if fn == nil {
			return ""
		}
		if kubeapi.IsDeepCopy(fn) {
			return "copy"
		}
		if mutations, ok := kubeapi.Mutations(fn); ok {
			var texts []string
			for _, m := range mutations {
				text := fmt.Sprintf("changes %d", m.Operand)
				if len(m.Path) > 0 {
					text += " at " + strings.Join(m.Path, ".")
				}
				texts = append(texts, text)
			}
			return strings.Join(texts, ", ")
		}
		switch {
		case kubeapi.ChangesOnlyMetadata(fn):
			return "changes metadata"
		case kubeapi.OnlyReads(fn) && kubeapi.Logs(fn):
			return "only reads, logs"
		case kubeapi.OnlyReads(fn):
			return "only reads"
		}
		return "nothing known"
	})
}
