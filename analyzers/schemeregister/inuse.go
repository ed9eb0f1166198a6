package schemeregister

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/once"
	"github.com/opvet/opvet/internal/report/rule"
)

// inUse finds registrations in what reconcilers, handlers and webhooks call, if
// the scheme is one that others read at the same time.
func (c *checker) inUse() {
	seen := make(map[ssa.CallInstruction]bool)
	for _, entry := range c.entries.Entries {
		if !runsAgain(entry.Kind) {
			continue
		}
		c.entries.Walk(entry, func(from *entrypoints.Path, edge *entrypoints.Edge) bool {
			return edge.How != entrypoints.Once && edge.How != entrypoints.Started && !once.Guarded(edge.Site)
		}, func(at *entrypoints.Path) {
			for call := range blocks.InstrsOf[*ssa.Call](at.Fn) {
				if seen[call] || at.Prev == nil && !entry.Covers(call) {
					continue
				}
				scheme, ok := registers(call.Common())
				if !ok || once.Guarded(call) || len(c.graph.Callees(call).Funcs) > 0 {
					continue // of a function of the package, what it calls counts
				}
				if what := c.shared(scheme, at, 0); what != "" {
					seen[call] = true
					c.reportInUse(call, what, at)
				}
			}
		})
	}
}

func runsAgain(kind kubeapi.EntryKind) bool {
	return kind.PerEvent() || kind.PerItem() || kind == kubeapi.Admission || kind == kubeapi.HTTPHandler
}

// registers returns the scheme that a call changes.
func registers(common *ssa.CallCommon) (scheme ssa.Value, ok bool) {
	if known, ok := kubeapi.KnownTypesOf(common); ok && known.Scheme != nil {
		return known.Scheme, true
	}
	return kubeapi.Registration(common)
}

// shared names a scheme that outlives the call, or is empty if it may be one of
// the call's own.
func (c *checker) shared(v ssa.Value, at *entrypoints.Path, depth int) string {
	if depth > 6 {
		return ""
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return ""
		}
		switch addr := v.X.(type) {
		case *ssa.Global:
			name := addr.Name()
			if addr.Pkg != c.graph.Pkg {
				name = addr.Pkg.Pkg.Name() + "." + name
			}
			return name
		case *ssa.FieldAddr:
			// Of what the ecosystem calls: it stays.
			if recv, ok := addr.X.(*ssa.Parameter); ok && at.Prev == nil && calls.IsReceiver(recv) {
				return recv.Name() + "." + calls.FieldName(addr)
			}
		}
	case *ssa.Call:
		if callee := kubeapi.Callee(v.Common()); kubeapi.SharedScheme(callee) {
			recv, _ := kubeapi.Args(v.Common())
			if recv != nil && !values.Always(c.graph, recv, isMade) {
				return c.called(v) + "()"
			}
		}
	case *ssa.Parameter:
		if at.Prev == nil {
			return ""
		}
		for n, p := range at.Fn.Params {
			if ops := kubeapi.Operands(at.Edge.Site.Common()); p == v && n < len(ops) {
				return c.shared(ops[n], at.Prev, depth+1)
			}
		}
	}
	return ""
}

// isMade reports whether a client was made by the function, and may have a
// scheme of its own.
func isMade(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Call, *ssa.Extract, *ssa.Alloc, *ssa.Phi:
		return true
	case *ssa.MakeInterface:
		return isMade(v.X)
	case *ssa.ChangeInterface:
		return isMade(v.X)
	}
	return false
}

func (c *checker) reportInUse(call *ssa.Call, scheme string, at *entrypoints.Path) {
	pos, end := c.span(call)
	var related []analysis.RelatedInformation
	if at.Entry != nil {
		related = at.Related()
	}
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: inUse,
		Message: fmt.Sprintf("concurrent map access: %s changes %s while clients read it (from %s); register before the manager starts",
			c.called(call), scheme, firstOf(at)),
		Related: related,
	})
}

// firstOf names what the ecosystem calls.
func firstOf(at *entrypoints.Path) string {
	for at.Prev != nil {
		at = at.Prev
	}
	return at.Entry.Name()
}
