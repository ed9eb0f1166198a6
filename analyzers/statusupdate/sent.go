package statusupdate

import (
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/statusupdate/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// sent finds main writes that are made of status alone: patches whose bytes
// begin with the status, and apply configurations that carry one.
func (u *unit) sent() {
	for _, n := range u.Graph.Nodes {
		call := n.Call()
		if call == nil || n.Joins != nil {
			continue
		}
		op, ok := u.ClientOp(call.Common())
		if !ok || op.Endpoint != kubeapi.MainEndpoint {
			continue
		}
		var kind *types.Named
		var what, instead string
		switch {
		case op.Verb == kubeapi.Patch && u.isStatusPatch(op.Data):
			kind, what, instead = op.Kind, "this patch of the status is", `Patch with the subresource "status"`
			if op.Object != nil {
				kind, instead = kubeapi.KindOf(kubeapi.Unboxed(op.Object).Type()), "Status().Patch"
			}
		case op.Verb == kubeapi.Apply && op.Object != nil:
			config := withStatus(op.Object)
			if config == nil {
				continue
			}
			kind, what, instead = op.Kind, "the status of this apply configuration is", "ApplyStatus"
			if kind == nil {
				kind, instead = configuredKind(config), "Status().Apply"
			}
		}
		if kind == nil || !u.HasSubresource(kind) || u.triesStatus(u.Fn, kind, 0) {
			continue
		}
		pos, end := u.Span(n)
		u.Report.Report(rule.Finding{
			Pos: pos, End: end, Category: subject.DroppedByUpdate,
			Message: fmt.Sprintf("%s dropped: %s writes only spec and metadata of the %s; use %s",
				what, u.callee(n), subject.TypeName(kind), instead),
		})
	}
}

// triesStatus reports whether the function, or all that call it, also write the status
// of the kind where it belongs: the other write is a fallback for clusters without the
// subresource.
func (u *unit) triesStatus(fn *ssa.Function, kind *types.Named, depth int) bool {
	if u.writesStatus(fn, kind) {
		return true
	}
	if outer := paths.Outermost(fn); outer != fn {
		return u.triesStatus(outer, kind, depth)
	}
	sites := u.Calls.OnlyCallers(fn)
	return depth < subject.MaxCallers && len(sites) > 0 && !slices.ContainsFunc(sites, func(call ssa.CallInstruction) bool {
		return !u.triesStatus(call.Parent(), kind, depth+1)
	})
}

// writesStatus reports whether a function, or a literal in it, writes the status of a
// kind, itself or by a function that does nothing else.
func (u *unit) writesStatus(fn *ssa.Function, kind *types.Named) bool {
	return blocks.Any(fn, func(call ssa.CallInstruction) bool {
		op, ok := u.ClientOp(u.Calls.Through(call.Common()))
		return ok && op.Endpoint == kubeapi.StatusEndpoint && (op.Kind == nil || op.Kind == kind)
	}) || slices.ContainsFunc(fn.AnonFuncs, func(literal *ssa.Function) bool { return u.writesStatus(literal, kind) })
}

func (u *unit) callee(n *paths.Node) string {
	if fn := kubeapi.Callee(n.Call().Common()); fn != nil {
		return fn.Name()
	}
	return "this call"
}

var statusFirst = regexp.MustCompile(`^\s*\{\s*"status"\s*:`)

// isStatusPatch reports whether the bytes of a patch are a constant, or a
// constant format, that begins with the status, or a map that has nothing else as JSON.
func (u *unit) isStatusPatch(data ssa.Value) bool {
	if result, ok := calls.Behind(data).(*ssa.Extract); ok {
		call, ok := result.Tuple.(*ssa.Call)
		return ok && u.isStatusOnly(kubeapi.EncodedBy(call.Common()))
	}
	convert, ok := data.(*ssa.Convert)
	if !ok {
		return false
	}
	text := convert.X
	if call, ok := text.(*ssa.Call); ok && kubeapi.IsFunc(kubeapi.Callee(call.Common()), "fmt", "Sprintf") {
		text = call.Common().Args[0]
	}
	s, ok := kubeapi.ConstString(text)
	return ok && statusFirst.MatchString(s)
}

// isStatusOnly reports whether a document is a map whose only key is the status.
func (u *unit) isStatusOnly(document ssa.Value) bool {
	wrapped, ok := document.(*ssa.MakeInterface)
	if !ok {
		return false
	}
	document = calls.Behind(wrapped.X)
	entries, known := (&literals.Reader{Calls: u.Calls}).Entries(document)
	return known && len(entries) > 0 && !slices.ContainsFunc(entries, func(e literals.Entry) bool {
		key, ok := kubeapi.ConstString(e.Key)
		return !ok || key != "status"
	})
}

// withStatus returns the type of an apply configuration that was built with a
// status, or nil.
func withStatus(v ssa.Value) *types.Named {
	for v = kubeapi.Unboxed(v); ; {
		call, ok := v.(*ssa.Call)
		if !ok {
			return nil
		}
		fn := kubeapi.Callee(call.Common())
		recv, _ := kubeapi.Args(call.Common())
		if fn == nil || recv == nil || !types.Identical(recv.Type(), call.Type()) {
			return nil // not a step of a builder
		}
		if fn.Name() == "WithStatus" && fn.Signature().Params().Len() == 1 {
			return kubeapi.Named(call.Type())
		}
		v = recv
	}
}

// configuredKind returns the kind that an apply configuration is of: generators
// name it after the kind, and its package imports the kind's.
func configuredKind(config *types.Named) *types.Named {
	name, ok := strings.CutSuffix(config.Obj().Name(), "ApplyConfiguration")
	if !ok {
		return nil
	}
	for _, imported := range config.Obj().Pkg().Imports() {
		if tn, ok := imported.Scope().Lookup(name).(*types.TypeName); ok {
			if kind := kubeapi.KindOf(tn.Type()); kind != nil {
				return kind
			}
		}
	}
	return nil
}
