package webhookdelete

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/webhookdelete/internal/registered"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
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
	if isBuiltin(kubeapi.KindOf(p.Type())) {
		return true
	}
	if depth > maxHanded {
		return false
	}
	return slices.ContainsFunc(*p.Referrers(), func(ref ssa.Instruction) bool {
		switch ref := ref.(type) {
		case *ssa.TypeAssert:
			return isBuiltin(kubeapi.KindOf(ref.AssertedType))
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

// isKept reports whether a webhook of the package may refuse that objects of a kind are deleted, as
// those are that others refer to.
func (c *checker) isKept(kind string) bool {
	return kind != "" && slices.ContainsFunc(c.entries.Entries, func(entry *entrypoints.Entry) bool {
		if entry.Kind != kubeapi.Admission || entry.What != "ValidateDelete" || !strings.HasSuffix(kindServed(c.sums.Calls, entry.Fn), "."+kind) {
			return false
		}
		for ret := range blocks.Returns(entry.Fn) {
			if slices.ContainsFunc(ret.Results, func(v ssa.Value) bool { return kubeapi.IsError(v.Type()) && !calls.IsNil(v) }) {
				return true
			}
		}
		return false
	})
}

// decodesBuiltin reports whether a function decodes what a raw webhook was sent into
// such a kind.
func decodesBuiltin(fn *ssa.Function) bool {
	return blocks.Any(fn, func(call *ssa.Call) bool {
		return decodes(call) && slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool { return isBuiltin(kubeapi.KindOfValue(v)) })
	})
}

func isBuiltin(kind *types.Named) bool { return kind != nil && kubeapi.IsBuiltin(kubeapi.KindID(kind)) }

// neverUpdated reports whether all webhooks of the package that markers describe are
// asked about other operations than updates.
func neverUpdated(pass *analysis.Pass) bool {
	found := registered.Marked(pass)
	return len(found) > 0 && !slices.ContainsFunc(found, func(r registered.Registration) bool { return len(r.Operations) == 0 || r.Updates() })
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

// harm is the category's where all that it takes is in sight: the webhook's kind is one of
// the module, and a marker or a manifest registers a webhook for updates of it, or the handler
// asks itself whether it is one. It is hygiene otherwise: what is left are other people's finalizers, or no update at all.
func (w *walk) harm(kind string) rule.Harm {
	name := kind[strings.LastIndexByte(kind, '.')+1:]
	if kind == "" || !w.asksForUpdates() && w.isPicked() || !w.updated(name) {
		return rule.Hygiene
	}
	return 0
}

// updated reports whether a webhook for a kind is asked about the operator's updates: by the markers in
// the package, or else by the manifests of the project; where neither names the kind, by what
// its handler asks.
func (w *walk) updated(kind string) bool {
	manifests := registered.OfProject(w.pass, w.report)
	for _, known := range [][]registered.Registration{registered.Marked(w.pass), manifests.Registered} {
		found := false
		for _, r := range known {
			if r.IsFor(kind) && !w.isAnother(r) {
				if r.Updates() && !manifests.Spared[r.Name] {
					return true
				}
				found = true
			}
		}
		if found {
			return false
		}
	}
	return w.asksForUpdates()
}

// isAnother reports whether a registration is of a webhook that does something else than the
// handler.
func (w *walk) isAnother(r registered.Registration) bool {
	switch w.Entry.What {
	case "Default":
		return r.Does == registered.Validates
	case "ValidateUpdate":
		return r.Does == registered.Mutates
	}
	return false
}

// isPicked reports whether the handler is one of several that a map has, from which its
// user takes the one for a request, by its operation perhaps.
func (w *walk) isPicked() bool {
	return slices.ContainsFunc(w.Sums.Calls.BottomUp(), func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(update *ssa.MapUpdate) bool {
			return kubeapi.IsFuncType(update.Value.Type()) && slices.Contains(w.Sums.Calls.FuncsOf(update.Value).Funcs, w.Entry.Fn)
		})
	})
}

// asksForUpdates reports whether a function of the handler asks whether the operation is
// an update.
func (w *walk) asksForUpdates() bool {
	for fn := range w.Seen {
		if blocks.Any(fn, func(op *ssa.BinOp) bool {
			operation, ok := kubeapi.ComparesOperation(op)
			return ok && operation == "UPDATE"
		}) {
			return true
		}
	}
	return false
}
