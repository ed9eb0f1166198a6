// Package values tells what a value is made of and what becomes of it: one relation that
// knows each kind of value in go/ssa, and searches along it, backwards and forwards. Who
// asks says which steps count, so that a question about one function is not answered from
// another one.
package values

import (
	"go/token"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Step is how a value comes from others. Steps are sets.
type Step uint16

const (
	// Converted is the same value under another type, or in an interface.
	Converted Step = 1 << iota
	// Asserted is what an interface is asserted to have in it.
	Asserted
	// Merged is one of several, by the way that was taken.
	Merged
	// Held is what was stored in the local variable that a value is loaded from, by
	// literals that capture it as well.
	Held
	// Address is, instead of Held, the variable itself that a value is loaded from.
	Address
	// Given is what the calls in the package hand over for a parameter.
	Given
	// Returned is what the functions of the package return that a call may run.
	Returned
	// Selected is the struct that a field is of, and the pointer that a value is loaded
	// from.
	Selected
	// Element is the list, map or channel that a value is taken out of.
	Element
	// Computed are the operands of arithmetic and of comparisons.
	Computed

	// Same is the same value under another type.
	Same = Converted | Asserted
	// Local are the steps within one function and its literals that leave a value
	// what it is.
	Local = Same | Merged | Held
	// Taken is what a value is taken out of.
	Taken = Selected | Element
	// Package are those and the steps between the functions of the package.
	Package = Local | Given | Returned
	// All are all steps.
	All = Package | Taken | Computed
)

// A Relation is a choice of steps.
type Relation struct {
	// Calls is needed for captured variables, for Given and for Returned.
	Calls *calls.Graph
	Steps Step
	// Until, if not nil, tells where to stop: what such a value comes from does not count.
	Until func(v ssa.Value) bool
	// More, if not nil, returns what a value comes from by steps that only the one
	// who asks knows.
	More func(v ssa.Value) []ssa.Value
	// Onward is the same for Uses: what v is called after an instruction that uses it.
	Onward func(v ssa.Value, use ssa.Instruction) []ssa.Value
}

// maxValues bounds a search: no value that anybody asks about is made of so many.
const maxValues = 400

// Sources returns what v is made of by one of the relation's steps, and whether it
// is that and nothing else.
func (r Relation) Sources(v ssa.Value) (from []ssa.Value, closed bool) {
	if r.Until != nil && r.Until(v) {
		return nil, false
	}
	if r.More != nil {
		if from := r.More(v); len(from) > 0 {
			return from, true
		}
	}
	step, from, closed := r.step(v)
	if r.Steps&step == 0 {
		return nil, false
	}
	return from, closed
}

// step is the one step back from a value, 0 if there is none.
func (r Relation) step(v ssa.Value) (step Step, from []ssa.Value, closed bool) {
	switch v := v.(type) {
	case *ssa.ChangeInterface, *ssa.ChangeType, *ssa.MakeInterface:
		return Converted, []ssa.Value{kubeapi.Converted(v)}, true
	case *ssa.Convert:
		return Converted, []ssa.Value{v.X}, true
	case *ssa.MultiConvert:
		return Converted, []ssa.Value{v.X}, true
	case *ssa.SliceToArrayPointer:
		return Converted, []ssa.Value{v.X}, true
	case *ssa.TypeAssert:
		return Asserted, []ssa.Value{v.X}, true
	case *ssa.Phi:
		return Merged, v.Edges, true
	case *ssa.FreeVar:
		if r.Calls == nil || r.Calls.Binding(v) == nil {
			return 0, nil, false
		}
		return Held, []ssa.Value{r.Calls.Binding(v)}, true
	case *ssa.UnOp:
		return r.operation(v)
	case *ssa.Parameter:
		if r.Calls == nil {
			return 0, nil, false
		}
		args, closed := r.Calls.Arguments(v)
		return Given, calls.Values(args), closed
	case *ssa.Call:
		return r.result(v, 0)
	case *ssa.Extract:
		return r.extracted(v)
	case *ssa.BinOp:
		return Computed, []ssa.Value{v.X, v.Y}, true
	case *ssa.Field:
		return Selected, []ssa.Value{v.X}, true
	case *ssa.FieldAddr:
		return Selected, []ssa.Value{v.X}, true
	case *ssa.Index:
		return Element, []ssa.Value{v.X}, true
	case *ssa.IndexAddr:
		return Element, []ssa.Value{v.X}, true
	case *ssa.Lookup:
		return Element, []ssa.Value{v.X}, true
	case *ssa.Next:
		return Element, []ssa.Value{v.Iter}, true
	case *ssa.Range:
		return Element, []ssa.Value{v.X}, true
	case *ssa.Slice:
		return Element, []ssa.Value{v.X}, true
	case *ssa.Alloc, *ssa.Builtin, *ssa.Const, *ssa.Function, *ssa.Global,
		*ssa.MakeChan, *ssa.MakeClosure, *ssa.MakeMap, *ssa.MakeSlice, *ssa.Select:
		return 0, nil, false // made here, or declared
	}
	return 0, nil, false
}

// operation is a load, a receive, or arithmetic.
func (r Relation) operation(op *ssa.UnOp) (Step, []ssa.Value, bool) {
	switch op.Op {
	case token.MUL:
		if r.Steps&Address != 0 {
			return Address, []ssa.Value{op.X}, true
		}
		cell := r.cell(op.X)
		if cell == nil {
			return Selected, []ssa.Value{op.X}, true
		}
		// What others do to a variable whose address they have is not seen.
		return Held, calls.StoredBefore(op, cell), true
	case token.ARROW:
		return Element, []ssa.Value{op.X}, true
	}
	return Computed, []ssa.Value{op.X}, true
}

// cell is the local variable that an address is, also where a literal captures it;
// nil for none.
func (r Relation) cell(addr ssa.Value) *ssa.Alloc {
	if r.Calls != nil {
		addr = calls.Captured(addr)
	}
	cell, _ := addr.(*ssa.Alloc)
	return cell
}

func (r Relation) extracted(v *ssa.Extract) (Step, []ssa.Value, bool) {
	switch tuple := v.Tuple.(type) {
	case *ssa.Call:
		return r.result(tuple, v.Index)
	case *ssa.TypeAssert:
		if v.Index == 0 {
			return Asserted, []ssa.Value{tuple.X}, true
		}
	case *ssa.Lookup, *ssa.UnOp:
		if v.Index == 0 {
			return r.step(tuple)
		}
	case *ssa.Next:
		return r.step(tuple)
	}
	return 0, nil, false
}

func (r Relation) result(call *ssa.Call, index int) (Step, []ssa.Value, bool) {
	if r.Calls == nil {
		return 0, nil, false
	}
	results, closed := r.Calls.Results(call, index)
	if call.Call.Signature().Results().Len() > 1 {
		results = slices.DeleteFunc(results, calls.IsNil) // beside an error
	}
	if len(results) == 0 {
		return 0, nil, false
	}
	return Returned, results, closed
}

// Ends yields what v may be made of in the end: what comes from nothing by the
// relation's steps.
func (r Relation) Ends(v ssa.Value) iter.Seq[ssa.Value] {
	return func(yield func(ssa.Value) bool) {
		for v, isEnd := range r.search(v) {
			if isEnd && !yield(v) {
				return
			}
		}
	}
}

// maxChain bounds a chain.
const maxChain = 40

// Chain yields v and, as long as there is just one, what that comes from.
func (r Relation) Chain(v ssa.Value) iter.Seq[ssa.Value] {
	return func(yield func(ssa.Value) bool) {
		for range maxChain {
			if v == nil || !yield(v) {
				return
			}
			from, _ := r.Sources(v)
			if len(from) != 1 {
				return
			}
			v = from[0]
		}
	}
}

// End is the last value of the chain.
func (r Relation) End(v ssa.Value) ssa.Value {
	for next := range r.Chain(v) {
		v = next
	}
	return v
}

// Any reports whether v, or something that it may be made of, is what is looked
// for.
func (r Relation) Any(v ssa.Value, is func(ssa.Value) bool) bool {
	for v := range r.search(v) {
		if is(v) {
			return true
		}
	}
	return false
}

// Param returns the parameter that a value is, also behind conversions, variables that are
// assigned once and literals that capture it; nil if it is none.
func Param(graph *calls.Graph, v ssa.Value) *ssa.Parameter {
	p, _ := Relation{Calls: graph, Steps: Converted | Held}.End(v).(*ssa.Parameter)
	return p
}

// All reports whether something holds of v, or else of all that it may be made of, of
// which all is known.
func (r Relation) All(v ssa.Value, holds func(ssa.Value) bool) bool {
	return r.all(v, holds, make(map[ssa.Value]bool))
}

func (r Relation) all(v ssa.Value, holds func(ssa.Value) bool, seen map[ssa.Value]bool) bool {
	switch {
	case v == nil || len(seen) > maxValues:
		return false
	case seen[v]:
		return true // on the way around a loop
	case holds(v):
		return true
	}
	seen[v] = true
	from, closed := r.Sources(v)
	return closed && len(from) > 0 && !slices.ContainsFunc(from, func(v ssa.Value) bool { return !r.all(v, holds, seen) })
}

// Always reports whether something holds of a value, or else of all that it may be: of
// what it is converted from, what is stored into the variable, what the functions of the
// package return, what all callers hand over for a parameter. A nil beside an error does
// not count.
//
// It is for excuses, which must not depend on whether code stands in one function or in a
// helper.
func Always(graph *calls.Graph, v ssa.Value, holds func(ssa.Value) bool) bool {
	may := Relation{Calls: graph, Steps: Package, More: func(v ssa.Value) []ssa.Value {
		if same := graph.Same(v); same != nil {
			return []ssa.Value{same}
		}
		return nil
	}}
	return may.All(v, holds)
}

// search yields v and what it may be made of, the nearest first, each once, and whether
// that comes from nothing else.
func (r Relation) search(v ssa.Value) iter.Seq2[ssa.Value, bool] {
	return func(yield func(ssa.Value, bool) bool) {
		if v == nil {
			return
		}
		seen := map[ssa.Value]bool{v: true}
		open := []ssa.Value{v}
		for len(open) > 0 && len(seen) <= maxValues {
			v := open[0]
			open = open[1:]
			from, _ := r.Sources(v)
			if !yield(v, len(from) == 0) {
				return
			}
			for _, next := range from {
				if next != nil && !seen[next] {
					seen[next] = true
					open = append(open, next)
				}
			}
		}
	}
}

// Stored returns what is stored into a variable as a whole, if v is one: for More, where
// addresses are followed.
func Stored(v ssa.Value) []ssa.Value {
	if local, ok := v.(*ssa.Alloc); ok {
		return calls.StoredInto(local)
	}
	return nil
}

// Operands returns what an instruction makes a value from, whatever it is: for More.
func Operands(v ssa.Value) []ssa.Value {
	instr, ok := v.(ssa.Instruction)
	if !ok {
		return nil
	}
	var from []ssa.Value
	for _, operand := range instr.Operands(nil) {
		if *operand != nil {
			from = append(from, *operand)
		}
	}
	return from
}

// StoredOnce is [Stored] for variables that are assigned once.
func StoredOnce(v ssa.Value) []ssa.Value {
	if stored := Stored(v); len(stored) == 1 {
		return stored
	}
	return nil
}

// Agree returns what all values have in common; ok is false if there are none, or
// they differ.
func Agree[T comparable](values []ssa.Value, of func(ssa.Value) T) (common T, ok bool) {
	for i, v := range values {
		next := of(v)
		if i > 0 && next != common {
			var none T
			return none, false
		}
		common = next
	}
	return common, len(values) > 0
}
