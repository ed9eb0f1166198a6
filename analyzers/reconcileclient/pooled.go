package reconcileclient

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// pools finds clients that a sync.Pool makes, or that are put into one.
func (c *checker) pools() {
	for _, fn := range c.graph.All() {
		for instr := range blocks.Instrs(fn) {
			switch instr := instr.(type) {
			case *ssa.Store:
				if field, ok := instr.Addr.(*ssa.FieldAddr); ok && kubeapi.IsPoolNew(field.X.Type(), field.Field) {
					c.poolNew(instr)
				}
			case *ssa.Call:
				_, args := kubeapi.Args(instr.Common())
				if kubeapi.IsPoolPut(kubeapi.Callee(instr.Common())) && len(args) == 1 {
					c.reportPool(instr, args[0])
				}
			}
		}
	}
}

// poolNew looks at the function by which a pool makes what it lacks.
func (c *checker) poolNew(store *ssa.Store) {
	for _, made := range c.graph.FuncsOf(store.Val).Funcs {
		for ret := range blocks.Returns(made) {
			if len(ret.Results) == 1 {
				if c.reportPool(ret, ret.Results[0]) {
					return
				}
			}
		}
	}
}

// reportPool reports a client that goes into a pool.
func (c *checker) reportPool(at ssa.Instruction, v ssa.Value) bool {
	boxed, ok := v.(*ssa.MakeInterface)
	if !ok {
		return false
	}
	kind := kubeapi.ClientKindOf(boxed.X.Type())
	if kind == kubeapi.NoClient {
		kind = heldClient(boxed.X.Type())
	}
	if kind == kubeapi.NoClient {
		return false
	}
	pos, end := syntax.Span(c.pass.Files, at)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: pooled,
		Message: fmt.Sprintf("%s in a sync.Pool keeps what its last user has changed, and is built again after each collection; share one", kind),
	})
	return true
}

// heldClient is the kind of client in a struct's fields.
func heldClient(t types.Type) kubeapi.ClientKind {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return kubeapi.NoClient
	}
	for field := range s.Fields() {
		switch kind := kubeapi.ClientKindOf(field.Type()); kind {
		case kubeapi.NoClient, kubeapi.HTTPClient, kubeapi.Mapper:
		default:
			return kind
		}
	}
	return kubeapi.NoClient
}
