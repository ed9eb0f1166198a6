package entries

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Makes is a fact about a function that may make maps of its parameters. What the objects
// pass tells of functions leaves out what is empty, as such a map is at first.
type Makes struct{ List []Made }

// AFact marks Makes as a fact.
func (*Makes) AFact() {}

// IsZero reports whether nothing is known.
func (m *Makes) IsZero() bool { return len(m.List) == 0 }

// Made is a map, or what contains it, to which the path leads from a parameter.
type Made struct {
	Param int
	Path  []string
}

// exportMade notes for other packages which maps a function that they can call may make.
func (m *Maps) exportMade(fn *ssa.Function) {
	if found := m.madeIn(fn, 0); len(found) > 0 {
		m.makers.Note(fn).List = found
	}
}

// madeIn tells which maps of its parameters a function may make, or those that it calls.
func (m *Maps) madeIn(fn *ssa.Function, depth int) []Made {
	if known, ok := m.made[fn]; ok {
		return known
	}
	m.made[fn] = nil
	if len(fn.Blocks) == 0 {
		return nil
	}
	var found []Made
	note := func(s Slot) {
		p, ok := s.object.Root.(*ssa.Parameter)
		if !ok || p.Parent() != fn || len(s.Path) == 0 {
			return
		}
		at := Made{slices.Index(fn.Params, p), s.Path}
		if !slices.ContainsFunc(found, func(known Made) bool { return known.Param == at.Param && slices.Equal(known.Path, at.Path) }) {
			found = append(found, at)
		}
	}
	for instr := range blocks.Instrs(fn) {
		switch instr := instr.(type) {
		case *ssa.Store:
			note(asSlot(m.Resolve.Place(instr.Addr)))
		case *ssa.Call:
			for _, s := range m.madeAt(instr, depth) {
				note(s)
			}
		}
	}
	m.made[fn] = found
	return found
}

// madeAt tells which maps a call may make.
func (m *Maps) madeAt(call *ssa.Call, depth int) []Slot {
	operands := kubeapi.Operands(call.Common())
	var found []Slot
	add := func(list []Made) {
		for _, made := range list {
			if made.Param < len(operands) {
				found = append(found, m.below(operands[made.Param], made.Path))
			}
		}
	}
	if callee := kubeapi.Callee(call.Common()); callee != nil {
		if mutations, ok := kubeapi.Mutations(callee); ok {
			for _, mutation := range mutations {
				if mutation.Operand < len(operands) {
					found = append(found, m.below(operands[mutation.Operand], mutation.Path))
				}
			}
			return found
		}
	}
	if fact := m.makers.Elsewhere(call); fact != nil {
		add(fact.List)
	}
	if depth < maxCalls {
		for _, target := range m.Calls.Callees(call).Funcs {
			add(m.madeIn(target, depth+1))
		}
	}
	return found
}

// isMadeBy reports whether a node is a call that may make a map, or what contains it.
func (m *Maps) isMadeBy(n *paths.Node, s Slot) bool {
	call, ok := n.Instr.(*ssa.Call)
	if !ok || n.Joins != nil {
		return false
	}
	return slices.ContainsFunc(m.madeAt(call, 0), func(made Slot) bool {
		return paths.Overlap(made.Path, s.Path) && m.areOne(made.object, s.object)
	})
}
