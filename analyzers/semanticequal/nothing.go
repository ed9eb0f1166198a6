package semanticequal

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/semanticequal/internal/evidence"
	"github.com/opvet/opvet/analyzers/semanticequal/internal/sides"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// mayBeEmpty reports whether a list or map that was read is compared with one
// that is not nil, and may have nothing in it.
func (c *checker) mayBeEmpty(call *ssa.Call, x, y ssa.Value) bool {
	for _, pair := range [][2]ssa.Value{{x, y}, {y, x}} {
		made, other := calls.Behind(pair[0]), pair[1]
		if !evidence.IsContainer(made.Type()) || !c.isMadeEmpty(made, call) || !c.sums.Resolve.Place(other).IsInside() || isKeptEmpty(other) {
			continue
		}
		if c.sides.Side(other) != sides.Built {
			return c.effect.DecidesWrite(call)
		}
	}
	return false
}

// isKeptEmpty reports whether a value is that of a field that the API returns as empty
// as it was stored.
func isKeptEmpty(v ssa.Value) bool {
	load, ok := calls.Behind(v).(*ssa.UnOp)
	if !ok {
		return false
	}
	field, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	of, ok := field.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	return ok && kubeapi.KeepsEmpty(of, field.Field)
}

// isMadeEmpty reports whether a container is made with nothing in it, and need
// not have got anything until it is compared.
func (c *checker) isMadeEmpty(v ssa.Value, at ssa.Instruction) bool {
	return values.Relation{Steps: values.Merged}.Any(v, func(from ssa.Value) bool {
		if made, ok := from.(*ssa.MakeMap); ok {
			return !slices.ContainsFunc(usesOf(made), func(ref ssa.Instruction) bool {
				update, fills := ref.(*ssa.MapUpdate)
				_, handed := ref.(ssa.CallInstruction) // len, too: what is empty is looked for
				return fills && (c.comesFirst(ref, at) || !c.report.Strict() && !c.evidence.FillsFromInput(update)) || handed && ref != at
			})
		}
		return literals.IsEmptyList(from) && len(*from.Referrers()) > 0
	})
}

// comesFirst reports whether an instruction is run whenever another one is, before it.
func (c *checker) comesFirst(first, at ssa.Instruction) bool {
	return c.sums.Calls.Everywhere(at, func(at *calls.Site) bool {
		return at.Parent() == first.Parent() && first.Block().Dominates(at.Block())
	})
}

// usesOf returns what is done with a value, also by literals that capture the variable
// that it is kept in.
func usesOf(v ssa.Value) []ssa.Instruction {
	var uses []ssa.Instruction
	for ref := range blocks.Uses(v) {
		store, ok := ref.(*ssa.Store)
		if cell, isCell := storedIn(store, v); !ok || !isCell {
			uses = append(uses, ref)
		} else {
			loads, _ := values.Loads(cell)
			for _, load := range loads {
				uses = slices.AppendSeq(uses, blocks.Uses(load))
			}
		}
	}
	return uses
}

// storedIn returns the variable that a value alone is stored in.
func storedIn(store *ssa.Store, v ssa.Value) (*ssa.Alloc, bool) {
	if store == nil || store.Val != v {
		return nil, false
	}
	cell, ok := store.Addr.(*ssa.Alloc)
	return cell, ok && len(calls.StoredInto(cell)) == 1
}
