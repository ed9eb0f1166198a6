package failures_test

import (
	"slices"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/reconcileresult/internal/failures"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// TestElsewhere checks what is known of functions of another package: what they
// swallow themselves or by way of others, and which errors they make success of.
func TestElsewhere(t *testing.T) {
	const path = "github.com/opvet/opvet/testdata/reconcileresult/helpers"
	info := passtest.Run[*failures.Failures](t, failures.Analyzer, "../../../../testdata", "./reconcileresult/helpers/...")[path].Value
	var swallow, mapped []string
	for _, fn := range info.Calls.Funcs {
		for instr := range blocks.Instrs(fn) {
			call, ok := instr.(*ssa.Call)
			if !ok {
				continue
			}
			for _, place := range info.Elsewhere(call) {
				swallow = append(swallow, fn.Name()+": "+place)
			}
			if m, ok := info.Mapper(call); ok && m.Fn == nil {
				mapped = append(mapped, fn.Name()+": "+m.Place)
			}
		}
	}
	if want := []string{"Reconcile: Create at lib/lib.go:25"}; !slices.Equal(swallow, want) {
		t.Errorf("swallowed elsewhere: %q, want %q", swallow, want)
	}
	if want := []string{"Reconcile: lib/lib.go:35"}; !slices.Equal(mapped, want) {
		t.Errorf("mapped elsewhere: %q, want %q", mapped, want)
	}
}
