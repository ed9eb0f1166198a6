// Package evidence tells what the program is seen to put into what it builds: quantities,
// and what may be missing another time.
package evidence

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/semanticequal/internal/sides"
	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// In has the evidence of a package.
type In struct {
	Sums  *objects.Summaries
	Sides sides.Of
	// composed tells of functions, also those of other packages, what they put together.
	composed *facts.Table[Composes, *Composes]
	// workloads remembers which types workloads and their pods are made of.
	workloads map[types.Type]bool
}

// makers are what puts an object together: functions of the package, and calls of others.
type makers struct {
	in     *In
	seen   map[ssa.Value]bool
	fns    []*ssa.Function
	others []*ssa.Call
}

// maxSteps bounds how far what is made is followed.
const maxSteps = 6

// maxMakers bounds the functions that are looked into.
const maxMakers = 40

// makersOf returns what puts together those of some values that the program makes.
func (c *In) makersOf(vs ...ssa.Value) *makers {
	m := &makers{in: c, seen: make(map[ssa.Value]bool)}
	for _, v := range vs {
		if c.Sides.Side(v) != sides.Read {
			m.follow(v, 0)
		}
	}
	return m
}

func (m *makers) follow(v ssa.Value, depth int) {
	if depth > maxSteps || m.seen[v] {
		return
	}
	m.seen[v] = true
	m.object(m.in.Sums.Resolve.Place(v).Object, depth)
}

func (m *makers) object(o paths.Object, depth int) {
	sums := m.in.Sums
	if copied := sums.CopyOf(o); copied != nil {
		m.follow(copied, depth+1)
	}
	for _, root := range sums.Resolve.Roots(o) {
		if root != o && root.Root != nil {
			m.follow(root.Root, depth+1)
		}
	}
	if call, index := calls.CallOf(o.Root); call != nil {
		targets := sums.Calls.Callees(call)
		if len(targets.Funcs) == 0 {
			m.others = append(m.others, call)
		}
		for _, fn := range targets.Funcs {
			m.add(fn, 0)
			for ret := range blocks.Returns(fn) {
				if index < len(ret.Results) {
					m.follow(ret.Results[index], depth+1)
				}
			}
		}
		return
	}
	switch root := o.Root.(type) {
	case *ssa.Parameter:
		args, _ := sums.Calls.Arguments(root)
		for _, arg := range args {
			m.follow(arg.Value, depth+1)
		}
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice:
		if m.in.Sides.Side(root) != sides.Read {
			m.add(root.Parent(), 0)
		}
		if variable, ok := root.(*ssa.Alloc); ok { // of a parameter that a literal captures, for one
			for _, stored := range calls.StoredInto(variable) {
				m.follow(stored, depth+1)
			}
		}
	}
}

// add notes a function with those that it calls, which may fill in what it makes.
func (m *makers) add(fn *ssa.Function, depth int) {
	if fn == nil || depth > 2 || len(m.fns) >= maxMakers || slices.Contains(m.fns, fn) {
		return
	}
	m.fns = append(m.fns, fn)
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		for _, target := range m.in.Sums.Calls.Callees(call).Funcs {
			m.add(target, depth+1)
		}
	}
}

// any reports whether one of the functions has such an instruction.
func (m *makers) any(is func(ssa.Instruction) bool) bool {
	return slices.ContainsFunc(m.fns, func(fn *ssa.Function) bool { return blocks.Any(fn, is) })
}

// SetsQuantity reports whether what is compared is about quantities, or the program is seen
// to put one into what it makes: that a type could have one says little.
func (c *In) SetsQuantity(x, y ssa.Value) bool {
	return IsOfQuantities(x.Type()) || c.makersOf(x, y).any(func(instr ssa.Instruction) bool {
		switch instr := instr.(type) {
		case *ssa.Store:
			_, constant := instr.Val.(*ssa.Const)
			switch instr.Addr.(type) {
			case *ssa.FieldAddr, *ssa.IndexAddr:
				return !constant && (IsOfQuantities(instr.Val.Type()) || isOfPods(instr.Val.Type()) && !isComposed(instr.Val))
			}
		case *ssa.MapUpdate:
			return kubeapi.IsQuantity(instr.Value.Type())
		}
		return isArithmetic(instr)
	})
}

// ComputesQuantity reports whether a quantity of what the program makes is a result, which
// is kept in another way than one that was read, as a rule.
func (c *In) ComputesQuantity(x, y ssa.Value) bool { return c.makersOf(x, y).any(isArithmetic) }

func isArithmetic(instr ssa.Instruction) bool {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return false
	}
	recv, _ := kubeapi.Args(call.Common())
	callee := kubeapi.Callee(call.Common())
	return callee != nil && recv != nil && kubeapi.IsQuantity(recv.Type()) && slices.Contains([]string{"Add", "Sub", "Mul", "Neg", "Set", "SetMilli", "SetScaled"}, callee.Name())
}

