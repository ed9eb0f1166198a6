package entries

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/passes/origins"
)

// Sends is a fact about a function that returns an object as the API server, or an informer's
// cache, has sent it: the bit of each such result is set.
type Sends struct{ Results uint8 }

// AFact marks Sends as a fact.
func (*Sends) AFact() {}

// IsZero reports whether nothing is known.
func (s *Sends) IsZero() bool { return s.Results == 0 }

// exportSent notes for other packages which results of a function that they can call are
// objects as they were sent.
func (m *Maps) exportSent(fn *ssa.Function) {
	results := fn.Signature.Results()
	for i := range min(results.Len(), 8) {
		if kubeapi.KindOf(results.At(i).Type()) != nil && m.returnsSent(fn, i) {
			m.sends.Note(fn).Results |= 1 << i
		}
	}
}

// returnsSent reports whether a function's result is an object that was read, and that
// nothing in the function has changed where maps are.
func (m *Maps) returnsSent(fn *ssa.Function, index int) bool {
	u := m.Unit(fn)
	found := false
	for ret := range blocks.Returns(fn) {
		v := ret.Results[index]
		if calls.IsNil(calls.Behind(v)) {
			continue
		}
		if m.origins.Of(v) != origins.Server && !m.isSentElsewhere(v) || m.touches(u, v) {
			return false
		}
		found = true
	}
	return found
}

// isMadeWithin reports whether a value is what a function of this package, or one that it
// calls, returns after it may have made the map.
func (m *Maps) isMadeWithin(v ssa.Value, path []string, depth int) bool {
	call, index := calls.CallOf(calls.Behind(v))
	if call == nil || depth == maxCalls {
		return false
	}
	for _, fn := range m.Calls.Callees(call).Funcs {
		u := m.Unit(fn)
		for ret := range blocks.Returns(fn) {
			p := m.Resolve.Place(ret.Results[index])
			s := Slot{object: p.Object, Kind: p.Kind, Path: path}
			if slices.ContainsFunc(u.Graph.Nodes, func(n *paths.Node) bool { return !m.readsAt(u, n) && m.makes(u, n, s) }) || m.isMadeWithin(m.source(p.Object), path, depth+1) {
				return true
			}
		}
	}
	return false
}

// touches reports whether a function may make the labels, annotations or data of an object
// that it returns.
func (m *Maps) touches(u *objects.Unit, v ssa.Value) bool {
	p := m.Resolve.Place(v)
	for _, path := range [][]string{{kubeapi.MetadataPath, "Labels"}, {kubeapi.MetadataPath, "Annotations"}, {"Data"}} {
		s := Slot{object: p.Object, Kind: p.Kind, Path: path}
		for _, n := range u.Graph.Nodes {
			if !m.readsAt(u, n) && (m.makes(u, n, s) || m.helps(n, s)) {
				return true
			}
		}
	}
	return false
}

// readsAt reports whether objects are read at a node, and nothing else happens to them.
func (m *Maps) readsAt(u *objects.Unit, n *paths.Node) bool {
	return slices.ContainsFunc(m.readsIn(u), func(site objects.Site) bool {
		if site.Node != n {
			return false
		}
		op, ok := m.ClientOp(n.Call().Common())
		return !ok || op.Mutate == nil
	})
}

// isSentElsewhere reports whether a value is what a function of another package returns as
// it was sent.
func (m *Maps) isSentElsewhere(v ssa.Value) bool {
	call, index := calls.CallOf(calls.Behind(v))
	if call == nil || index > 7 {
		return false
	}
	fact := m.sends.Elsewhere(call)
	return fact != nil && fact.Results&(1<<index) != 0
}
