package entries

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/passes/origins"
)

// reads returns the nodes after which a map is as the API server has sent it;
// nil is the beginning of the function.
func (m *Maps) reads(u *objects.Unit, s Slot) []*paths.Node {
	var found []*paths.Node
	for _, site := range m.readsIn(u) {
		if m.holds(site.Place.Object, s.object) {
			found = append(found, site.Node)
		}
	}
	from := m.sourceOf(s.object)
	root := from.Root
	if p, ok := root.(*ssa.Parameter); ok && p.Parent() == u.Fn && (m.origins.IsSent(p) || from.Path != "" && m.origins.Of(p) == origins.Server) {
		return append(found, nil) // an element of a list that callers have read, too
	}
	if instr, ok := root.(ssa.Instruction); ok && len(found) == 0 && (m.origins.Of(root) == origins.Server && !m.isMadeWithin(root, s.Path, 0) || m.isSentElsewhere(root)) {
		found = append(found, u.Graph.At(instr)...)
	}
	return found
}

// IsAdmitted reports whether the object of a store, which it is from the beginning of the function if
// the node is nil, is what a webhook is asked about.
func (m *Maps) IsAdmitted(from *paths.Node, s Store) bool {
	if from != nil {
		return false
	}
	p, ok := m.sourceOf(s.object).Root.(*ssa.Parameter)
	return ok && m.origins.IsAdmitted(p)
}

// IsSelected reports whether the object of a store is in a list that was read by labels: from
// the node, or, if that is nil, by callers that hand the list in.
func (m *Maps) IsSelected(from *paths.Node, s Store) bool {
	if from != nil {
		return from.Call() != nil && kubeapi.SelectsByLabels(from.Call().Common())
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.isListedByLabels(m.sourceOf(s.object).Root, 0)
}

// isListedByLabels reports whether a caller that hands a list in, or one of its own, has read
// it by labels.
func (m *Maps) isListedByLabels(list ssa.Value, depth int) bool {
	p, ok := list.(*ssa.Parameter)
	if !ok || depth == maxCalls {
		return false
	}
	args, _ := m.Calls.Arguments(p)
	return slices.ContainsFunc(args, func(arg calls.Argument) bool {
		list := m.Resolve.Place(arg.Value).Object.Root
		return m.isListedByLabels(list, depth+1) || slices.ContainsFunc(m.readsIn(m.Unit(paths.Outermost(arg.Call.Parent()))), func(site objects.Site) bool {
			call := site.Node.Call()
			return site.Place.Object.Root == list && call != nil && kubeapi.SelectsByLabels(call.Common())
		})
	})
}

// readsIn returns where objects are read in a function.
func (m *Maps) readsIn(u *objects.Unit) []objects.Site {
	if known, ok := m.read[u]; ok {
		return known
	}
	var found []objects.Site
	for _, site := range u.Sites {
		if site.Kind == objects.Refreshed && m.isRead(site) {
			found = append(found, site)
		}
	}
	m.read[u] = found
	return found
}

// isRead reports whether an object is overwritten by what was read, and not by
// another object.
func (m *Maps) isRead(site objects.Site) bool {
	call := site.Node.Call()
	if call == nil {
		return false
	}
	if op, ok := m.ClientOp(call.Common()); ok {
		return op.Verb.Reads() || op.Mutate != nil
	}
	return site.Via != nil && slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool { return kubeapi.IsContext(v.Type()) })
}

// holds reports whether an object is another one, a list that it is in, or what
// it was copied from.
func (m *Maps) holds(read, o paths.Object) bool {
	for range 4 {
		if o.Root == read.Root && (o.Path == read.Path || read.Path == "" && o.Path != "") {
			return true
		}
		source := m.CopyOf(paths.Object{Root: o.Root})
		if source == nil {
			return false
		}
		p := m.Resolve.Place(source)
		o = paths.Object{Root: p.Object.Root, Path: p.Object.Path + o.Path}
	}
	return false
}

// source is the value by which an object, or what it was copied from, came into
// the function.
func (m *Maps) source(o paths.Object) ssa.Value { return m.sourceOf(o).Root }

// sourceOf is the object in what source returns.
func (m *Maps) sourceOf(o paths.Object) paths.Object {
	for range 4 {
		source := m.CopyOf(paths.Object{Root: o.Root})
		if source == nil {
			break
		}
		o = m.Resolve.Place(source).Object
	}
	return o
}

