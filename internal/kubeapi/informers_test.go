package kubeapi_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/testing/passtest"
)

func TestInformerOp(t *testing.T) {
	for _, dir := range []string{current, legacy} {
		result := load(t, dir, "./passes/informerops")
		got := make(passtest.Expectations)
		for _, fn := range result.Value.Funcs {
			for _, block := range fn.Blocks {
				for _, instr := range block.Instrs {
					call, ok := instr.(ssa.CallInstruction)
					if !ok {
						continue
					}
					if op, ok := kubeapi.InformerOpOf(call); ok {
						got.Add(declared(fn), describeInformerOp(op))
					}
				}
			}
		}
		checkWants(t, result.Package, got)
	}
}

func describeInformerOp(op kubeapi.InformerOp) string {
	var s strings.Builder
	s.WriteString(op.Verb.String())
	for _, operand := range []struct {
		name  string
		value ssa.Value
	}{
		{"factory", op.Factory}, {"informer", op.Informer}, {"until", op.Until}, {"handler", op.Handler}, {"resync", op.Resync},
	} {
		if operand.value != nil {
			fmt.Fprintf(&s, " %s=%s", operand.name, source(operand.value))
		}
	}
	if len(op.Synced) > 0 {
		fmt.Fprintf(&s, " synced=%d", len(op.Synced))
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"options", op.Options != nil}, {"lister", op.Lister}, {"generic", op.Generic}, {"cache", op.Cache}} {
		if flag.set {
			s.WriteString(" " + flag.name)
		}
	}
	return s.String()
}
