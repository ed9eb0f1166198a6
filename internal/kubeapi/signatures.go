package kubeapi

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// AnyIs reports whether one of some parameters or results is of a type.
func AnyIs(vars *types.Tuple, is func(types.Type) bool) bool {
	for v := range vars.Variables() {
		if is(v.Type()) {
			return true
		}
	}
	return false
}

// TakesContext reports whether a function of the signature gets a context.
func TakesContext(sig *types.Signature) bool { return AnyIs(sig.Params(), IsContext) }

// isMethod reports whether fn is a method of one of the names.
func isMethod(fn *types.Func, names ...string) bool {
	return fn != nil && fn.Signature().Recv() != nil && slices.Contains(names, fn.Name())
}

// isGetter reports whether fn is a method of one of the names that gets nothing and
// returns one thing, of a type.
func isGetter(fn *types.Func, is func(types.Type) bool, names ...string) bool {
	if !isMethod(fn, names...) {
		return false
	}
	sig := fn.Signature()
	return sig.Params().Len() == 0 && sig.Results().Len() == 1 && is(sig.Results().At(0).Type())
}

// anyField reports whether a struct, which may be nil, has a field that is such a one.
func anyField(s *types.Struct, is func(*types.Var) bool) bool {
	if s == nil {
		return false
	}
	for field := range s.Fields() {
		if is(field) {
			return true
		}
	}
	return false
}

// IsVariable reports whether v is what a package-level variable of that name holds, of
// the package with that path.
func IsVariable(v ssa.Value, path, name string) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	global, ok := load.X.(*ssa.Global)
	return ok && global.Name() == name && global.Pkg != nil && global.Pkg.Pkg.Path() == path
}

// fit reports whether parameters or results are as many as there are tests, and each passes its own.
func fit(vars *types.Tuple, tests ...func(types.Type) bool) bool {
	if vars.Len() != len(tests) {
		return false
	}
	for i, is := range tests {
		if !is(vars.At(i).Type()) {
			return false
		}
	}
	return true
}

// argument returns the first of some arguments that is of a type, or nil.
func argument(args []ssa.Value, is func(types.Type) bool) ssa.Value {
	for _, arg := range args {
		if is(arg.Type()) {
			return arg
		}
	}
	return nil
}