// areOne reports whether two objects may be one, or copies of it.
func (m *Maps) areOne(a, b paths.Object) bool { return m.MayBe(a, b) || m.source(a) == m.source(b) }

// same reports whether two maps may be one, or the same one of a copy.
func (m *Maps) same(a, b Slot) bool {
	return slices.Equal(a.Path, b.Path) && m.areOne(a.object, b.object)
}

// search is what one search tells of all stores into a map.
type search struct {
	unit  *objects.Unit
	from  *paths.Node
	owner paths.Object
	path  string
	fresh bool
}

// reaches reports whether a path leads from a read to the store on which
// nothing makes the map, or tells that it is not nil.
func (m *Maps) reaches(u *objects.Unit, from *paths.Node, s Store) bool {
	key := search{u, from, s.object, strings.Join(s.Path, "."), s.Fresh}
	reached, ok := m.reached[key]
	if !ok {
		reached = m.reachable(u, from, s.Slot, s.Fresh)
		m.reached[key] = reached
	}
	return reached[s.node]
}

// reachable returns the nodes that are reached from a read so.
func (m *Maps) reachable(u *objects.Unit, from *paths.Node, s Slot, fresh bool) map[*paths.Node]bool {
	evidence := m.evidence(u, s)
	assume := make(map[ssa.Value]paths.Truth, len(evidence))
	for v := range evidence {
		assume[v] = paths.Unknown
	}
	reached := make(map[*paths.Node]bool)
	u.Graph.Search(from, 0, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		for v, t := range evidence {
			if known.Of(v) == t {
				return stage, paths.Prune
			}
		}
		reached[n] = true
		if m.makes(u, n, s) || fresh && m.helps(n, s) {
			return stage, paths.Prune
		}
		return stage, paths.Continue
	})
	return reached
}

// makes reports whether a node may make the map, or get the object out of sight.
func (m *Maps) makes(u *objects.Unit, n *paths.Node, s Slot) bool {
	if update, ok := n.Instr.(*ssa.MapUpdate); ok && n.Joins == nil {
		if other, ok := m.slotOf(update.Map); ok && m.same(other, s) {
			return true // it would have crashed there
		}
	}
	if m.Decodes(n, s.object) || m.isMadeBy(n, s) {
		return true
	}
	if m.copies(n, s.object) {
		return false
	}
	for _, e := range u.At(n) {
		switch e.Kind {
		case objects.Mutated, objects.Touched, objects.HandedOff, objects.Refreshed, objects.Reassigned:
		default:
			continue
		}
		other := asSlot(e.Place)
		if other.Kind == nil && e.Type != nil {
			other.Kind = e.Type
		}
		if leavesNil(n.Instr, other.Path, s.Path) {
			continue
		}
		if paths.Overlap(other.Path, s.Path) && m.areOne(other.object, s.object) {
			return true
		}
	}
	return false
}

// copies reports whether an object becomes the copy at a node that it is taken for.
func (m *Maps) copies(n *paths.Node, o paths.Object) bool {
	store, ok := n.Instr.(*ssa.Store)
	if !ok || store.Addr != o.Root {
		return false
	}
	load, ok := store.Val.(*ssa.UnOp)
	return ok && load.X == m.CopyOf(paths.Object{Root: o.Root})
}

// evidence returns the values that tell that a map is not nil, if they are known
// to be as told.
func (m *Maps) evidence(u *objects.Unit, s Slot) map[ssa.Value]paths.Truth {
	found := make(map[ssa.Value]paths.Truth)
	isMap := func(v ssa.Value) bool {
		if len(s.Path) == 0 {
			return v == s.object.Root
		}
		other, ok := m.slotOf(v)
		return ok && m.same(other, s)
	}
	for _, n := range u.Graph.Nodes {
		if n.Joins != nil {
			continue
		}
		switch instr := n.Instr.(type) {
		case *ssa.Lookup:
			if isMap(instr.X) {
				found[instr] = paths.Unknown
				lookedUp(found, instr)
			}
		case *ssa.Range:
			if isMap(instr.X) {
				entered(found, instr)
			}
		case *ssa.Call:
			m.asked(found, instr, s, isMap)
		}
		if v, ok := n.Instr.(ssa.Value); ok && kubeapi.IsMap(v.Type()) && isMap(v) {
			found[v] = paths.True
		}
	}
	if len(s.Path) == 0 {
		found[s.object.Root] = paths.True
	}
	for v, t := range found {
		if t == paths.Unknown {
			delete(found, v)
		}
	}
	return found
}