// IsOfQuantities reports whether a type is a quantity, a list of resources, or little more
// than these.
func IsOfQuantities(t types.Type) bool {
	t = kubeapi.Deref(t)
	if kubeapi.IsQuantity(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		return kubeapi.IsQuantity(u.Elem())
	case *types.Struct:
		for field := range u.Fields() {
			if m, ok := field.Type().Underlying().(*types.Map); ok && u.NumFields() <= maxResourceFields && kubeapi.IsQuantity(m.Elem()) {
				return true
			}
		}
	}
	return false
}

// maxResourceFields is how many fields a struct of resources may have: limits, requests and
// claims.
const maxResourceFields = 4

// isOfPods reports whether a type is what users write the resources of pods into.
func isOfPods(t types.Type) bool {
	t = kubeapi.Deref(t)
	if slice, ok := t.Underlying().(*types.Slice); ok {
		t = slice.Elem()
	}
	return slices.ContainsFunc([]string{"Container", "PodSpec", "PodTemplateSpec", "PersistentVolumeClaimSpec"}, func(name string) bool {
		return kubeapi.IsNamed(t, "k8s.io/api/core/v1", name)
	})
}

// isComposed reports whether a value is written out where it is used.
func isComposed(v ssa.Value) bool {
	return values.Relation{Steps: values.Local | values.Address}.Any(v, func(v ssa.Value) bool {
		if slice, ok := v.(*ssa.Slice); ok {
			v = slice.X
		}
		_, made := v.(*ssa.Alloc)
		return made
	})
}

// isInput reports whether a value may be missing, and is neither made here nor a constant.
func (c *In) isInput(v ssa.Value) bool {
	return c.comesFrom(v, values.Local|values.Taken, func(v ssa.Value) bool {
		_, given := v.(*ssa.Parameter)
		return given || c.fieldOf(v) != nil
	})
}

// isAsked is the same for what a field has that a user sets, in an object or in settings of
// one: of what a reconciler has, all objects get the same as long as it runs.
func (c *In) isAsked(v ssa.Value) bool {
	return c.comesFrom(v, values.Local|values.Taken|values.Given, func(v ssa.Value) bool {
		of := c.fieldOf(v)
		return of != nil && !kubeapi.HasClient(of)
	})
}

func (c *In) comesFrom(v ssa.Value, steps values.Step, is func(ssa.Value) bool) bool {
	return mayBeMissing(v.Type()) && values.Relation{Calls: c.Sums.Calls, Steps: steps}.Any(v, func(v ssa.Value) bool { return mayBeMissing(v.Type()) && is(v) })
}

// fieldOf is the type of the struct that a value is a field of, if that is neither made here nor
// a constant; nil otherwise.
func (c *In) fieldOf(v ssa.Value) types.Type {
	var of ssa.Value
	switch v := v.(type) {
	case *ssa.UnOp:
		field, ok := v.X.(*ssa.FieldAddr)
		if !ok {
			return nil
		}
		of = field.X
	case *ssa.Field:
		of = v.X
	default:
		return nil
	}
	switch root := c.Sums.Resolve.Place(of).Object.Root.(type) {
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Call, *ssa.Extract:
		return of.Type()
	case *ssa.Alloc: // of a parameter that is a struct
		for _, stored := range calls.StoredInto(root) {
			if _, given := stored.(*ssa.Parameter); given {
				return of.Type()
			}
		}
	}
	return nil
}

// mayBeMissing reports whether a value of a type may be left out of an object: a list, map or
// pointer of what objects have.
func mayBeMissing(t types.Type) bool {
	plain := func(t types.Type) bool {
		t = kubeapi.Deref(t)
		_, basic := t.Underlying().(*types.Basic)
		return basic || kubeapi.IsAPIStruct(t)
	}
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Map:
		return plain(u.(interface{ Elem() types.Type }).Elem())
	case *types.Pointer:
		return plain(u.Elem()) && kubeapi.KindOf(u) == nil
	case *types.Struct:
		return kubeapi.IsAPIStruct(t) && kubeapi.KindOf(t) == nil && MayLack(t)
	}
	return false
}

// FillsFromInput reports whether an entry of a map comes from what objects or callers have,
// of which there may be none.
func (c *In) FillsFromInput(update *ssa.MapUpdate) bool {
	from := values.Relation{Calls: c.Sums.Calls, Steps: values.Local | values.Taken}
	is := func(v ssa.Value) bool {
		if param, ok := v.(*ssa.Parameter); ok {
			return IsContainer(param.Type()) || kubeapi.KindOf(param.Type()) != nil
		}
		place := c.Sums.Resolve.Place(v)
		return place.IsInside()
	}
	return from.Any(update.Key, is) || from.Any(update.Value, is)
}

// Holds reports whether values of a type have parts of a type that is wanted.
func Holds(t types.Type, wanted func(types.Type) bool) bool {
	return kubeapi.HasPart(t, wanted, kubeapi.IsSource) // few volumes and variables have a quantity
}

// MayLack reports whether a value of a type can leave something out.
func MayLack(t types.Type) bool {
	return Holds(t, IsContainer)
}

// IsContainer reports whether t is a list or map.
func IsContainer(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map:
		return true
	}
	return false
}
