package webhookdelete

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// ofBuiltin reports whether a webhook is for a kind that Kubernetes serves itself.
// Whose finalizers such objects have, and whether any, the module does not say.
func ofBuiltin(fn *ssa.Function) bool {
	if slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return isBuiltin(p.Type()) }) {
		return true
	}
	for instr := range blocks.Instrs(fn) {
		assert, ok := instr.(*ssa.TypeAssert)
		if !ok {
			continue
		}
		if param, ok := assert.X.(*ssa.Parameter); ok && param.Parent() == fn && isBuiltin(assert.AssertedType) {
			return true
		}
	}
	return false
}

// decodesBuiltin reports whether a function decodes what a raw webhook was sent into
// such a kind.
func decodesBuiltin(fn *ssa.Function) bool {
	for instr := range blocks.Instrs(fn) {
		call, ok := instr.(*ssa.Call)
		if !ok {
			continue
		}
		callee := kubeapi.Callee(call.Common())
		if callee == nil || callee.Name() != "Decode" && callee.Name() != "DecodeRaw" && callee.Name() != "Unmarshal" {
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
	found := false
	for _, file := range pass.Files {
		for _, group := range file.Comments {
			for _, comment := range group.List {
				_, arguments, ok := strings.Cut(comment.Text, marker)
				if !ok {
					continue
				}
				_, verbs, ok := strings.Cut(arguments, "verbs=")
				verbs, _, _ = strings.Cut(verbs, ",")
				if !ok || strings.Contains(verbs, "update") || strings.Contains(verbs, "*") {
					return false
				}
				found = true
			}
		}
	}
	return found
}