// lookedUp notes what tells that an entry is there.
func lookedUp(found map[ssa.Value]paths.Truth, lookup *ssa.Lookup) {
	if lookup.CommaOk {
		for _, ref := range *lookup.Referrers() {
			if extract, ok := ref.(*ssa.Extract); ok && extract.Index == 1 {
				found[extract] = paths.True
			} else if ok {
				compared(found, extract)
			}
		}
		return
	}
	compared(found, lookup)
}

// compared notes comparisons that an entry which is missing does not pass, and
// calls that are handed the entry and may refuse one that is missing.
func compared(found map[ssa.Value]paths.Truth, entry ssa.Value) {
	if kubeapi.IsBool(entry.Type()) {
		found[entry] = paths.True
	}
	for _, ref := range *entry.Referrers() {
		switch ref := ref.(type) {
		case *ssa.BinOp:
			empty := literals.IsZero(ref.X) || literals.IsZero(ref.Y)
			switch ref.Op {
			case token.EQL:
				found[ref] = paths.TruthOf(!empty)
			case token.NEQ:
				found[ref] = paths.TruthOf(empty)
			}
		case *ssa.Call:
			answered(found, ref)
			if b, ok := ref.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
				counted(found, ref)
			}
		}
	}
}

// answered notes a call that says yes, or has no error to return.
func answered(found map[ssa.Value]paths.Truth, call *ssa.Call) {
	note := func(v ssa.Value) {
		switch {
		case kubeapi.IsBool(v.Type()):
			found[v] = paths.True
		case kubeapi.IsError(v.Type()):
			found[v] = paths.False
		}
	}
	note(call)
	for extract := range blocks.UsesOf[*ssa.Extract](call) {
		note(extract)
	}
}

// counted notes comparisons of a length with zero, and whether it is less than one.
func counted(found map[ssa.Value]paths.Truth, length ssa.Value) {
	for b := range blocks.UsesOf[*ssa.BinOp](length) {
		switch {
		case literals.IsZero(b.X) || literals.IsZero(b.Y):
			found[b] = paths.TruthOf(b.Op != token.EQL && b.Op != token.LEQ)
		case isOne(b.Y) && (b.Op == token.LSS || b.Op == token.GEQ):
			found[b] = paths.TruthOf(b.Op == token.GEQ)
		case isOne(b.X) && (b.Op == token.GTR || b.Op == token.LEQ):
			found[b] = paths.TruthOf(b.Op == token.LEQ)
		}
	}
}

func isOne(v ssa.Value) bool {
	n, ok := blocks.Number(v)
	return ok && n == 1
}

// entered notes that a loop over the map has an entry.
func entered(found map[ssa.Value]paths.Truth, loop *ssa.Range) {
	for next := range blocks.UsesOf[*ssa.Next](loop) {
		for _, entered := range values.Extracted(next, 0) {
			found[entered] = paths.True
		}
	}
}

// asked notes the answers of functions that look at the map.
func (m *Maps) asked(found map[ssa.Value]paths.Truth, call *ssa.Call, s Slot, isMap func(ssa.Value) bool) {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		if b.Name() == "len" && isMap(call.Call.Args[0]) {
			counted(found, call)
		}
		return
	}
	if _, isOp := m.ClientOp(call.Common()); isOp {
		return
	}
	for _, operand := range kubeapi.Operands(call.Common()) {
		switch {
		case kubeapi.IsMap(operand.Type()) && isMap(operand):
			answered(found, call)
		case len(s.Path) > 0 && (kubeapi.IsObject(operand.Type()) || kubeapi.IsObjectMeta(operand.Type())) && m.sameObject(operand, s):
			yes(found, call)
		}
	}
}

// sameObject reports whether a value may be the object of a map.
func (m *Maps) sameObject(v ssa.Value, s Slot) bool {
	return m.areOne(m.Resolve.Place(v).Object, s.object)
}

// yes notes the answers of a predicate about the object: one that says yes may
// have found an entry.
func yes(found map[ssa.Value]paths.Truth, call *ssa.Call) {
	if kubeapi.IsBool(call.Type()) {
		found[call] = paths.True
	}
	for extract := range blocks.UsesOf[*ssa.Extract](call) {
		if kubeapi.IsBool(extract.Type()) {
			found[extract] = paths.True
		}
	}
}
