package unstructuredassert

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// written judges a write to a map that is nil if the field is not there.
func (k *checker) written(instr *ssa.MapUpdate) {
	m := k.origin(instr.Map)
	if k.writtenTo(instr, m) {
		return
	}
	// A function of the package that writes to what it is given, whatever that is.
	p, ok := m.(*ssa.Parameter)
	if !ok || instr.Block() != p.Parent().Blocks[0] || comparedWithNil(p) {
		return
	}
	args, _ := k.origins.Calls.Arguments(p)
	for _, arg := range args {
		k.writtenTo(arg.Call, k.origin(arg.Value))
	}
}

// writtenTo judges an instruction that writes to a map, and reports whether that is
// the result of a Nested function.
func (k *checker) writtenTo(at ssa.Instruction, m ssa.Value) bool {
	call := nestedResult(m)
	if call == nil {
		return false
	}
	if c, ok := k.contentOf(m); ok {
		k.ignored(at, m, call, fmt.Sprintf("where %s is missing: the map is nil", c))
	}
	return true
}

// indexed judges a constant index into a slice that is empty if the field is
// not there.
func (k *checker) indexed(instr *ssa.IndexAddr) {
	if _, ok := instr.Index.(*ssa.Const); !ok {
		return
	}
	call := nestedResult(instr.X)
	if call == nil || lengthAsked(instr.X) {
		return
	}
	c, ok := k.contentOf(instr.X)
	if !ok {
		return
	}
	k.ignored(instr, instr.X, call, fmt.Sprintf("where %s is missing: the slice is empty", c))
}

// nestedResult returns the call of a Nested function whose result v is.
func nestedResult(v ssa.Value) *ssa.Call {
	e, ok := v.(*ssa.Extract)
	if !ok || e.Index != 0 {
		return nil
	}
	call, ok := e.Tuple.(*ssa.Call)
	if !ok {
		return nil
	}
	if nested, ok := kubeapi.NestedCallOf(call.Common()); !ok || nested.Sets {
		return nil
	}
	return call
}

// lengthAsked reports whether anything asks how long a slice is.
func lengthAsked(v ssa.Value) bool {
	for call := range blocks.UsesOf[*ssa.Call](v) {
		if b, ok := call.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
			return true
		}
	}
	return false
}

// ignored reports a use of a result that may not be there: neither found nor
// the value itself was looked at.
func (k *checker) ignored(at ssa.Instruction, v ssa.Value, call *ssa.Call, what string) {
	nested, _ := kubeapi.NestedCallOf(call.Common())
	c, ok := k.nested(nested, 0)
	if !ok || !nested.Known || kubeapi.IsGuaranteedField(c.names()) {
		return
	}
	if tested(extract(call, 1)) || comparedWithNil(v) || !k.wanted(c) || k.established(at, c, 0) {
		return
	}
	k.report.Report(rule.Finding{
		Pos: at.Pos(), Category: ignored, Harm: rule.OfPanic(k.origins.Entries.Recovers(at.Parent())),
		Message: fmt.Sprintf("this panics %s, and whether %s found it is ignored; check that", what, nested.Name),
	})
}

// tested reports whether a boolean is looked at.
func tested(v ssa.Value) bool {
	return v != nil && v.Referrers() != nil && len(*v.Referrers()) > 0
}

// comparedWithNil reports whether a value is compared with nil.
func comparedWithNil(v ssa.Value) bool {
	for _, ref := range *v.Referrers() {
		if b, ok := ref.(*ssa.BinOp); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
			return true
		}
	}
	return lengthAsked(v)
}
