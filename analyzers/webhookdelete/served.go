package webhookdelete

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// ofBuiltin reports whether a webhook is for a kind that Kubernetes serves itself.
// Whose finalizers such objects have, and whether any, the module does not say.
func ofBuiltin(graph *calls.Graph, fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return isOfBuiltin(graph, p, 0) })
}

// maxHanded bounds the functions that hand an object on to each other.
const maxHanded = 3

// isOfBuiltin reports whether a parameter is such an object, or is taken for one in its
// function or in those that this hands it to.
func isOfBuiltin(graph *calls.Graph, p *ssa.Parameter, depth int) bool {
	if isBuiltin(p.Type()) {
		return true
	}
	if p.Referrers() == nil || depth > maxHanded {
		return false
	}
	return slices.ContainsFunc(*p.Referrers(), func(ref ssa.Instruction) bool {
		switch ref := ref.(type) {
		case *ssa.TypeAssert:
			return isBuiltin(ref.AssertedType)
		case *ssa.Call:
			for _, target := range graph.Callees(ref).Funcs {
				for i, operand := range kubeapi.Operands(ref.Common()) {
					if operand == ssa.Value(p) && i < len(target.Params) && isOfBuiltin(graph, target.Params[i], depth+1) {
						return true
					}
				}
			}
		}
		return false
	})
}

// decodesBuiltin reports whether a function decodes what a raw webhook was sent into
// such a kind.
func decodesBuiltin(fn *ssa.Function) bool {
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if !decodes(call) {
			continue
		}
		if slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool {
			kind := kubeapi.KindOfValue(v)
			return kind != nil && kubeapi.IsBuiltin(kubeapi.KindID(kind))
		}) {
			return true
		}
	}
	return false
}

func isBuiltin(t types.Type) bool {
	kind := kubeapi.KindOf(t)
	return kind != nil && kubeapi.IsBuiltin(kubeapi.KindID(kind))
}

const marker = "+kubebuilder:webhook:"

// neverUpdated reports whether all webhooks of the package that markers describe are
// asked about other operations than updates.
func neverUpdated(pass *analysis.Pass) bool {
	found := marked(pass)
	return len(found) > 0 && !slices.ContainsFunc(found, func(r registration) bool { return len(r.operations) == 0 || r.updates() })
}

// kindServed is the one kind that a webhook is for, as far as its function tells: by a
// parameter or receiver, by what it takes that for, or by what it decodes into; empty if
// that is not certain, or if it is another module's, whose controllers may put finalizers on
// it.
func kindServed(graph *calls.Graph, fn *ssa.Function) string {
	found := make(map[*types.Named]bool)
	note := func(t types.Type) {
		if kind := kubeapi.KindOf(t); kind != nil {
			found[kind] = true
		}
	}
	for _, p := range fn.Params {
		note(p.Type())
	}
	for instr := range blocks.Instrs(fn) {
		switch instr := instr.(type) {
		case *ssa.TypeAssert:
			if _, ok := instr.X.(*ssa.Parameter); ok {
				note(instr.AssertedType)
			}
		case *ssa.Call:
			if !decodes(instr) {
				continue
			}
			for _, operand := range kubeapi.Operands(instr.Common()) {
				if kind := kubeapi.KindOfValue(operand); kind != nil {
					found[kind] = true
				}
			}
		}
	}
	for kind := range found {
		if len(found) == 1 && graph.SameModule(kind.Obj().Pkg()) {
			return kubeapi.KindID(kind)
		}
	}
	return ""
}

// decodes reports whether a call decodes what a raw webhook was sent.
func decodes(call *ssa.Call) bool {
	callee := kubeapi.Callee(call.Common())
	return callee != nil && (callee.Name() == "Decode" || callee.Name() == "DecodeRaw" || callee.Name() == "Unmarshal")
}
