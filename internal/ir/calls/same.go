package calls

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Same returns a value that another one is for sure, a step closer to where it comes
// from: behind a conversion, a variable that is assigned once, captured or not, an
// element of a slice that stands in the function, a function of the package that
// returns what it is given, or one that hands it to a literal; nil if there is none.
func (g *Graph) Same(v ssa.Value) ssa.Value {
	if x := kubeapi.Converted(v); x != nil {
		return x
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return g.sameAt(v.X, v)
		}
	case *ssa.Parameter:
		return g.Given(v)
	case *ssa.Call:
		if v.Call.Signature().Results().Len() == 1 {
			return g.GivenBack(v, 0)
		}
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return g.GivenBack(call, v.Index)
		}
	}
	return nil
}

// Origin is what a value is for sure, as far back as [Graph.Same] tells.
func (g *Graph) Origin(v ssa.Value) ssa.Value {
	for range maxBehind {
		same := g.Same(v)
		if same == nil {
			break
		}
		v = same
	}
	return v
}

// sameAt is what an address surely holds where it is read.
func (g *Graph) sameAt(addr ssa.Value, read ssa.Instruction) ssa.Value {
	for range maxDepth {
		free, ok := addr.(*ssa.FreeVar)
		if !ok {
			break
		}
		addr = g.Binding(free)
	}
	switch addr := addr.(type) {
	case *ssa.Alloc:
		return HeldAt(addr, read)
	case *ssa.IndexAddr:
		return SoleElement(addr)
	}
	return nil
}

// GivenBack returns what a call's index-th result is for sure, seen from the caller:
// one of the arguments, or what a function literal returns that only this call runs;
// nil if it is not known. Unlike [Graph.Returned] it passes over the nil that stands
// beside an error: who goes on with the result has asked for that.
func (g *Graph) GivenBack(call *ssa.Call, index int) ssa.Value {
	if _, builtin := call.Call.Value.(*ssa.Builtin); builtin || g.Pkg == nil {
		return nil
	}
	fn, operands := g.wrapperAt(call.Common())
	if fn == nil || len(operands) != len(fn.Params) {
		return nil
	}
	own := fn.Parent() != nil && len(g.Callers(fn)) == 1
	var sole ssa.Value
	for ret := range blocks.Returns(fn) {
		if index >= len(ret.Results) {
			continue
		}
		v := ret.Results[index]
		if c, ok := v.(*ssa.Const); ok && c.IsNil() && len(ret.Results) > 1 {
			continue // beside an error
		}
		if i := wrapperOperand(fn, v); i >= 0 {
			v = operands[i]
		} else if kept := keptIn(fn, v, operands); kept != nil {
			v = kept
		} else if !own {
			return nil
		}
		if v == nil || sole != nil && v != sole {
			return nil
		}
		sole = v
	}
	return sole
}

// keptIn returns what a field of a parameter holds that v is: what the operand for it, a
// struct that is put together at the call, was given for the field; nil if v is none.
func keptIn(fn *ssa.Function, v ssa.Value, operands []ssa.Value) ssa.Value {
	var holder ssa.Value
	field := 0
	switch v := v.(type) {
	case *ssa.Field:
		holder, field = v.X, v.Field
	case *ssa.UnOp:
		addr, ok := v.X.(*ssa.FieldAddr)
		if !ok || v.Op != token.MUL {
			return nil
		}
		holder, field = addr.X, addr.Field
		if own, ok := holder.(*ssa.Alloc); ok {
			// A parameter by value, which was put into a variable.
			stored := StoredInto(own)
			if len(stored) != 1 {
				return nil
			}
			holder = stored[0]
		}
	default:
		return nil
	}
	param, ok := holder.(*ssa.Parameter)
	if !ok {
		return nil
	}
	at := slices.Index(fn.Params, param)
	if at < 0 || at >= len(operands) {
		return nil
	}
	return fieldOfLiteral(operands[at], field)
}

// fieldOfLiteral returns what a struct, or what a pointer points to, was given for a
// field, if it is put together in the function and nothing else is done with it but to
// read it and to call functions; nil if that is not so.
func fieldOfLiteral(v ssa.Value, field int) ssa.Value {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	made, ok := v.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var given ssa.Value
	for _, ref := range *made.Referrers() {
		switch ref := ref.(type) {
		case *ssa.FieldAddr:
			for store := range blocks.UsesOf[*ssa.Store](ref) {
				if ref.Field != field {
					continue
				}
				if store.Addr != ref || given != nil {
					return nil
				}
				given = store.Val
			}
		case *ssa.UnOp, *ssa.DebugRef, ssa.CallInstruction:
		default:
			return nil
		}
	}
	return given
}

// isReference reports whether a type is one that leads to something else.
func isReference(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Map:
		return true
	}
	return false
}

// Listed returns what the elements of a slice are that is put together in a
// literal and of which nothing but its elements is used, by their index; nil if
// it is none, or its elements are no references.
func Listed(slice ssa.Value) []ssa.Value {
	made, ok := slice.(*ssa.Slice)
	if !ok || made.Low != nil || made.High != nil {
		return nil
	}
	array, ok := made.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	t, ok := array.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !ok || t.Len() == 0 || t.Len() > maxElements || !isReference(t.Elem()) {
		return nil
	}
	elements := make([]ssa.Value, t.Len())
	for _, ref := range *array.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Slice:
			if ref != made {
				return nil
			}
		case *ssa.IndexAddr:
			index, known := ConstIndex(ref.Index)
			store := soleUse(ref)
			if !known || index >= len(elements) || store == nil || elements[index] != nil {
				return nil
			}
			elements[index] = store.Val
		case *ssa.DebugRef:
		default:
			return nil
		}
	}
	if slices.Contains(elements, nil) || !onlyRead(made) {
		return nil
	}
	return elements
}

// maxElements bounds the elements of a literal that are told apart.
const maxElements = 16

// SoleElement returns the only value that an address of an element may lead to, or nil.
func SoleElement(addr *ssa.IndexAddr) ssa.Value {
	elements := Listed(addr.X)
	if elements == nil {
		return nil
	}
	if index, ok := ConstIndex(addr.Index); ok && index < len(elements) {
		return elements[index]
	}
	if len(elements) == 1 {
		return elements[0]
	}
	return nil
}

// ConstIndex returns the constant index that a value is.
func ConstIndex(v ssa.Value) (int, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int || c.Int64() < 0 {
		return 0, false
	}
	return int(c.Int64()), true
}

// soleUse returns the store that is all that an address is used for, or nil.
func soleUse(addr *ssa.IndexAddr) *ssa.Store {
	var sole *ssa.Store
	for _, use := range *addr.Referrers() {
		store, ok := use.(*ssa.Store)
		if !ok || store.Addr != addr || sole != nil {
			return nil
		}
		sole = store
	}
	return sole
}

// onlyRead reports whether a slice is used for nothing but its elements, and these
// are only read.
func onlyRead(slice *ssa.Slice) bool {
	for _, ref := range *slice.Referrers() {
		switch ref := ref.(type) {
		case *ssa.IndexAddr:
			for _, use := range *ref.Referrers() {
				if load, ok := use.(*ssa.UnOp); !ok || load.Op != token.MUL {
					return false
				}
			}
		case *ssa.Call:
			if !IsBuiltin(ref, "len") {
				return false
			}
		case *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}
