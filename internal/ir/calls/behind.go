package calls

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// maxBehind bounds the steps that Behind takes back.
const maxBehind = 20

// Behind returns what v is, seen through interfaces, conversions, and local
// variables to which one value is assigned, also where literals capture them.
func Behind(v ssa.Value) ssa.Value {
	for range maxBehind {
		if x := kubeapi.Converted(v); x != nil {
			v = x
			continue
		}
		load, ok := v.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			return v
		}
		local, ok := captured(load.X).(*ssa.Alloc)
		if !ok {
			return v
		}
		values := StoredInto(local)
		if len(values) != 1 {
			return v
		}
		v = values[0]
	}
	return v
}

// captured returns what a captured variable is bound to where its literal is made;
// other addresses are themselves.
func captured(addr ssa.Value) ssa.Value {
	for range maxBehind {
		free, ok := addr.(*ssa.FreeVar)
		if !ok {
			break
		}
		fn := free.Parent()
		bound := ssa.Value(nil)
		for _, ref := range *fn.Referrers() {
			if closure, ok := ref.(*ssa.MakeClosure); ok && bound == nil {
				bound = closure.Bindings[slices.Index(fn.FreeVars, free)]
			} else {
				return addr
			}
		}
		if bound == nil {
			break
		}
		addr = bound
	}
	return addr
}

// IsNil reports whether a value is the constant nil.
func IsNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}
