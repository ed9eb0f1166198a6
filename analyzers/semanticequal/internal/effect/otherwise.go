package effect

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/semanticequal/internal/evidence"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// ComparedOtherwise reports whether the function of a comparison, or all that call it,
// look for what the values lack as well: they compare their lengths, or with nil, or
// them by another function. Of a struct that has to be done with each part that may be
// missing.
func (c In) ComparedOtherwise(call *ssa.Call, x ssa.Value) bool {
	return c.Sums.Calls.Everywhere(call, func(at *calls.Site) bool {
		compared := c.placeFrom(at.Value, x)
		parts := make(map[string]bool)
		whole := false
		note := func(place paths.Place) {
			if place.Object != compared.Object {
				return
			}
			shared := min(len(place.Sub), len(compared.Sub))
			switch {
			case !slices.Equal(place.Sub[:shared], compared.Sub[:shared]):
			case len(place.Sub) == shared:
				whole = true
			default:
				parts[place.Sub[shared]] = true
			}
		}
		for instr := range blocks.Instrs(at.Parent()) {
			c.eachLookedAt(instr, note)
		}
		return whole || len(parts) > 0 && !slices.ContainsFunc(partsThatMayLack(x.Type()), func(name string) bool { return !parts[name] })
	})
}

// ComparedExactly reports whether the function of a comparison compares what it is about exactly
// with something else as well, such as with what a dry run answers: DeepDerivative is for where
// that is not to be had.
func (c In) ComparedExactly(call *ssa.Call, y ssa.Value) bool {
	compared := c.Sums.Resolve.Place(y)
	same := func(v ssa.Value) bool {
		place := c.Sums.Resolve.Place(kubeapi.Unboxed(v))
		return place.Object == compared.Object && slices.Equal(place.Sub, compared.Sub)
	}
	return blocks.Any(call.Parent(), func(other *ssa.Call) bool {
		comparison := kubeapi.ComparisonOf(other.Common())
		return isExact(comparison) && (same(comparison.X) || same(comparison.Y))
	})
}

// isExact reports whether two values are compared in depth, but not by DeepDerivative.
func isExact(c kubeapi.Comparison) bool {
	return c.Kind != kubeapi.NoComparison && c.Kind != kubeapi.Derivative
}

// placeFrom is where a value is kept, as a caller sees it.
func (c In) placeFrom(outside func(ssa.Value) ssa.Value, v ssa.Value) paths.Place {
	place := c.Sums.Resolve.Place(v)
	given := outside(place.Object.Root)
	if given == place.Object.Root {
		return place
	}
	at := c.Sums.Resolve.Place(given)
	at.Sub = slices.Concat(at.Sub, place.Sub)
	return at
}

// eachLookedAt yields the places that an instruction compares, itself or in a function
// of the package.
func (c In) eachLookedAt(instr ssa.Instruction, yield func(paths.Place)) {
	for _, v := range lookedAt(instr) {
		yield(c.Sums.Resolve.Place(v))
	}
	call, ok := instr.(*ssa.Call)
	if !ok {
		return
	}
	targets := c.Sums.Calls.Callees(call)
	if len(targets.Funcs) != 1 || !returnsBool(targets.Funcs[0]) {
		return
	}
	for inner := range blocks.Instrs(targets.Funcs[0]) {
		for _, v := range lookedAt(inner) {
			yield(c.placeFrom(outside(call, targets.Funcs[0]), v))
		}
	}
}

// outside tells what the parameters of a function are where it is called; all else is itself.
func outside(call ssa.CallInstruction, fn *ssa.Function) func(ssa.Value) ssa.Value {
	return func(v ssa.Value) ssa.Value {
		if param, ok := v.(*ssa.Parameter); ok && param.Parent() == fn {
			if arg := calls.ArgumentOf(call, param); arg != nil {
				return arg
			}
		}
		return v
	}
}

// lookedAt returns what an instruction compares: lists and maps, those whose
// lengths it compares, and values in depth, but not by DeepDerivative.
func lookedAt(instr ssa.Instruction) []ssa.Value {
	var values []ssa.Value
	switch instr := instr.(type) {
	case *ssa.Call:
		comparison := kubeapi.ComparisonOf(instr.Common())
		if isExact(comparison) {
			values = append(values, kubeapi.Unboxed(comparison.X), kubeapi.Unboxed(comparison.Y))
		}
	case *ssa.BinOp:
		for _, v := range []ssa.Value{instr.X, instr.Y} {
			if of := calls.LengthOf(v); of != nil {
				v = of
			}
			if evidence.IsContainer(v.Type()) {
				values = append(values, v)
			}
		}
	}
	return values
}

// partsThatMayLack returns the fields of a struct that can leave something out.
func partsThatMayLack(t types.Type) []string {
	s, ok := kubeapi.Deref(t).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var names []string
	for field := range s.Fields() {
		if evidence.MayLack(field.Type()) {
			names = append(names, field.Name())
		}
	}
	return names
}
