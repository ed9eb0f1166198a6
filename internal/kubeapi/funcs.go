package kubeapi

import (
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Callee returns the function or interface method that a call names, or nil
// for a call of a function value; instances are replaced by their origin,
// method values by the method, and controller-runtime's short names by what
// they stand for.
func Callee(common *ssa.CallCommon) *types.Func {
	if common.IsInvoke() {
		return common.Method.Origin()
	}
	fn := common.StaticCallee()
	if fn == nil {
		return calledVariable(common.Value)
	}
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	obj, _ := fn.Object().(*types.Func)
	if obj == nil {
		return nil
	}
	if behind := behindShortName(obj); behind != nil {
		return behind
	}
	return obj.Origin()
}

// Args returns the operands of a call with the receiver, if any, apart. The
// receiver of a method value called later is its captured receiver.
func Args(common *ssa.CallCommon) (recv ssa.Value, args []ssa.Value) {
	if common.IsInvoke() {
		return common.Value, common.Args
	}
	if closure, ok := common.Value.(*ssa.MakeClosure); ok {
		// A bound method: its receiver is the only captured variable.
		if fn := closure.Fn.(*ssa.Function); fn.Synthetic != "" && len(closure.Bindings) == 1 {
			return closure.Bindings[0], common.Args
		}
		return nil, common.Args
	}
	// The object, not the SSA function, tells a method: in a method
	// expression the receiver is the first of the ordinary parameters.
	if fn := Callee(common); fn != nil && fn.Signature().Recv() != nil && len(common.Args) > 0 {
		return common.Args[0], common.Args[1:]
	}
	return nil, common.Args
}

// Operands returns the receiver of a call, if there is one, and its arguments:
// the values of the callee's parameters.
func Operands(common *ssa.CallCommon) []ssa.Value {
	recv, args := Args(common)
	if recv == nil {
		return args
	}
	return append([]ssa.Value{recv}, args...)
}

// IsFunc reports whether fn is a package-level function, of one of the names, of the package
// whose path is path, or a later major version of it.
func IsFunc(fn *types.Func, path string, names ...string) bool {
	if fn == nil || fn.Pkg() == nil || !slices.Contains(names, fn.Name()) || fn.Signature().Recv() != nil {
		return false
	}
	return isAt(fn.Pkg(), path)
}

// ConstBool returns the constant bool that v is.
func ConstBool(v ssa.Value) (value, ok bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Bool {
		return false, false
	}
	return constant.BoolVal(c.Value), true
}

// ConstString returns the constant string that v is.
func ConstString(v ssa.Value) (string, bool) {
	for {
		switch x := v.(type) {
		case *ssa.ChangeType:
			v = x.X
		case *ssa.Convert:
			v = x.X
		case *ssa.Const:
			if x.Value == nil || x.Value.Kind() != constant.String {
				return "", false
			}
			return constant.StringVal(x.Value), true
		default:
			return "", false
		}
	}
}

// VariadicArgs returns the arguments that were packed into the slice v for a
// variadic parameter; ok is false if v was not packed at the call.
func VariadicArgs(v ssa.Value) (args []ssa.Value, ok bool) {
	if c, isConst := v.(*ssa.Const); isConst {
		return nil, c.Value == nil
	}
	slice, isSlice := v.(*ssa.Slice)
	if !isSlice {
		return nil, false
	}
	array, isAlloc := slice.X.(*ssa.Alloc)
	if !isAlloc || array.Referrers() == nil {
		return nil, false
	}
	for _, ref := range *array.Referrers() {
		if index, isIndex := ref.(*ssa.IndexAddr); isIndex {
			args = append(args, storedAt(index)...)
		}
	}
	return args, true
}

// Spread replaces packed variadic arguments, the last of a call's, by what was
// packed.
func Spread(args []ssa.Value) []ssa.Value {
	if len(args) == 0 {
		return nil
	}
	packed, ok := VariadicArgs(args[len(args)-1])
	if _, isSlice := args[len(args)-1].(*ssa.Slice); !ok || !isSlice {
		return args
	}
	return append(args[:len(args)-1:len(args)-1], packed...)
}
